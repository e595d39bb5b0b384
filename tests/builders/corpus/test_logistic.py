"""The chance by weighed evidence, as the fractions that it is."""

from __future__ import annotations

from math import log

import pytest

from corefmill.builders.corpus.logistic import chance

WEIGHTS = {"a": 2.0, "b": -1.0}


def test_the_chance_is_the_logistic_function_of_the_weighed_sum() -> None:
    assert chance(1.0, WEIGHTS, {"a": 0.0, "b": 1.0}) == 0.5  # 1 + 0 - 1
    assert chance(1.0, WEIGHTS, {"a": log(3) / 2, "b": 1.0}) == pytest.approx(3 / 4)


def test_what_is_sure_does_not_overflow() -> None:
    assert chance(0.0, WEIGHTS, {"a": 1e6, "b": 0.0}) == pytest.approx(1)
    assert chance(0.0, WEIGHTS, {"a": -1e6, "b": 0.0}) == pytest.approx(0)
