"""Fits a calibration to readings: a logistic regression, and the area under its curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.translate.weights.calibration import Calibration

PENALTY = 1.0
"""Of the squares of coefficients in units of a standard deviation; few readings need it."""
_SAMPLES = 2000
_STEPS = 25

Floats = NDArray[np.float64]


class Readings(NamedTuple):
    """Evidence by name for each utterance read, and whether it was grammatical and acceptable."""

    names: Sequence[str]
    values: Floats
    """[utterances, names]"""
    right: NDArray[np.bool_]
    """[utterances]"""


def fit(readings: Readings, of: Mapping[str, str], seed: int = 0) -> Calibration:
    """The calibration for `of` (source, target, translator).

    Its AUC is of weights that each come from a fit without the utterance, its interval from 2,000
    bootstrap samples of these. Raises `ValueError` where all readings say the same.
    """
    values, right = readings.values, readings.right
    if right.all() or not right.any():
        raise ValueError("all readings say the same")
    every = np.arange(len(right))
    left_out = np.array(
        [_score(_fitted(values[every != n], right[every != n]), values[n]) for n in every]
    )
    auc = area(left_out, right)
    low, high = _interval(left_out, right, seed)
    intercept, coefficients = _fitted(values, right)
    rounded = {n: round(float(c), 4) for n, c in zip(readings.names, coefficients, strict=True)}
    return Calibration(
        **of,
        readings=len(right),
        right=int(right.sum()),
        auc=round(auc, 3),
        low=round(low, 3),
        high=round(high, 3),
        intercept=round(float(intercept), 4),
        coefficients=rounded,
    )


def area(scores: Floats, right: NDArray[np.bool_]) -> float:
    """The chance that a right utterance has a higher score than a wrong one, ties halved."""
    ours, others = scores[right][:, None], scores[~right]
    return float(((ours > others) + 0.5 * (ours == others)).mean())


def _fitted(values: Floats, right: NDArray[np.bool_]) -> tuple[float, Floats]:
    """Intercept and coefficients, in the units of the evidence."""
    mean, deviation = values.mean(0), values.std(0)
    used = np.where(deviation > 0, deviation, 1.0)
    scaled = (values - mean) / used
    design = np.column_stack([np.ones(len(right)), scaled])
    penalty = np.diag([0.0, *[PENALTY] * values.shape[1]])
    held = np.zeros(design.shape[1])
    for _ in range(_STEPS):  # Newton's, which the penalty keeps from running away
        chance = 1 / (1 + np.exp(-np.clip(design @ held, -50, 50)))
        slope = design.T @ (chance - right) + penalty @ held
        bend = design.T @ (design * (chance * (1 - chance))[:, None]) + penalty
        held = held - np.linalg.solve(bend, slope)
    coefficients = held[1:] / used
    return float(held[0] - coefficients @ mean), coefficients


def _score(fitted: tuple[float, Floats], values: Floats) -> float:
    return float(fitted[0] + fitted[1] @ values)


def _interval(scores: Floats, right: NDArray[np.bool_], seed: int) -> tuple[float, float]:
    """The 95 % interval of the area, from samples with as many right and wrong utterances."""
    draw = np.random.default_rng(seed)
    ours, others = scores[right], scores[~right]
    areas = []
    for _ in range(_SAMPLES):
        some, rest = draw.choice(ours, len(ours)), draw.choice(others, len(others))
        marks = np.repeat([True, False], [len(some), len(rest)])
        areas.append(area(np.append(some, rest), marks))
    low, high = np.percentile(areas, [2.5, 97.5])
    return float(low), float(high)
