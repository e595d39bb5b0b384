"""Measure the agreement of raters on nominal answers and on clusters.

The functions on answers take `counts`, of shape (items, values): the number of raters who gave each
answer to each item. `cohen` and `same` take `pairs`, of shape (items, 2): the numbers of two
raters' answers. Items with fewer than two answers are ignored; without any other, the result is
NaN.

Alpha over links is Krippendorff's alpha with a distance of sets (Passonneau 2004, Computing
Reliability for Coreference Annotation): a rater's value of a mention is its cluster, itself
included, and two clusters are MASI apart (Passonneau 2006, Measuring Agreement on Set-Valued
Items): 1 - J * M, where J is Jaccard's index, and M is 1 for equal sets, 2/3 where one contains the
other, 1/3 where they overlap, 0 else. An unmarked mention has the empty set, at distance 1 from
every cluster. So links decide, and a rater who splits a cluster in two is nearer than one who puts
its mentions elsewhere.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.scoring import coreference, resample
from corefmill.corpora.scoring.alignment import Clusters, ScoredDocument
from corefmill.corpora.scoring.metrics import CONLL, METRICS
from corefmill.corpora.scoring.table import LEVEL

Floats = NDArray[np.float64]

_BLOCK = 4_000_000
"""Places drawn at a time, 32 MB."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure with its 95 % interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


def estimate(value: float, drawn: Floats) -> Estimate:
    """The value with the middle 95 % of what `drawn` says, draws without a value left out."""
    drawn = drawn[~np.isnan(drawn)]
    if math.isnan(value) or not drawn.size:
        return Estimate(None if math.isnan(value) else value, None, None)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high))


def bootstrap_interval(
    measure: Callable[[Floats], float], rows: ArrayLike, rounds: int, seed: int
) -> Estimate:
    """Measure all rows; the interval is of items drawn anew with replacement, None of one item."""
    from scipy.stats import bootstrap  # type: ignore[import-untyped]

    table = np.asarray(rows, dtype=np.float64)
    if len(table) < 2:
        return estimate(measure(table), np.empty(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of draws that say nothing, which `estimate` leaves out
        drawn = bootstrap(
            (np.arange(len(table)),),
            lambda places: measure(table[places]),
            n_resamples=rounds,
            batch=max(1, _BLOCK // len(table)),
            vectorized=False,
            method="percentile",
            rng=seed,
        )
    return estimate(measure(table), drawn.bootstrap_distribution)


def mean(values: ArrayLike) -> float:
    """The mean, NaN of nothing."""
    return float(np.mean(np.asarray(values))) if np.size(values) else math.nan


def alpha(counts: ArrayLike) -> float:
    """Krippendorff's alpha with the nominal metric, by the library `krippendorff`."""
    import krippendorff

    table = _pairable(counts)
    if (table.sum(axis=0) > 0).sum() < 2:
        return math.nan  # nothing to disagree on, which the library refuses
    return float(krippendorff.alpha(value_counts=table, level_of_measurement="nominal"))


def fleiss(counts: ArrayLike) -> float:
    """Fleiss' kappa (1971): agreement beyond that of answers drawn from the pooled shares.

    The paper has as many raters on every item. Where numbers differ, an item's agreement is here
    that of its own pairs, and the shares are those of all answers.
    """
    table = _pairable(counts)
    shares = table.sum(axis=0) / max(table.sum(), 1)
    return _beyond_chance(observed_agreement(table), float((shares**2).sum()))


def cohen(pairs: ArrayLike) -> float:
    """Cohen's kappa (1960) of two raters: each has shares of his own."""
    table = np.asarray(pairs, dtype=np.float64)
    first, second = (table[:, column, np.newaxis] == np.unique(table) for column in (0, 1))
    expected = (first.sum(axis=0) * second.sum(axis=0)).sum() / max(len(table), 1) ** 2
    return _beyond_chance(same(table), float(expected))


def same(pairs: ArrayLike) -> float:
    """The share of items to which two raters gave the same answer."""
    table = np.asarray(pairs)
    return mean(table[:, 0] == table[:, 1])


def observed_agreement(counts: ArrayLike) -> float:
    """The share of pairs of raters that agree on an item, averaged over items."""
    table = _pairable(counts)
    size = table.sum(axis=1)
    alike = (table * (table - 1)).sum(axis=1) / (size * (size - 1))
    return mean(alike)


def _pairable(counts: ArrayLike) -> Floats:
    """The items with two answers or more."""
    table = np.asarray(counts, dtype=np.float64)
    made: Floats = table[table.sum(axis=1) >= 2]
    return made


def _beyond_chance(seen: float, expected: float) -> float:
    """How much of the agreement that chance leaves open was reached; NaN where it leaves none."""
    # The expected is a sum of squares, which may miss 1 by a rounding.
    return (seen - expected) / (1 - expected) if 1 - expected > 1e-12 else math.nan


Marked = frozenset[Hashable]
"""What a rater says of a mention: the mentions of its cluster, none where it is not marked."""

Raters = Mapping[str, Sequence[ScoredDocument]]
"""The documents that each rater marked, by the rater's name."""


def masi(one: Marked, other: Marked) -> float:
    """The distance of two sets, from 0 (equal) to 1 (nothing in common)."""
    return 1 - _likeness(one, other)


def link_alpha(raters: Raters, rounds: int, seed: int) -> Estimate:
    """Krippendorff's alpha over links, of documents that two raters or more have marked.

    The interval draws documents anew, so it is None for a single one. Raises `DataError` where a
    rater has a document twice.
    """
    documents: defaultdict[tuple[str, int], list[Clusters]] = defaultdict(list)
    for name, marked in raters.items():
        seen = Counter(one.key for one in marked)
        if twice := [one.title for one in marked if seen[one.key] > 1]:
            raise DataError(f"rater {name!r} has document {twice[0]!r} twice")
        for one in marked:
            documents[one.key].append(one.clusters)
    rows = np.array([_sum_distances(one) for one in documents.values() if len(one) > 1]).reshape(
        -1, 4
    )
    value = float(_alpha_of_sums(rows.sum(axis=0), (rows[:, 2] ** 2).sum()))
    if len(rows) < 2:
        return Estimate(None if np.isnan(value) else value, None, None)
    own, repeats = resample.distinct(rows)
    drawn = [
        _alpha_of_sums(weights @ own, weights @ own[:, 2] ** 2)
        for weights in resample.redraws(repeats, rounds, seed)
    ]
    return estimate(value, np.concatenate(drawn))


def pairwise_conll(raters: Raters) -> dict[tuple[str, str], float]:
    """The CoNLL F1 of each pair of raters, of the documents that both have marked.

    F1 is the same whichever of the two is the key. Pairs without a common document are left out.
    """
    found = {}
    for first, second in combinations(raters, 2):
        other = {one.key: one for one in raters[second]}
        both = [one for one in raters[first] if one.key in other]
        if both:
            metrics = [METRICS[name] for name in CONLL]
            table = coreference.count(both, [other[one.key] for one in both], metrics)
            found[first, second] = table.conll
    return found


def _sum_distances(raters: Sequence[Clusters]) -> list[float]:
    """Of a document: disagreement within mentions, values, empty values, and likeness of values.

    The first is the sum, over mentions, of the distances of all ordered pairs of raters divided by
    the raters less one. Likeness is 1 - distance, summed over all ordered pairs of the document's
    values: only sets that share a mention have any, so that the others are never compared.
    """
    places = [{m: frozenset(one) for one in clusters for m in one} for clusters in raters]
    mentions = list(dict.fromkeys(m for place in places for m in place))
    nothing: Marked = frozenset()
    values = {m: [place.get(m, nothing) for place in places] for m in mentions}
    apart = sum(
        2 * sum(masi(one, other) for one, other in combinations(own, 2)) for own in values.values()
    ) / (len(raters) - 1)
    often = Counter(value for own in values.values() for value in own)
    empty = often.pop(nothing, 0)
    meeting = {pair: None for own in values.values() for a in own for pair in ((a, b) for b in own)}
    alike = sum(often[a] * often[b] * _likeness(a, b) for a, b in meeting if a and b)
    return [apart, len(mentions) * len(raters), empty, alike + empty**2]


def _alpha_of_sums(sums: Floats, squares: Floats) -> Floats:
    """Compute alpha of summed rows of `_sum_distances`; `squares` sums those of empty values.

    Values of two documents have nothing in common, but for empty ones, which are equal.
    """
    apart, number, empty, alike = np.moveaxis(sums, -1, 0)
    between = empty**2 - squares
    expected = number**2 - alike - between
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 1e-12, 1 - (number - 1) * apart / expected, np.nan)


def _likeness(one: Marked, other: Marked) -> float:
    if one == other:
        return 1.0
    shared = len(one & other)
    if not shared:
        return 0.0
    inside = shared == min(len(one), len(other))
    return shared / len(one | other) * (2 / 3 if inside else 1 / 3)
