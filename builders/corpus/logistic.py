"""The chance that a logistic regression gives evidence, as fitted on what was read."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

_LARGEST = 50.0
"""Of the weighed sum, either way: what is beyond is as good as sure, and would overflow."""


def chance(intercept: float, weights: Mapping[str, float], evidence: Mapping[str, float]) -> float:
    """The logistic function of the intercept and each weight times its evidence, in [0, 1]."""
    weighed = intercept + sum(weight * evidence[name] for name, weight in weights.items())
    return 1 / (1 + exp(-max(min(weighed, _LARGEST), -_LARGEST)))
