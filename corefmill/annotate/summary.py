"""What raters said of a question: shares, agreement and pace, with models beside people.

Shares are of items: an item counts as the share of its people that gave an answer. Only people's
answers make a share; a model's votes make it surer (PPI++), and may stand alone only where the
alt-test allows it (model_votes.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corefmill.annotate import judgements, model_votes
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.model_votes import AlternativeTest, PoweredMean
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.scoring import agreement
from corefmill.corpora.scoring.agreement import Estimate, Floats


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """`rounds` draws of `seed` make the intervals of agreement; the rest is the alt-test's."""

    rounds: int = 1000
    seed: int = 0
    epsilon: float = model_votes.EPSILON
    least_people: int = model_votes.LEAST_PEOPLE


@dataclass(frozen=True, slots=True)
class RaterSummary:
    """One rater: `agreement` is how many of the other people on an item (where there are none: of
    the other models) gave the same answer, averaged over items; `seconds` is the median."""

    rater: str
    person: bool
    items: int
    skipped: int
    shares: Mapping[str, Estimate]
    agreement: Estimate
    seconds: float | None


@dataclass(frozen=True, slots=True)
class PairSummary:
    """Two raters on the items that both answered; `people` counts the people among them."""

    raters: tuple[str, str]
    people: int
    items: int
    observed: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """Agreement within a group (people, models, all); `items` have two answers or more."""

    group: str
    raters: int
    items: int
    observed: Estimate
    fleiss: Estimate
    alpha: Estimate


@dataclass(frozen=True, slots=True)
class WithModel:
    """Shares from people and one model: of `items` both answered, of `votes` only the model.

    `alone` are the shares of the same items without it. `refused` says why there is no alt-test.
    """

    model: str
    items: int
    votes: int
    alone: Mapping[str, Estimate]
    shares: Mapping[str, Estimate]
    power: Mapping[str, float]
    test: AlternativeTest | None
    refused: str | None


@dataclass(frozen=True, slots=True)
class QuestionSummary:
    """What is reported of a question: `shares` are people's, `first` and `last` the dates of the
    oldest and newest judgement that counts."""

    question: str
    items: int
    answers: int
    skipped: int
    people: int
    models: int
    seconds: float | None
    first: str | None
    last: str | None
    shares: Mapping[str, Estimate]
    groups: Sequence[GroupSummary]
    raters: Sequence[RaterSummary]
    pairs: Sequence[PairSummary]
    with_models: Sequence[WithModel]


MOST_SHARES = 8
"""Answers of which shares are given: of a question that is answered by names there are too many."""


class AnswerMatrix:
    """The answers of a question as numbers: `codes` (items, raters), -1 where there is none."""

    def __init__(self, said: Sequence[Judgement]) -> None:
        answered = [one for one in said if one.answer]
        given = dict.fromkeys(one.answer for one in answered)
        # Yes before no, and other answers by their names.
        self.answers = sorted(given, key=lambda one: (one not in ("yes", "no"), one != "yes", one))
        self.items = list(dict.fromkeys(one.item for one in answered))
        self.raters = list(dict.fromkeys((one.rater, one.person) for one in said))
        self.codes = np.full((len(self.items), len(self.raters)), -1)
        place = {item: number for number, item in enumerate(self.items)}
        column = {rater: number for number, rater in enumerate(self.raters)}
        code = {answer: number for number, answer in enumerate(self.answers)}
        for one in answered:
            self.codes[place[one.item], column[one.rater, one.person]] = code[one.answer]

    def of(self, person: bool) -> list[int]:
        """The columns of people, or of models."""
        return [number for number, (_, kind) in enumerate(self.raters) if kind == person]

    @property
    def shown(self) -> list[tuple[int, str]]:
        """The answers of which shares are given, with their codes; of yes and no, yes alone."""
        if len(self.answers) > MOST_SHARES:
            return []
        both = {*self.answers} <= {"yes", "no"}
        return [(n, one) for n, one in enumerate(self.answers) if not both or one == "yes"] or [
            (n, one) for n, one in enumerate(self.answers)
        ]

    def counts(self, raters: Sequence[int]) -> Floats:
        """How many of these raters gave each answer to each item."""
        own = self.codes[:, list(raters)]
        made = [(own == code).sum(axis=1) for code in range(len(self.answers))]
        return np.array(made, dtype=np.float64).reshape(len(self.answers), len(self.items)).T

    def share(self, raters: Sequence[int], code: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Of each item that these raters answered the share that gave this answer; and which."""
        own = self.codes[:, list(raters)]
        answered: NDArray[np.bool_] = np.any(own >= 0, axis=1)
        return (own == code).sum(axis=1)[answered] / (own >= 0).sum(axis=1)[answered], answered

    def said(self, rater: int) -> dict[str, str]:
        """A rater's answers by item."""
        column = self.codes[:, rater]
        return {self.items[n]: self.answers[column[n]] for n in np.flatnonzero(column >= 0)}


def by_question(said: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """The judgements that count, by question; a rater who is both person and model is refused."""
    found: defaultdict[str, list[Judgement]] = defaultdict(list)
    kinds: dict[str, bool] = {}
    for one in judgements.newest(said):
        if kinds.setdefault(one.rater, one.person) != one.person:
            raise DataError(
                f"rater {one.rater!r} is a person in one judgement and a model in another",
                remedy="give each its own name",
            )
        found[one.question].append(one)
    return dict(found)


def summary(question: str, said: Sequence[Judgement], settings: SummarySettings) -> QuestionSummary:
    """Summarise one question, of the judgements that `by_question` gives for it."""
    table = AnswerMatrix(said)
    people, models = table.of(True), table.of(False)
    raters = [*people, *models]
    groups = [("people", people), ("models", models)]
    groups += [("all", raters)] if people and models else []
    dates = [judgements.time(one.when).date().isoformat() for one in said if one.when]
    return QuestionSummary(
        question=question,
        items=len(table.items),
        answers=int((table.codes >= 0).sum()),
        skipped=sum(not one.answer for one in said),
        people=len(people),
        models=len(models),
        seconds=_median(one for one in said if one.person),
        first=min(dates, default=None),
        last=max(dates, default=None),
        shares={
            answer: _share(table.share(people, code)[0]) for code, answer in table.shown if people
        },
        groups=[_group(name, table, own, settings) for name, own in groups if len(own) > 1],
        raters=[_rater(table, number, said, settings) for number in raters],
        pairs=[_pair(table, a, b, settings) for a, b in combinations(raters, 2)],
        with_models=[_with_model(table, people, model, settings) for model in models if people],
    )


def _median(said: Iterable[Judgement]) -> float | None:
    """The median of the seconds that these judgements took, where any of them says it."""
    times = [one.seconds for one in said if one.seconds is not None]
    return median(times) if times else None


def _share(values: ArrayLike) -> Estimate:
    """The mean over items with its interval; None of fewer than two."""
    own = np.asarray(values, dtype=np.float64)
    if len(own) < 2:
        return Estimate(float(own.mean()) if len(own) else None, None, None)
    return _estimate(model_votes.powered_mean(own, own, [], power=0))


def _estimate(mean: PoweredMean) -> Estimate:
    return Estimate(min(max(mean.value, 0.0), 1.0), mean.low, mean.high)


def _group(
    name: str, table: AnswerMatrix, raters: Sequence[int], settings: SummarySettings
) -> GroupSummary:
    counts = table.counts(raters)
    counts = counts[counts.sum(axis=1) >= 2]
    draws = settings.rounds, settings.seed
    return GroupSummary(
        name,
        len(raters),
        len(counts),
        agreement.bootstrap_interval(agreement.observed_agreement, counts, *draws),
        agreement.bootstrap_interval(agreement.fleiss, counts, *draws),
        agreement.bootstrap_interval(agreement.alpha, counts, *draws),
    )


def _pair(table: AnswerMatrix, one: int, other: int, settings: SummarySettings) -> PairSummary:
    pairs = table.codes[:, [one, other]]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    draws = settings.rounds, settings.seed
    (first, person), (second, other_person) = table.raters[one], table.raters[other]
    return PairSummary(
        (first, second),
        person + other_person,
        len(pairs),
        agreement.bootstrap_interval(agreement.same, pairs, *draws),
        agreement.bootstrap_interval(agreement.cohen, pairs, *draws),
    )


def _rater(
    table: AnswerMatrix,
    number: int,
    said: Sequence[Judgement],
    settings: SummarySettings,
) -> RaterSummary:
    name, person = table.raters[number]
    own = [one for one in said if one.rater == name]
    column = table.codes[:, [number]]
    others = [one for one in table.of(True) or table.of(False) if one != number]
    rest = table.codes[:, others]
    met = (column[:, 0] >= 0) & (rest >= 0).any(axis=1)
    like = (rest == column).sum(axis=1)[met] / (rest >= 0).sum(axis=1)[met]
    answered = int((column >= 0).sum())
    return RaterSummary(
        name,
        person,
        answered,
        sum(not one.answer for one in own),
        {a: _share(column[column >= 0] == code) for code, a in table.shown if answered},
        agreement.bootstrap_interval(agreement.mean, like, settings.rounds, settings.seed),
        _median(own),
    )


def _with_model(
    table: AnswerMatrix, people: Sequence[int], model: int, settings: SummarySettings
) -> WithModel:
    votes = table.codes[:, model]
    alone, shares, power = {}, {}, {}
    both = more = 0
    test, refused = None, None
    try:
        test = model_votes.alternative_test(
            {table.raters[one][0]: table.said(one) for one in people},
            table.said(model),
            epsilon=settings.epsilon,
            least_people=settings.least_people,
        )
    except UsageError as error:
        refused = error.message
    for code, answer in table.shown:
        values, answered = table.share(people, code)
        seen = votes >= 0
        said = values[seen[answered]]
        chosen = votes == code
        own, others = chosen[answered & seen], chosen[~answered & seen]
        both, more = len(said), len(others)
        if both > 1:
            alone[answer] = _share(said)
            found = model_votes.powered_mean(said, own, others)
            shares[answer], power[answer] = _estimate(found), found.power
    return WithModel(table.raters[model][0], both, more, alone, shares, power, test, refused)
