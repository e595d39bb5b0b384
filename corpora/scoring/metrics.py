"""The metrics by name: what each counts in a document, and the scores of summed counts.

A metric is a pure function from an `Alignment` to a row of counts. Rows are summed over documents
and divided once; scores of single documents are never averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefmill.corpora.errors import UsageError
from corefmill.corpora.scoring import anaphors, b_cubed, blanc, ceaf, lea, mention_overlap, muc
from corefmill.corpora.scoring.alignment import Alignment
from corefmill.corpora.spelling import did_you_mean

Row = Sequence[float]
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measure:
    """A name, the heading of its line, and the score of its counts.

    `score` maps counts of shape (..., counts) to recall, precision and F1 of shape (..., 3),
    each from 0 to 1.
    """

    name: str
    title: str
    score: Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Metric(Measure):
    """A measure of coreference, with what it counts in a document."""

    count: Callable[[Alignment], Row]


def ratios(counts: Array) -> Array:
    """Recall, precision and F1 of the numerator and denominator of recall, then of precision.

    0/0 is 0.
    """
    recall = divided(counts[..., 0], counts[..., 1])
    precision = divided(counts[..., 2], counts[..., 3])
    return np.stack([recall, precision, harmonic(recall, precision)], axis=-1)


def divided(top: Array, bottom: Array) -> Array:
    """The quotient; 0 where the divisor is 0."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


def harmonic(recall: Array, precision: Array) -> Array:
    """F1."""
    return divided(2 * recall * precision, recall + precision)


def blanc_ratios(counts: Array) -> Array:
    """BLANC of the counts of coreference links (the first four) and of non-coreference links.

    The mean of the two; where the key has links of one kind only, that kind's; 0 where it has
    none.
    """
    links, others = ratios(counts[..., :4]), ratios(counts[..., 4:])
    has_links, has_others = counts[..., 1:2] > 0, counts[..., 5:6] > 0
    mean = (links + others) / 2
    one = np.where(has_links, links, np.where(has_others, others, 0.0))
    return np.where(has_links & has_others, mean, one)


def blanc_of_either(counts: Array) -> Array:
    """BLANC as corefud-scorer has it: the mean of those kinds of links that either side has."""
    parts = counts[..., :4], counts[..., 4:]
    there = [(part[..., 1:2] > 0) | (part[..., 3:4] > 0) for part in parts]
    links, others = (
        np.where(either, ratios(part), 0.0) for either, part in zip(there, parts, strict=True)
    )
    kinds = there[0].astype(float) + there[1]
    return divided(links + others, np.broadcast_to(kinds, links.shape))


def mentions(pair: Alignment) -> Row:
    """How many mentions were found at all, whatever their entity."""
    back = sum(pair.from_response[0].values())
    return pair.found, len(pair.home), back, len({m for entity in pair.response for m in entity})


MENTIONS = Metric("mentions", "mentions", ratios, mentions)

METRICS = {
    metric.name: metric
    for metric in (
        Metric("muc", "MUC", ratios, muc.count),
        Metric("bcub", "B3", ratios, b_cubed.count),
        Metric("ceafe", "CEAFe", ratios, ceaf.by_entity),
        Metric("ceafm", "CEAFm", ratios, ceaf.by_mention),
        Metric("lea", "LEA", ratios, lea.count),
        Metric("blanc", "BLANC", blanc_ratios, blanc.count),
    )
}
"""By the reference scorer's names."""

NODE_METRICS = METRICS | {
    metric.name: metric
    for metric in (
        Metric("blanc", "BLANC", blanc_of_either, blanc.count),
        Metric("mor", "MOR", ratios, mention_overlap.count),
        Metric("zero", "zero anaphors", ratios, anaphors.zeros),
    )
}
"""Those of mentions that are compared by their nodes, by corefud-scorer's names."""

CONLL = ("muc", "bcub", "ceafe")
"""The metrics whose mean F1 is the CoNLL score."""

_ALSO = {"b3": ("bcub",), "bcubed": ("bcub",), "conll": CONLL}


def named(names: str, known: Mapping[str, Metric] = METRICS) -> tuple[Metric, ...]:
    """The metrics of a list such as `muc,b3`, each once; raises `UsageError` for another name."""
    found: dict[str, Metric] = {}
    for name in names.lower().replace(",", " ").split():
        for own in known if name == "all" else _ALSO.get(name, (name,)):
            if own not in known:
                raise UsageError(
                    f"no metric {own!r}{did_you_mean(own, known)}"
                    if own not in NODE_METRICS
                    else f"the metric {own!r} is of CoNLL-U with --match or --zeros",
                    remedy=f"there are {', '.join((*known, 'conll', 'all'))}",
                )
            found[own] = known[own]
    if not found:
        raise UsageError("no metric is named", remedy=f"there are {', '.join(known)}")
    return tuple(found.values())
