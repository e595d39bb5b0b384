"""What raters said of a question: shares, agreement and pace, with models beside people.

Shares are of items: an item counts as the share of its people that gave an answer. Only people's
answers make a share; a model's votes make it surer (powered.py), and may stand alone only where the
alt-test allows it (alternative.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np
from numpy.typing import ArrayLike

from corefmill.annotate import alternative, judgements, latent, powered
from corefmill.annotate.alternative import AlternativeTest
from corefmill.annotate.answer_matrix import AnswerMatrix
from corefmill.annotate.judgements import Judgement
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.scoring import agreement
from corefmill.corpora.scoring.agreement import Estimate, Floats


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """`rounds` draws of `seed` make the intervals of agreement; the rest is the alt-test's. `next`
    is how many items are named that people should see next, `consolidated` the rater whose answers
    are the consolidated reading that the others are held against."""

    rounds: int = 1000
    seed: int = 0
    epsilon: float = alternative.EPSILON
    least_people: int = alternative.LEAST_PEOPLE
    next: int = 0
    consolidated: str | None = None


@dataclass(frozen=True, slots=True)
class RaterSummary:
    """One rater: `agreement` is how many of the other people on an item (where there are none: of
    the other models) gave the same answer, averaged over items; `accuracy` is Dawid and Skene's,
    from three raters on; `seconds` the median."""

    rater: str
    person: bool
    items: int
    skipped: int
    shares: Mapping[str, Estimate]
    agreement: Estimate
    accuracy: float | None
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
    `votes_alone` are shares by all of the model's votes, given only where it passed.
    """

    model: str
    items: int
    votes: int
    alone: Mapping[str, Estimate]
    shares: Mapping[str, Estimate]
    power: Mapping[str, float]
    test: AlternativeTest | None
    refused: str | None
    votes_alone: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class AgainstConsolidated:
    """A rater's yes against the consolidated reading's, with Cohen's kappa, as WEC (2021), 3.3,
    reports its validation."""

    rater: str
    items: int
    precision: Estimate
    recall: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class QuestionSummary:
    """All that is reported of a question; `shares` are people's, `joint` Dawid and Skene's of all
    raters. `first` and `last` are the dates of the oldest and newest judgement that counts."""

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
    joint: Mapping[str, float]
    groups: Sequence[GroupSummary]
    raters: Sequence[RaterSummary]
    pairs: Sequence[PairSummary]
    with_models: Sequence[WithModel]
    against: Sequence[AgainstConsolidated]
    next: Sequence[str]


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


def without_people(own: QuestionSummary) -> None:
    """Raises `UsageError` unless some model may stand in for people on this question."""
    reasons = []
    for one in own.with_models:
        if one.test is None:
            reasons.append(one.refused)
        elif one.test.passed:
            return
        else:
            won = sum(person.won for person in one.test.against)
            reasons.append(
                f"{one.model!r} is as near to the others as {won} of {len(one.test.against)} people"
                f" (epsilon {one.test.epsilon:g})"
            )
    raise UsageError(
        f"people cannot be dropped from {own.question!r}: no model passed the alt-test"
        + (f"; {reasons[0]}" if reasons else "; there is no model")
    )


def summary(question: str, said: Sequence[Judgement], settings: SummarySettings) -> QuestionSummary:
    """The summary of one question, of the judgements that `by_question` gives for it.

    The consolidated reading is no rater of its own: it is in none of the other figures.
    """
    every, whole = said, AnswerMatrix(said)
    said = [one for one in every if one.rater != settings.consolidated]
    table = AnswerMatrix(said)
    people, models = table.of(True), table.of(False)
    raters = [*people, *models]
    joint = table.joint()
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
        joint={answer: float(joint.shares[code]) for code, answer in table.shown if joint},
        groups=list(_groups(table, people, models, settings)),
        raters=[_rater(table, number, said, joint, settings) for number in raters],
        pairs=[_pair(table, a, b, settings) for a, b in combinations(raters, 2)],
        with_models=[_with_model(table, people, model, settings) for model in models if people],
        against=_against(whole, settings) if len(said) < len(every) else [],
        next=table.wanted(joint, settings.next) if joint else [],
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
    return _estimate(powered.mean(own, own, [], power=0))


def _estimate(mean: powered.PoweredMean) -> Estimate:
    low, high = mean.score()
    return Estimate(float(np.clip(mean.value, 0, 1)), float(low), float(high))


def _groups(
    table: AnswerMatrix, people: Sequence[int], models: Sequence[int], settings: SummarySettings
) -> Iterator[GroupSummary]:
    """Agreement among people, among models, and, where there are both, among all."""
    for name, raters in (("people", people), ("models", models)):
        if len(raters) > 1:
            yield _group(name, table, raters, settings)
    if people and models:
        yield _group("all", table, [*people, *models], settings)


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
        agreement.bootstrapped(agreement.observed, counts, *draws),
        agreement.bootstrapped(agreement.fleiss, counts, *draws),
        agreement.bootstrapped(agreement.alpha, counts, *draws),
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
        agreement.bootstrapped(agreement.same, pairs, *draws),
        agreement.bootstrapped(agreement.cohen, pairs, *draws),
    )


def _against(table: AnswerMatrix, settings: SummarySettings) -> list[AgainstConsolidated]:
    """Every rater against the consolidated reading, where the question has a yes."""
    if "yes" not in table.answers:
        return []
    yes = table.answers.index("yes")
    names = [name for name, _ in table.raters]
    gold = names.index(settings.consolidated or "")
    found = []
    for number, name in enumerate(names):
        pairs = table.codes[:, [number, gold]]
        pairs = pairs[(pairs >= 0).all(axis=1)]
        if number == gold or not len(pairs):
            continue
        own, right = (pairs == yes).T
        kappa = agreement.bootstrapped(agreement.cohen, pairs, settings.rounds, settings.seed)
        found.append(
            AgainstConsolidated(name, len(pairs), _share(right[own]), _share(own[right]), kappa)
        )
    return found


def _rater(
    table: AnswerMatrix,
    number: int,
    said: Sequence[Judgement],
    joint: latent.DawidSkene | None,
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
        agreement.bootstrapped(_mean, like[:, np.newaxis], settings.rounds, settings.seed),
        float(joint.accuracy()[number]) if joint else None,
        _median(own),
    )


def _mean(rows: ArrayLike, weights: ArrayLike | None) -> Floats:
    values, often = np.asarray(rows)[:, 0], np.asarray(weights)
    made: Floats = often @ values / often.sum(axis=-1)
    return made


def _with_model(
    table: AnswerMatrix, people: Sequence[int], model: int, settings: SummarySettings
) -> WithModel:
    votes = table.codes[:, model]
    alone, shares, power, votes_alone = {}, {}, {}, {}
    both = more = 0
    test, refused = None, None
    try:
        test = alternative.alternative_test(
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
            found = powered.mean(said, own, others)
            shares[answer], power[answer] = _estimate(found), float(found.power)
        if test is not None and test.passed:
            votes_alone[answer] = _share(chosen[seen])
    return WithModel(
        table.raters[model][0], both, more, alone, shares, power, test, refused, votes_alone
    )
