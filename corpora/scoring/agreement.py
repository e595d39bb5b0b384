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

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure with its 95 % interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


def estimate(value: float, drawn: Floats) -> Estimate:
    """Make an estimate of a value and the middle 95 % of its draws."""
    low, high = resample.middle(drawn)
    if math.isnan(value) or math.isnan(low):
        return Estimate(None if math.isnan(value) else value, None, None)
    return Estimate(value, low, high)


def bootstrap_interval(
    measure: Callable[[Floats], float], rows: ArrayLike, rounds: int, seed: int
) -> Estimate:
    """Measure all rows, with an interval over rows drawn with replacement; None for one row."""
    table = np.asarray(rows, dtype=np.float64)
    size = len(table)
    drawn = []
    if size > 1:
        draw, block = np.random.default_rng(seed), max(1, resample.BLOCK // size)
        for start in range(0, rounds, block):
            places = draw.integers(size, size=(min(block, rounds - start), size))
            drawn += [measure(table[own]) for own in places]
    return estimate(measure(table), np.array(drawn, dtype=np.float64))


def mean(values: ArrayLike) -> float:
    """Compute the mean, NaN of nothing."""
    return float(np.mean(np.asarray(values))) if np.size(values) else math.nan


def alpha(counts: ArrayLike) -> float:
    """Compute Krippendorff's alpha with the nominal metric, by the library `krippendorff`."""
    import krippendorff

    table = _pairable(counts)
    if (table.sum(axis=0) > 0).sum() < 2:
        return math.nan  # the library refuses raters who have nothing to disagree on
    return float(krippendorff.alpha(value_counts=table, level_of_measurement="nominal"))


def fleiss(counts: ArrayLike) -> float:
    """Compute Fleiss' kappa (1971): agreement beyond draws from the pooled shares.

    The paper has as many raters on every item. Where numbers differ, an item's agreement is here
    that of its own pairs, and the shares are those of all answers.
    """
    table = _pairable(counts)
    shares = table.sum(axis=0) / max(table.sum(), 1)
    return _beyond_chance(observed_agreement(table), float((shares**2).sum()))


def cohen(pairs: ArrayLike) -> float:
    """Compute Cohen's kappa (1960) of two raters: each has shares of his own."""
    table = np.asarray(pairs, dtype=np.float64)
    first, second = (table[:, column, np.newaxis] == np.unique(table) for column in (0, 1))
    expected = (first.sum(axis=0) * second.sum(axis=0)).sum() / max(len(table), 1) ** 2
    return _beyond_chance(same(table), float(expected))


def same(pairs: ArrayLike) -> float:
    """Compute the share of items with the same answer by two raters."""
    table = np.asarray(pairs)
    return mean(table[:, 0] == table[:, 1])


def observed_agreement(counts: ArrayLike) -> float:
    """Compute the share of agreeing pairs of raters on an item, averaged over items."""
    table = _pairable(counts)
    size = table.sum(axis=1)
    alike = (table * (table - 1)).sum(axis=1) / (size * (size - 1))
    return mean(alike)


def _pairable(counts: ArrayLike) -> Floats:
    """Select the items with two answers or more."""
    table = np.asarray(counts, dtype=np.float64)
    made: Floats = table[table.sum(axis=1) >= 2]
    return made


def _beyond_chance(seen: float, expected: float) -> float:
    """Compute the share of agreement reached beyond chance; NaN where chance leaves none."""
    # The expected is a sum of squares, which may miss 1 by a rounding.
    return (seen - expected) / (1 - expected) if 1 - expected > 1e-12 else math.nan


Marked = frozenset[Hashable]
"""A rater's value of a mention: the mentions of its cluster, none where it is not marked."""

Raters = Mapping[str, Sequence[ScoredDocument]]
"""The marked documents of each rater, by the rater's name."""


def link_alpha(raters: Raters, rounds: int, seed: int) -> Estimate:
    """Compute Krippendorff's alpha over links, of documents with two raters or more.

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
        return estimate(value, np.empty(0))
    own, repeats = resample.distinct(rows)
    drawn = [
        _alpha_of_sums(weights @ own, weights @ own[:, 2] ** 2)
        for weights in resample.redraws(repeats, rounds, seed)
    ]
    return estimate(value, np.concatenate(drawn))


def pairwise_conll(raters: Raters) -> dict[tuple[str, str], float]:
    """Compute the CoNLL F1 of each pair of raters over their common documents.

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
    """Sum a document: disagreement within mentions, values, empty values, likeness of values.

    The first is the sum, over mentions, of the distances of all ordered pairs of raters divided by
    the raters less one. Likeness is 1 - distance, summed over all ordered pairs of the document's
    values: only sets that share a mention have any, so that the others are never compared.
    """
    places = [{m: frozenset(one) for one in clusters for m in one} for clusters in raters]
    mentions = list(dict.fromkeys(m for place in places for m in place))
    nothing: Marked = frozenset()
    values = {m: [place.get(m, nothing) for place in places] for m in mentions}
    apart = sum(
        2 * sum(1 - _likeness(one, other) for one, other in combinations(own, 2))
        for own in values.values()
    ) / (len(raters) - 1)
    # Expected disagreement compares all values with each other: of a novel, millions of pairs.
    # Only pairs that meet at a mention can be alike, so that the others need no look.
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
    """Compute 1 less the MASI distance of two sets, from 0 (nothing in common) to 1 (equal)."""
    if one == other:
        return 1.0
    shared = len(one & other)
    if not shared:
        return 0.0
    inside = shared == min(len(one), len(other))
    return shared / len(one | other) * (2 / 3 if inside else 1 / 3)
