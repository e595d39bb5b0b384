"""How tables show a score of several seeds."""

from __future__ import annotations

import math

from benchmarks.seeds import mean


def test_the_mean_has_a_deviation_where_there_are_two() -> None:
    assert mean([55.04]) == "55.0"
    assert mean([1.0, 1.1], 2) == "1.05 +- 0.07"


def test_a_seed_without_a_figure_leaves_none() -> None:
    assert mean([math.nan]) == mean([1.0, math.nan], 2) == "-"
