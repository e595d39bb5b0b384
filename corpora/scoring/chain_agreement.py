"""How far raters agree on the clusters of documents: alpha over links, and CoNLL F1 by pair.

Alpha over links is Krippendorff's alpha with a distance of sets, as Passonneau (2004, Computing
Reliability for Coreference Annotation) has it: what a rater says of a mention is the cluster that
it is in, itself included, and two clusters are MASI apart (Passonneau 2006, Measuring Agreement on
Set-Valued Items): 1 - J * M, where J is Jaccard's index, and M is 1 for equal sets, 2/3 where one
holds the other, 1/3 where they overlap, 0 else. A mention that a rater did not mark is the empty
set, at distance 1 from every cluster. So links decide, and a rater who splits a cluster in two is
nearer than one who puts its mentions elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

import numpy as np

from corefmill.corpora.errors import DataError
from corefmill.corpora.scoring import coreference, resample
from corefmill.corpora.scoring.agreement import Estimate, Floats, estimate
from corefmill.corpora.scoring.alignment import Clusters
from corefmill.corpora.scoring.metrics import CONLL, METRICS
from corefmill.corpora.scoring.units import ScoredDocument

Marked = frozenset[Hashable]
"""What a rater says of a mention: the mentions of its cluster, none where it is not marked."""

Raters = Mapping[str, Sequence[ScoredDocument]]
"""The documents that each rater marked, by the rater's name."""


def masi(one: Marked, other: Marked) -> float:
    """The distance of two sets, from 0 (equal) to 1 (nothing in common)."""
    return 1 - _likeness(one, other)


def alpha(raters: Raters, rounds: int, seed: int) -> Estimate:
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
    rows = np.array([_sums(one) for one in documents.values() if len(one) > 1]).reshape(-1, 4)
    value = float(_alpha(rows.sum(axis=0), (rows[:, 2] ** 2).sum()))
    if len(rows) < 2:
        return Estimate(None if np.isnan(value) else value, None, None)
    own, repeats = resample.distinct(rows)
    drawn = [
        _alpha(weights @ own, weights @ own[:, 2] ** 2)
        for weights in resample.redraws(repeats, rounds, seed)
    ]
    return estimate(value, np.concatenate(drawn))


def conll(raters: Raters) -> dict[tuple[str, str], float]:
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


def _sums(raters: Sequence[Clusters]) -> list[float]:
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


def _alpha(sums: Floats, squares: Floats) -> Floats:
    """Alpha of summed rows of `_sums`; `squares` is the sum of the squares of empty values.

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
