"""What raters say of a sample of utterances: shares and agreement, with how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from corefmill.builders.translate.delta.readability import CLASSES
from corefmill.builders.translate.ratings import QUESTIONS, Ratings
from corefmill.corpora.errors import UsageError
from corefmill.corpora.scoring import agreement
from corefmill.corpora.scoring.agreement import Floats

ROUNDS = 1000
TOTAL = "all"
CORPUS = "corpus"
"""The classes weighed by how many utterances of the corpus are in each."""

_BLOCK = 4_000_000


def _alpha(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha with the nominal metric: 1 - D_o / D_e, over pairable answers."""
    table, often = _pairable(counts, weights)
    size = table.sum(axis=1)
    apart = (size**2 - (table**2).sum(axis=1)) / np.maximum(size - 1, 1)
    totals = often @ table
    number = totals.sum(axis=-1)
    expected = number**2 - (totals**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - (number - 1) * (often @ apart) / expected, np.nan)


def _observed(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """The share of pairs of raters that agree on an item, averaged over items."""
    table, often = _pairable(counts, weights)
    size = table.sum(axis=1)
    same = (table * (table - 1)).sum(axis=1) / np.maximum(size * (size - 1), 1)
    return _mean(often, same)


def _unanimous(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """The share of items on which all raters who answered gave the same answer."""
    table, often = _pairable(counts, weights)
    return _mean(often, (table.max(axis=1) == table.sum(axis=1)).astype(np.float64))


def _share(counts: ArrayLike, value: int, weights: ArrayLike | None = None) -> Floats:
    """The share of all answers that are `value` (a column), those of single raters included."""
    table = np.asarray(counts, dtype=np.float64)
    often = _weights(table, weights)
    totals = often @ table
    return _divided(totals[..., value], totals.sum(axis=-1))


def _majority(counts: ArrayLike, value: int, weights: ArrayLike | None = None) -> Floats:
    """The share of answered items that more than half of their raters gave `value`."""
    table = np.asarray(counts, dtype=np.float64)
    often = _weights(table, weights) * (table.sum(axis=1) > 0)
    return _mean(often, (2 * table[:, value] > table.sum(axis=1)).astype(np.float64))


def _draws(strata: ArrayLike, rounds: int, seed: int) -> Iterator[Floats]:
    """Weights of items drawn anew with replacement, in blocks of shape (rounds, items).

    `strata`, of shape (items,), names the group of each item; as many are drawn from each group as
    it has.
    """
    groups = np.unique(np.asarray(strata), return_inverse=True)[1]
    places = [np.flatnonzero(groups == group) for group in range(groups.max(initial=-1) + 1)]
    draw = np.random.default_rng(seed)
    size = max(1, _BLOCK // max(1, len(groups)))
    for start in range(0, rounds, size):
        block = np.zeros((min(size, rounds - start), len(groups)))
        for own in places:
            even = np.full(len(own), 1 / len(own))
            block[:, own] = draw.multinomial(len(own), even, size=len(block))
        yield block


def _pairable(counts: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    """The items with two answers or more, and their weights."""
    table = np.asarray(counts, dtype=np.float64)
    often = _weights(table, weights)
    enough = table.sum(axis=1) >= 2
    return table[enough], often[..., enough]


def _weights(table: Floats, weights: ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(len(table))
    return np.asarray(weights, dtype=np.float64)


def _mean(often: Floats, values: Floats) -> Floats:
    return _divided(often @ values, often.sum(axis=-1))


def _divided(above: Floats, below: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, above / below, np.nan)


_MEASURES: dict[str, Callable[[Floats, Floats | None], Floats]] = {
    "yes": lambda counts, weights: _share(counts, 1, weights),
    "majority": lambda counts, weights: _majority(counts, 1, weights),
    "observed": _observed,
    "unanimous": _unanimous,
    "alpha": _alpha,
}


@dataclass(frozen=True, slots=True)
class ClassRatings:
    """One question's answers in one class: items that anyone answered, answers, measures.

    `yes` is the share of answers that are yes, `majority` that of items which more than half of
    their raters accept, `observed` the pairs of raters that agree, `unanimous` the items without
    dissent, `alpha` Krippendorff's.
    """

    items: int
    answers: int
    measures: Mapping[str, agreement.Estimate]


def judge(
    rated: Ratings, rounds: int = ROUNDS, seed: int = 0
) -> dict[str, dict[str, ClassRatings]]:
    """Question -> class (with `all`, and `corpus` for the shares alone) -> judgement.

    Items are drawn anew within their class for the intervals. Raises `UsageError` where there is no
    answer at all, or fewer than one round.
    """
    if rounds < 1:
        raise UsageError(f"{rounds} draws: at least one is needed")
    if not any(own for question in rated.answers.values() for own in question.values()):
        raise UsageError(
            "no sheet has an answer", remedy="fill grammatical and acceptable with 1 or 0"
        )
    return {question: _question(rated, question, rounds, seed) for question in QUESTIONS}


def _question(rated: Ratings, question: str, rounds: int, seed: int) -> dict[str, ClassRatings]:
    names = list(rated.levels)
    levels = np.array([rated.levels[name] for name in names])
    counts = np.array(
        [
            [list(rated.answers[question][n].values()).count(v) for v in (False, True)]
            for n in names
        ],
        dtype=np.float64,
    )
    weights = np.concatenate(list(_draws(levels, rounds, seed)))
    found = {}
    for level in (*CLASSES, TOTAL):
        own = (levels == level) | (level == TOTAL)
        if own.any():
            found[level] = _judged(counts[own], weights[:, own])
    found[CORPUS] = _weighed(rated, counts, levels, weights)
    return found


def _judged(counts: Floats, weights: Floats) -> ClassRatings:
    measures = {
        name: agreement.estimate(float(measure(counts, None)), measure(counts, weights))
        for name, measure in _MEASURES.items()
    }
    return ClassRatings(int((counts.sum(axis=1) > 0).sum()), int(counts.sum()), measures)


def _weighed(rated: Ratings, counts: Floats, levels: np.ndarray, weights: Floats) -> ClassRatings:
    """The shares in the corpus: each class counts as it has utterances, not as it was drawn."""
    answered = counts.sum(axis=1) > 0
    there = [level for level in CLASSES if (answered & (levels == level)).any()]
    sizes = np.array([rated.population[level] for level in there], dtype=np.float64)
    measures = {}
    for name in ("yes", "majority"):
        measure = _MEASURES[name]
        own = [measure(counts[levels == level], None) for level in there]
        drawn = [measure(counts[levels == level], weights[:, levels == level]) for level in there]
        value = float(sizes @ np.array(own) / sizes.sum())
        measures[name] = agreement.estimate(value, sizes @ np.stack(drawn) / sizes.sum())
    return ClassRatings(int(answered.sum()), int(counts.sum()), measures)
