"""Simulated raters: intervals cover, a useful model saves answers, a hostile one costs none."""

from __future__ import annotations

import pytest

from benchmarks import raters


@pytest.mark.parametrize("model", list(raters.MODELS))
def test_intervals_cover_whatever_the_model_does(model: str) -> None:
    found = raters.measured(model, 0.7, 100, 400, 500, 1)
    # 500 rounds of a coverage of 95 % have a standard error of 1 %.
    assert 0.92 <= found["score covers"] <= 0.98
    assert 0.92 <= found["normal covers"] <= 0.98


def test_a_model_right_in_85_percent_saves_a_third_and_a_hostile_one_nothing() -> None:
    useful = raters.measured("right in 85 %", 0.7, 100, 400, 500, 1)
    hostile = raters.measured("wrong in 85 %", 0.7, 100, 400, 500, 1)
    assert raters.saved(0.7, 100, useful["score width"]) > 0.3
    assert abs(raters.saved(0.7, 100, hostile["score width"])) < 0.03


def test_wilsons_interval_alone_is_exact() -> None:
    # At n = 1 the intervals are (0, 0.793) for no and (0.207, 1) for yes.
    assert raters.alone(0.5, 1)["covers"] == pytest.approx(1)
    assert raters.alone(0.9, 1) == pytest.approx({"covers": 0.9, "width": 0.79345069})
    assert raters.saved(0.5, 50, raters.alone(0.5, 100)["width"]) == pytest.approx(0.5)


def test_the_tables_have_a_row_for_each_share() -> None:
    lines = list(raters.savings(20, 50, 20, 0))
    assert len(lines) == len(raters.SHARES) + 2
    assert lines[-1].startswith("| 0.95 |") and " - " in lines[-1]
    *rows, means = raters.coverage(20, 50, 20, 0)
    assert len(rows) == len(lines) and means.startswith("| mean |")
