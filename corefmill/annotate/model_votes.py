"""What a model's votes are worth beside people's answers: the alt-test, and PPI++.

- `alternative_test`: may a model stand in for a person? Calderon, Reichart and Dror 2025, The
  Alternative Annotator Test for LLM-as-a-Judge, section 3. Each person is left out in turn, and on
  every item it is asked who is nearer to the others, that person or the model. A model passes that
  is nearer than half of the people, when people are charged epsilon for what they cost.
- `powered_mean`: a mean over items from the answers of people on some and the votes of a model on
  all. PPI++ with power tuning: Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient
  Prediction-Powered Inference, example 1 and section 6. A model may be wrong as often as it likes
  and the interval holds, on one condition: **the items that people answered are a random draw of
  all items**.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control, norm  # type: ignore[import-untyped]
from scipy.stats import t as student

from corefmill.corpora.errors import UsageError
from corefmill.corpora.scoring.table import LEVEL

LEAST_PEOPLE = 3
"""The paper's advice: with two there is no group that the left-out one could be compared with."""
LEAST_ITEMS = 50
"""Of 50 to 100 that the paper asks for, answered by the model and at least two people."""
LEAST_OF_A_PERSON = 30
"""Below, the t-test's mean is not near enough to normal; that person is not compared."""
EPSILON = 0.1
"""The paper's value for crowd-workers, its strictest; 0.15 for skilled raters, 0.2 for experts."""

Said = Mapping[str, str]
"""Answers of a rater by item."""


@dataclass(frozen=True, slots=True)
class LeftOutPerson:
    """How the model does against one person, on the items that both and somebody else answered.

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
    """The test's outcome: `winning_rate` is the share of people that the model wins against
    (omega), `advantage` the mean of `model` over them (rho), to compare models by."""

    epsilon: float
    items: int
    against: tuple[LeftOutPerson, ...]
    winning_rate: float
    advantage: float

    @property
    def passed(self) -> bool:
        """Whether the model wins against half of the people."""
        return self.winning_rate >= 0.5


def alternative_test(
    people: Mapping[str, Said],
    model: Said,
    *,
    epsilon: float = EPSILON,
    least_people: int = LEAST_PEOPLE,
) -> AlternativeTest:
    """Test one model against people's answers to one question.

    Raises `UsageError` where fewer than `least_people` have 30 items or fewer than 50 items count:
    those that the model and two people answered.
    """
    if least_people < 2:
        raise UsageError("the alt-test leaves one out: it takes 2 people or more")
    answers = list(people.values())
    counted = {item for item in model if sum(item in said for said in answers) >= 2}
    own = {rater: [item for item in said if item in counted] for rater, said in people.items()}
    compared = {rater: items for rater, items in own.items() if len(items) >= LEAST_OF_A_PERSON}
    if len(compared) < least_people or len(counted) < LEAST_ITEMS:
        raise UsageError(
            f"the alt-test takes {least_people} people of {LEAST_OF_A_PERSON} items each and "
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
        nearer, other = (np.greater_equal(*pair) for pair in ((ours, theirs), (theirs, ours)))
        apart = other.astype(int) - nearer
        mean, error = float(apart.mean()), float(apart.std(ddof=1)) / math.sqrt(len(apart))
        if error:
            p = float(student.cdf((mean - epsilon) / error, len(apart) - 1))
        else:
            p = 0.0 if mean < epsilon else 1.0
        found.append((rater, len(items), float(nearer.mean()), float(other.mean()), p))
    won = false_discovery_control([one[-1] for one in found], method="by") <= 0.05
    against = tuple(LeftOutPerson(*one, bool(own)) for one, own in zip(found, won, strict=True))
    advantage = float(np.mean([one.model for one in against]))
    return AlternativeTest(epsilon, len(counted), against, float(np.mean(won)), advantage)


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """An estimate of a share with its standard error, its 95 % interval, and the power of the
    model's votes in it."""

    value: float
    error: float
    power: float
    low: float
    high: float


def powered_mean(
    said: ArrayLike, votes: ArrayLike, more: ArrayLike, power: float | None = None
) -> PoweredMean:
    """Estimate the mean of what people say of an item, from 0 to 1.

    The interval is Wilson's, with the number of answers that would have this error: it stays
    between 0 and 1 and covers where shares are near them and answers few, which the paper's normal
    one does not. Where votes have power the number is less what estimating that costs: two of n,
    and Student's t for the normal. Without, intervals of 100 answers hold the truth in 93.3 % for
    good models.

    Args:
        said: What people said of the items they answered, n of 2 or more.
        votes: What the model said of the same items.
        more: What it said of the items that nobody answered.
        power: lambda. 0 is the mean of people alone; None is that which makes the error least,
            estimated and kept between 0 and 1. Where votes do not vary it is 0.

    Raises:
        ValueError: For shapes that do not fit, or fewer than two answers.
    """
    y, f, rest = (np.asarray(one, dtype=np.float64) for one in (said, votes, more))
    n, others = len(y), len(rest)
    if y.shape != f.shape or n < 2:
        raise ValueError(f"{y.shape} answers of people and {f.shape} votes on the same items")
    if not others:
        power, rest, others = 0.0, np.zeros(1), 1
    if power is None:
        shared = ((y - y.mean()) * (f - f.mean())).mean()
        spread = (1 + n / others) * np.concatenate([f, rest]).var(ddof=1)
        power = float(np.clip(shared / spread, 0, 1)) if spread > 0 else 0.0
    value = y.mean() - power * (f.mean() - rest.mean())
    error = math.sqrt((y - power * f).var() / n + power**2 * rest.var() / others)
    share = min(max(float(value), 0.0), 1.0)
    known = error > 0 and 0 < share < 1
    number = share * (1 - share) / error**2 if known else float(n)
    if power > 0 and n > 2:
        upper = (1 + LEVEL) / 2
        number *= (n - 2) / n * (norm.ppf(upper) / student.ppf(upper, n - 2)) ** 2
    return PoweredMean(float(value), error, power, *wilson(share, number))


def wilson(share: float, number: float) -> tuple[float, float]:
    """Compute Wilson's interval (1927) of a share of so many, whole or not."""
    square = float(norm.ppf((1 + LEVEL) / 2)) ** 2
    middle = (share + square / (2 * number)) / (1 + square / number)
    reach = math.sqrt(square / number * (share * (1 - share) + square / (4 * number)))
    reach /= 1 + square / number
    return max(middle - reach, 0.0), min(middle + reach, 1.0)
