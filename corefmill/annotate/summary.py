"""Summarise raters' answers to a question: shares, agreement, pace, and models beside people.

Shares are of items: an item counts as the share of its people that gave an answer. Only people's
answers make a share. A model's votes make it more precise by `powered_mean`, and may stand alone
only where `alternative_test` allows it.

- `alternative_test`: may a model stand in for a person? Calderon, Reichart and Dror 2025, The
  Alternative Annotator Test for LLM-as-a-Judge, section 3. Each person is left out in turn, and on
  every item the person and the model are compared by their distance from the others. A model passes
  that is nearer than half of the people, when people are charged epsilon for their cost.
- `powered_mean`: a mean over items from the answers of people on some and the votes of a model on
  all. PPI++ with power tuning: Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient
  Prediction-Powered Inference, example 1 and section 6. A model may be wrong as often as it likes
  and the interval holds, on one condition: **the items that people answered are a random draw of
  all items**.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control, norm  # type: ignore[import-untyped]
from scipy.stats import t as student

from corefmill.annotate import judgements
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.store import find_median
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.scoring import agreement
from corefmill.corpora.scoring.agreement import Estimate, Floats
from corefmill.corpora.scoring.table import LEVEL

LEAST_ITEMS = 50
"""The paper asks for 50 to 100, each answered by the model and at least two people."""
LEAST_OF_A_PERSON = 30
"""Below, the t-test's mean is not near enough to normal; that person is not compared."""

Said = Mapping[str, str]
"""Answers of a rater by item."""


@dataclass(frozen=True, slots=True)
class LeftOutPerson:
    """The comparison of the model with one person, on items that others answered as well.

    `model` is the share of items on which the model is as near to the others as this person or
    nearer (the paper's rho of f), `person` the reverse (rho of h); `p` is that of the one-sided
    t-test of `person - model < epsilon`, `won` whether it stands after Benjamini-Yekutieli.
    """

    rater: str
    items: int
    model: float
    person: float
    p: float
    won: bool


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """The outcome of the alt-test.

    `winning_rate` is the share of people whom the model beats (omega), `advantage` the mean of
    `model` over all people (rho), by which models are compared.
    """

    epsilon: float
    items: int
    against: tuple[LeftOutPerson, ...]
    winning_rate: float
    advantage: float

    @property
    def passes(self) -> bool:
        """Whether the model wins against half of the people."""
        return self.winning_rate >= 0.5


def alternative_test(
    people: Mapping[str, Said], model: Said, *, epsilon: float = 0.1, least_people: int = 3
) -> AlternativeTest:
    """Test one model against people's answers to one question.

    Raises `UsageError` where fewer than `least_people` have 30 items or fewer than 50 items count:
    those that the model and two people answered.
    """
    # An item counts where somebody is left to compare with when one person is left out.
    answers = list(people.values())
    counted = {item for item in model if sum(item in said for said in answers) >= 2}
    own = {rater: [item for item in said if item in counted] for rater, said in people.items()}
    compared = {rater: items for rater, items in own.items() if len(items) >= LEAST_OF_A_PERSON}
    if len(compared) < least_people or len(counted) < LEAST_ITEMS:
        raise UsageError(
            f"the alt-test needs {least_people} people of {LEAST_OF_A_PERSON} items each and "
            f"{LEAST_ITEMS} items that the model and two people answered; there are "
            f"{len(compared)} and {len(counted)}"
        )
    found: list[tuple[str, int, float, float, float]] = []
    for rater, items in compared.items():
        ours, theirs = [], []  # how many of the others agree with the model, and with this person
        for item in items:
            rest = [said[item] for name, said in people.items() if name != rater and item in said]
            ours.append(rest.count(model[item]))
            theirs.append(rest.count(people[rater][item]))
        # With nominal answers the nearer one agrees with more of the others; a tie is for both.
        nearer, other = (np.greater_equal(*pair) for pair in ((ours, theirs), (theirs, ours)))
        apart = other.astype(int) - nearer
        mean, error = float(apart.mean()), float(apart.std(ddof=1)) / math.sqrt(len(apart))
        # The null hypothesis: this person is better than the model by epsilon or more.
        if error:
            p = float(student.cdf((mean - epsilon) / error, len(apart) - 1))
        else:
            p = 0.0 if mean < epsilon else 1.0
        found.append((rater, len(items), float(nearer.mean()), float(other.mean()), p))
    # The same votes are tested against each person, so that the tests depend on each other: the
    # paper takes Benjamini-Yekutieli, which allows for any dependence.
    won = false_discovery_control([one[-1] for one in found], method="by") <= 0.05
    against = tuple(LeftOutPerson(*one, bool(own)) for one, own in zip(found, won, strict=True))
    advantage = float(np.mean([one.model for one in against]))
    return AlternativeTest(epsilon, len(counted), against, float(np.mean(won)), advantage)


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """An estimated share with its standard error, 95 % interval, and the power of the votes."""

    value: float
    error: float
    power: float
    low: float
    high: float


def powered_mean(
    said: ArrayLike, votes: ArrayLike, more: ArrayLike, power: float | None = None
) -> PoweredMean:
    """Estimate the mean of people's answers to an item, from 0 to 1.

    The interval is Wilson's, with the number of answers that would have this error: it stays
    between 0 and 1 and covers where shares are near them and answers few, which the paper's normal
    one does not. Where votes have power the number is less what estimating that costs: two of n,
    and Student's t for the normal. Without, intervals of 100 answers hold the truth in 93.3 % for
    good models.

    Args:
        said: People's answers to n items, 2 or more.
        votes: The model's votes on the same items.
        more: Its votes on the items without an answer.
        power: lambda. 0 is the mean of people alone; None estimates the one with the least error,
            kept between 0 and 1. Where votes do not vary it is 0.
    """
    y, f, rest = (np.asarray(one, dtype=np.float64) for one in (said, votes, more))
    n, others = len(y), len(rest)
    if not others:
        power, rest, others = 0.0, np.zeros(1), 1
    # The power that makes the error least: how far the votes follow the answers (the covariance),
    # over how far the votes spread. Against the answers, or without any spread, they are not used.
    if power is None:
        shared = ((y - y.mean()) * (f - f.mean())).mean()
        spread = (1 + n / others) * np.concatenate([f, rest]).var(ddof=1)
        power = float(np.clip(shared / spread, 0, 1)) if spread > 0 else 0.0
    value = y.mean() - power * (f.mean() - rest.mean())
    error = math.sqrt((y - power * f).var() / n + power**2 * rest.var() / others)
    # The number of answers of people alone that would have the same error.
    share = min(max(float(value), 0.0), 1.0)
    known = error > 0 and 0 < share < 1
    number = share * (1 - share) / error**2 if known else float(n)
    if power > 0 and n > 2:
        upper = (1 + LEVEL) / 2
        number *= (n - 2) / n * (norm.ppf(upper) / student.ppf(upper, n - 2)) ** 2
    return PoweredMean(float(value), error, power, *compute_wilson_interval(share, number))


def compute_wilson_interval(share: float, number: float) -> tuple[float, float]:
    """Compute Wilson's interval (1927) of a share of `number` answers, whole or not."""
    square = float(norm.ppf((1 + LEVEL) / 2)) ** 2
    middle = (share + square / (2 * number)) / (1 + square / number)
    reach = math.sqrt(square / number * (share * (1 - share) + square / (4 * number)))
    reach /= 1 + square / number
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """Settings of a report: `rounds` draws by `seed` for intervals, the others for the alt-test.

    Epsilon is the paper's value for crowd-workers, its strictest. The paper advises three people:
    with two, no group is left to compare the left-out person with.
    """

    rounds: int = 1000
    seed: int = 0
    epsilon: float = 0.1
    least_people: int = 3


@dataclass(frozen=True, slots=True)
class RaterSummary:
    """The answers of one rater in a report, with the median of the seconds.

    `agreement` is the share of the other people on an item (without people: of the other models)
    with the same answer, averaged over items.
    """

    rater: str
    person: bool
    items: int
    skipped: int
    shares: Mapping[str, Estimate]
    agreement: Estimate
    seconds: float | None


@dataclass(frozen=True, slots=True)
class PairSummary:
    """The agreement of two raters on their common items; `people` counts the people of them."""

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
    """Shares from people and one model: both answered `items`, the model alone `votes`.

    `alone` are the shares of the same items without the model; `refused` is the reason why the
    alt-test was impossible.
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
    """The report of a question: people's `shares`; dates of the oldest and newest judgement."""

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
"""Most answers with a share: a question answered by names has too many."""


class AnswerMatrix:
    """The answers of a question as numbers: `codes` (items, raters), -1 for no answer."""

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

    def list_columns(self, person: bool) -> list[int]:
        """List the numbers of the columns of people, or of models."""
        return [number for number, (_, kind) in enumerate(self.raters) if kind == person]

    @property
    def reported_answers(self) -> list[tuple[int, str]]:
        """The answers with a share, and their codes; of yes and no, yes alone."""
        if len(self.answers) > MOST_SHARES:
            return []
        both = {*self.answers} <= {"yes", "no"}
        return [(n, one) for n, one in enumerate(self.answers) if not both or one == "yes"] or [
            (n, one) for n, one in enumerate(self.answers)
        ]

    def counts(self, raters: Sequence[int]) -> Floats:
        """Count the answers of these raters, as an array of items by answers."""
        own = self.codes[:, list(raters)]
        made = [(own == code).sum(axis=1) for code in range(len(self.answers))]
        return np.array(made, dtype=np.float64).reshape(len(self.answers), len(self.items)).T

    def share(self, raters: Sequence[int], code: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Compute each item's share of raters with the answer `code`, and mask answered items."""
        own = self.codes[:, list(raters)]
        answered: NDArray[np.bool_] = np.any(own >= 0, axis=1)
        return (own == code).sum(axis=1)[answered] / (own >= 0).sum(axis=1)[answered], answered

    def answers_of(self, rater: int) -> dict[str, str]:
        """Map items to a rater's answers."""
        column = self.codes[:, rater]
        return {self.items[n]: self.answers[column[n]] for n in np.flatnonzero(column >= 0)}


def group_by_question(said: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Group the newest judgements by question; refuse a rater who is both person and model."""
    found: defaultdict[str, list[Judgement]] = defaultdict(list)
    kinds: dict[str, bool] = {}
    for one in judgements.keep_newest(said):
        if kinds.setdefault(one.rater, one.person) != one.person:
            raise DataError(
                f"rater {one.rater!r} is a person in one judgement and a model in another",
                remedy="give the person and the model different names",
            )
        found[one.question].append(one)
    return dict(found)


def summarise(
    question: str, said: Sequence[Judgement], settings: SummarySettings
) -> QuestionSummary:
    """Summarise the judgements on one question: shares, groups, raters, pairs, models."""
    table = AnswerMatrix(said)
    people, models = table.list_columns(True), table.list_columns(False)
    raters = [*people, *models]
    groups = [("people", people), ("models", models)]
    groups += [("all", raters)] if people and models else []
    dates = [judgements.parse_time(one.when).date().isoformat() for one in said if one.when]
    return QuestionSummary(
        question=question,
        items=len(table.items),
        answers=int((table.codes >= 0).sum()),
        skipped=sum(not one.answer for one in said),
        people=len(people),
        models=len(models),
        seconds=find_median(one.seconds for one in said if one.person),
        first=min(dates, default=None),
        last=max(dates, default=None),
        shares={
            answer: _estimate_share(table.share(people, code)[0])
            for code, answer in table.reported_answers
            if people
        },
        groups=[
            _summarise_group(name, table, own, settings) for name, own in groups if len(own) > 1
        ],
        raters=[_summarise_rater(table, number, said, settings) for number in raters],
        pairs=[_summarise_pair(table, a, b, settings) for a, b in combinations(raters, 2)],
        with_models=[_add_model(table, people, model, settings) for model in models if people],
    )


def _estimate_share(values: ArrayLike) -> Estimate:
    """Estimate the mean of shares over items, without an interval for fewer than two items."""
    own = np.asarray(values, dtype=np.float64)
    if len(own) < 2:
        return Estimate(float(own.mean()) if len(own) else None, None, None)
    return _clip_mean(powered_mean(own, own, [], power=0))


def _clip_mean(mean: PoweredMean) -> Estimate:
    """Make an estimate of a mean within [0, 1], which a model's votes may leave."""
    return Estimate(min(max(mean.value, 0.0), 1.0), mean.low, mean.high)


def _summarise_group(
    name: str, table: AnswerMatrix, raters: Sequence[int], settings: SummarySettings
) -> GroupSummary:
    """Measure the agreement within a group of raters."""
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


def _summarise_pair(
    table: AnswerMatrix, one: int, other: int, settings: SummarySettings
) -> PairSummary:
    """Measure the agreement of two raters."""
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


def _summarise_rater(
    table: AnswerMatrix, number: int, said: Sequence[Judgement], settings: SummarySettings
) -> RaterSummary:
    """Summarise the answers of one rater."""
    name, person = table.raters[number]
    own = [one for one in said if one.rater == name]
    column = table.codes[:, [number]]
    others = [one for one in table.list_columns(True) or table.list_columns(False) if one != number]
    rest = table.codes[:, others]
    met = (column[:, 0] >= 0) & (rest >= 0).any(axis=1)
    like = (rest == column).sum(axis=1)[met] / (rest >= 0).sum(axis=1)[met]
    answered = int((column >= 0).sum())
    return RaterSummary(
        name,
        person,
        answered,
        sum(not one.answer for one in own),
        {
            a: _estimate_share(column[column >= 0] == code)
            for code, a in table.reported_answers
            if answered
        },
        agreement.bootstrap_interval(agreement.mean, like, settings.rounds, settings.seed),
        find_median(one.seconds for one in own),
    )


def _add_model(
    table: AnswerMatrix, people: Sequence[int], model: int, settings: SummarySettings
) -> WithModel:
    """Combine the people's shares with the votes of one model, and test the model."""
    votes = table.codes[:, model]
    alone, shares, power = {}, {}, {}
    both = more = 0
    test, refused = None, None
    try:
        test = alternative_test(
            {table.raters[one][0]: table.answers_of(one) for one in people},
            table.answers_of(model),
            epsilon=settings.epsilon,
            least_people=settings.least_people,
        )
    except UsageError as error:
        refused = error.message
    for code, answer in table.reported_answers:
        # Of the items, those with answers of people and a vote calibrate the votes on the others.
        values, answered = table.share(people, code)
        seen = votes >= 0
        said = values[seen[answered]]
        chosen = votes == code
        own, others = chosen[answered & seen], chosen[~answered & seen]
        both, more = len(said), len(others)
        if both > 1:
            alone[answer] = _estimate_share(said)
            found = powered_mean(said, own, others)
            shares[answer], power[answer] = _clip_mean(found), found.power
    return WithModel(table.raters[model][0], both, more, alone, shares, power, test, refused)
