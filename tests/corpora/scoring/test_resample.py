"""Intervals and tests, against what can be worked out by hand."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.scoring.metrics import Measure, ratios
from corefmill.corpora.scoring.resample import compare, intervals
from corefmill.corpora.scoring.table import ScoreTable


def accuracy(right: list[int]) -> ScoreTable:
    rows = np.array([(one, 1, one, 1) for one in right], dtype=float)
    names = [str(number) for number in range(len(right))]
    measure = Measure("accuracy", "accuracy", ratios)
    return ScoreTable("example", names, ["-"] * len(right), [measure], {"accuracy": rows})


def test_an_interval_is_that_of_the_binomial_distribution() -> None:
    # 30 of 100 right: 2.5 % and 97.5 % of Binomial(100, 0.3) are 21 and 39.
    (*_, found) = intervals(accuracy([1] * 30 + [0] * 70), 20_000, 1)["accuracy"]
    assert (found.low, found.high) == pytest.approx((0.21, 0.39))


def test_blocks_of_draws_make_no_difference_to_the_kind_of_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("corefmill.corpora.scoring.resample.BLOCK", 10)
    (*_, found) = intervals(accuracy([1] * 30 + [0] * 70), 5_000, 1)["accuracy"]
    assert (found.low, found.high) == pytest.approx((0.21, 0.39), abs=0.011)


def test_p_is_that_of_the_sign_test() -> None:
    # The second is right on 8 that the first has wrong, wrong on 2; 90 are the same.
    first, second = [0] * 8 + [1] * 2 + [1] * 90, [1] * 8 + [0] * 2 + [1] * 90
    found = compare(accuracy(first), accuracy(second), 20_000, 1)["accuracy"]
    exact = 2 * sum(comb(10, n) for n in range(3)) / 2**10
    assert found.value == pytest.approx(0.06)
    assert found.p == pytest.approx(exact, abs=0.01)
    assert found.interval.low < 0.06 < found.interval.high


def test_counts_are_summed_and_not_scores_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    # A document of 1 link, right, and one of 99 links, all wrong. Half of all draws have one of
    # each, which is 1/100; the mean of their scores would be 1/2.
    rows = np.array([(1, 1, 1, 1), (0, 99, 0, 99)], dtype=float)
    muc = Measure("muc", "MUC", ratios)
    table = ScoreTable("document", ["a", "b"], ["-", "-"], [muc], {"muc": rows})
    monkeypatch.setattr("corefmill.corpora.scoring.resample.LEVEL", 0.2)
    (*_, found) = intervals(table, 1000, 1)["muc"]
    assert (found.low, found.high) == pytest.approx((0.01, 0.01))


@pytest.mark.parametrize(("right", "rounds"), [([1], 10), ([1, 0], 0), ([1, 0], -3)])
def test_what_cannot_be_drawn(right: list[int], rounds: int) -> None:
    with pytest.raises(UsageError):
        intervals(accuracy(right), rounds, 1)
    with pytest.raises(UsageError):
        compare(accuracy(right), accuracy(right), rounds, 1)
