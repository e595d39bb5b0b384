"""The metrics by name: what each counts in a document, and the scores of summed counts.

A metric is a pure function from an `Alignment` to a row of counts. Rows are summed over documents
and divided once; scores of single documents are never averaged.

What is divided is a number a count, or, of draws of documents, an array a count. numpy is imported
for arrays alone: that takes longer than a score of two small files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, TypeVar

from corefmill.corpora.errors import UsageError
from corefmill.corpora.scoring import anaphors, b_cubed, blanc, lea, mention_overlap, muc
from corefmill.corpora.scoring.alignment import Alignment
from corefmill.corpora.scoring.ceaf import best_map
from corefmill.corpora.spelling import did_you_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Row = Sequence[float]

N = TypeVar("N", float, "Array")
"""A number, or as many as there are draws."""

Scores = tuple[N, N, N]
"""Recall, precision and F1, each from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A name, the heading of its line, and the score of its counts: `Scores` of a row of them."""

    name: str
    title: str
    score: Callable[[Sequence[Any]], Scores[Any]]


@dataclass(frozen=True, slots=True)
class Metric(Measure):
    """A measure of coreference, with what it counts in a document."""

    count: Callable[[Alignment], Row]


def ratios(counts: Sequence[N]) -> Scores[N]:
    """Recall, precision and F1 of the numerator and denominator of recall, then of precision.

    0/0 is 0.
    """
    recall, precision = divided(counts[0], counts[1]), divided(counts[2], counts[3])
    return recall, precision, divided(2 * recall * precision, recall + precision)


def divided(top: N, bottom: N, otherwise: float = 0.0) -> N:
    """The quotient; `otherwise` where the divisor is 0."""
    if isinstance(bottom, float | int):
        return top / bottom if bottom > 0 else otherwise
    import numpy as np

    return np.divide(top, bottom, out=np.full_like(top, otherwise), where=bottom > 0)


def blanc_ratios(counts: Sequence[N]) -> Scores[N]:
    """BLANC of the counts of coreference links (the first four) and of non-coreference links.

    The mean of the two; where the key has links of one kind only, that kind's; 0 where it has
    none.
    """
    return _mean(counts, counts[1], counts[5])


def blanc_of_either(counts: Sequence[N]) -> Scores[N]:
    """BLANC as corefud-scorer has it: the mean of those kinds of links that either side has."""
    return _mean(counts, counts[1] + counts[3], counts[5] + counts[7])


def _mean(counts: Sequence[N], links: N, others: N) -> Scores[N]:
    """The mean of the scores of both kinds of links; a kind of which there are 0 is left out."""
    first, second = divided(links, links), divided(others, others)  # 1, or 0 for none
    recall, precision, f1 = (
        divided(first * one + second * other, first + second)
        for one, other in zip(ratios(counts[:4]), ratios(counts[4:]), strict=True)
    )
    return recall, precision, f1


def mentions(pair: Alignment) -> Row:
    """How many mentions were found at all, whatever their entity."""
    back = sum(pair.from_response[0].values())
    return pair.found, len(pair.home), back, len({m for entity in pair.response for m in entity})


def count_ceafe(pair: Alignment) -> tuple[float, int, float, int]:
    """CEAFe: similarity of the best map, entities of the key, the same, of the response."""
    sizes = [len(entity) for entity in pair.key], [len(entity) for entity in pair.response]
    weights = {(k, r): 2 * n / (sizes[0][k] + sizes[1][r]) for (k, r), n in pair.repeated.items()}
    best = fsum(best_map(weights))
    return best, len(pair.key), best, len(pair.response)


def count_ceafm(pair: Alignment) -> tuple[int, int, int, int]:
    """CEAFm: mentions that the best map shares, mentions of the key, the same, of the response."""
    best = round(sum(best_map(pair.repeated)))
    return best, sum(map(len, pair.key)), best, sum(map(len, pair.response))


MENTIONS = Metric("mentions", "mentions", ratios, mentions)

METRICS = {
    metric.name: metric
    for metric in (
        Metric("muc", "MUC", ratios, muc.count),
        Metric("bcub", "B3", ratios, b_cubed.count),
        Metric("ceafe", "CEAFe", ratios, count_ceafe),
        Metric("ceafm", "CEAFm", ratios, count_ceafm),
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
