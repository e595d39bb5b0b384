"""What raters say of a sample of utterances: shares and agreement, with how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from corefmill.builders.translate.delta.readability import CLASSES
from corefmill.builders.translate.ratings import QUESTIONS, Ratings
from corefmill.corpora.errors import UsageError
from corefmill.corpora.scoring import agreement
from corefmill.corpora.scoring.agreement import Floats

ROUNDS = 1000
TOTAL = "all"
CORPUS = "corpus"
"""The classes weighed by how many utterances of the corpus are in each."""

_MEASURES: dict[str, Callable[[Floats, Floats | None], Floats]] = {
    "yes": lambda counts, weights: agreement.share(counts, 1, weights),
    "majority": lambda counts, weights: agreement.majority(counts, 1, weights),
    "observed": agreement.observed,
    "unanimous": agreement.unanimous,
    "alpha": agreement.alpha,
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
    weights = np.concatenate(list(agreement.draws(levels, rounds, seed)))
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
