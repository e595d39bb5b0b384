"""The alt-test: may a model stand in for a person?

Calderon, Reichart and Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge, section 3.
Each person is left out in turn, and on every item it is asked who is nearer to the others, that
person or the model. A model passes that is nearer than half of the people, when people are charged
epsilon for what they cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import false_discovery_control  # type: ignore[import-untyped]
from scipy.stats import t as student

from corefmill.corpora.errors import UsageError

LEAST_PEOPLE = 3
"""The paper's advice: with two there is no group that the left-out one could be compared with."""
FEWEST_PEOPLE = 2
LEAST_ITEMS = 50
"""Of 50 to 100 that the paper asks for, answered by the model and at least two people."""
LEAST_OF_A_PERSON = 30
"""Below, the t-test's mean is not near enough to normal; that person is not compared."""
EPSILON = 0.1
"""The paper's value for crowd-workers, its strictest; 0.15 for skilled raters, 0.2 for experts."""
FALSE_DISCOVERIES = 0.05

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
    """The test of one model against people's answers to one question.

    Raises `UsageError` where fewer than `least_people` have 30 items or fewer than 50 items count:
    those that the model and two people answered.
    """
    if least_people < FEWEST_PEOPLE:
        raise UsageError(f"the alt-test leaves one out: it takes {FEWEST_PEOPLE} people or more")
    counted = {
        item
        for item in model
        if sum(item in answers for answers in people.values()) >= FEWEST_PEOPLE
    }
    own = {rater: [item for item in said if item in counted] for rater, said in people.items()}
    compared = {rater: items for rater, items in own.items() if len(items) >= LEAST_OF_A_PERSON}
    if len(compared) < least_people or len(counted) < LEAST_ITEMS:
        raise UsageError(
            f"the alt-test takes {least_people} people of {LEAST_OF_A_PERSON} items each and "
            f"{LEAST_ITEMS} items that the model and two people answered; there are "
            f"{len(compared)} and {len(counted)}"
        )
    found = [_against(rater, items, people, model) for rater, items in compared.items()]
    tests = [_p(apart, epsilon) for apart, _, _ in found]
    won = false_discovery_control(tests, method="by") <= FALSE_DISCOVERIES
    against = tuple(
        LeftOutPerson(rater, len(items), nearer, other, p, bool(one))
        for (rater, items), (_, nearer, other), p, one in zip(
            compared.items(), found, tests, won, strict=True
        )
    )
    rate, advantage = float(np.mean(won)), float(np.mean([one.model for one in against]))
    return AlternativeTest(epsilon, len(counted), against, rate, advantage)


def _against(
    rater: str, items: list[str], people: Mapping[str, Said], model: Said
) -> tuple[list[int], float, float]:
    """Of each item, person nearer less model nearer; then the shares of both, ties being both's."""
    nearer, other = [], []
    for item in items:
        rest = [said[item] for name, said in people.items() if name != rater and item in said]
        ours, theirs = rest.count(model[item]), rest.count(people[rater][item])
        nearer.append(int(ours >= theirs))
        other.append(int(theirs >= ours))
    apart = [theirs - ours for theirs, ours in zip(other, nearer, strict=True)]
    return apart, float(np.mean(nearer)), float(np.mean(other))


def _p(apart: list[int], epsilon: float) -> float:
    """Of the t-test that the mean is below epsilon."""
    mean, error = float(np.mean(apart)), float(np.std(apart, ddof=1)) / math.sqrt(len(apart))
    if not error:
        return 0.0 if mean < epsilon else 1.0
    return float(student.cdf((mean - epsilon) / error, len(apart) - 1))
