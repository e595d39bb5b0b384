"""Fits calibrations to readings: a logistic regression, and the area under its curve."""

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
    stands: Floats
    """[utterances]: for how many of the text each was drawn, the mean being about 1."""
    documents: NDArray[np.str_]
    """[utterances]: the names of theirs."""
    cells: NDArray[np.int64]
    """[utterances]: which language and method each is of, counted from 0."""


def fit(readings: Readings, of: Sequence[Mapping[str, str]], seed: int = 0) -> list[Calibration]:
    """A calibration for each cell: `of` has its source, target, method and translator.

    Coefficients are shared by all cells, intercepts are a cell's own, drawn towards each other by
    the penalty. The AUC is of the cell's utterances, by `left_out`, its interval from 2,000
    bootstrap samples of documents. Raises `ValueError` where all readings of a cell say the same,
    or all but one document's.
    """
    scores = left_out(readings)
    shared = len(readings.names)
    intercept, found = fitted(_design(readings), readings.right, readings.stands)
    pairs = zip(readings.names, found[:shared], strict=True)
    coefficients = {name: round(float(value), 4) for name, value in pairs}
    calibrations = []
    for cell, named in enumerate(of):
        own = readings.cells == cell
        right, stands = readings.right[own], readings.stands[own]
        if right.all() or not right.any():
            raise ValueError(f"all readings of {' '.join(named.values())} say the same")
        low, high = interval(scores[own], right, stands, readings.documents[own], seed)
        calibrations.append(
            Calibration(
                **named,
                readings=len(right),
                right=int(right.sum()),
                auc=round(area(scores[own], right, stands), 3),
                low=round(low, 3),
                high=round(high, 3),
                intercept=round(float(intercept + found[shared + cell]), 4),
                coefficients=coefficients,
            )
        )
    return calibrations


def left_out(readings: Readings, penalty: float = PENALTY, towards: Floats | None = None) -> Floats:
    """[utterances]: the score of each, a logit, by a fit without its document.

    `towards` has the coefficients by name that the penalty draws to, 0 if it is left out. Raises
    `ValueError` where without a document all readings say the same.
    """
    design, right, stands = _design(readings), readings.right, readings.stands
    if towards is not None:
        towards = np.append(towards, np.zeros(design.shape[1] - len(towards)))
    scores = np.zeros(len(right))
    for document in np.unique(readings.documents):
        out = readings.documents == document
        if right[~out].all() or not right[~out].any():
            raise ValueError(f"without {document} all readings say the same")
        intercept, coefficients = fitted(design[~out], right[~out], stands[~out], penalty, towards)
        scores[out] = intercept + design[out] @ coefficients
    return scores


def area(
    scores: Floats,
    right: NDArray[np.bool_],
    stands: Floats,
    strata: NDArray[np.int64] | None = None,
) -> float:
    """The chance that a right utterance has a higher score than a wrong one, ties halved.

    Each pair counts by the product of what the two stand for, and with `strata` only where both are
    of one; not a number where no pair counts.
    """
    pairs = np.outer(stands[right], stands[~right])
    if strata is not None:
        pairs = pairs * (strata[right][:, None] == strata[~right])
    ours, others = scores[right][:, None], scores[~right]
    won = (ours > others) + 0.5 * (ours == others)
    return float((won * pairs).sum() / pairs.sum()) if pairs.any() else float("nan")


def interval(
    scores: Floats,
    right: NDArray[np.bool_],
    stands: Floats,
    documents: NDArray[np.str_],
    seed: int = 0,
) -> tuple[float, float]:
    """The 95 % interval of the area, from samples of as many documents."""
    draw = np.random.default_rng(seed)
    names, at = np.unique(documents, return_inverse=True)
    areas = []
    for _ in range(_SAMPLES):
        times = np.bincount(draw.integers(len(names), size=len(names)), minlength=len(names))
        areas.append(area(scores, right, stands * times[at]))
    low, high = np.nanpercentile(areas, [2.5, 97.5])  # not a number: none right in a sample
    return float(low), float(high)


def _design(readings: Readings) -> Floats:
    """[utterances, names and cells]: the evidence, and a column of 0 and 1 for each cell."""
    cells = np.arange(readings.cells.max() + 1)
    return np.column_stack([readings.values, readings.cells[:, None] == cells])


def fitted(
    values: Floats,
    right: NDArray[np.bool_],
    stands: Floats,
    penalty: float = PENALTY,
    towards: Floats | None = None,
) -> tuple[float, Floats]:
    """Intercept and coefficients, in the units of the evidence [utterances, names].

    The penalty draws the coefficients to those of `towards`, or to 0.
    """
    mean = np.average(values, axis=0, weights=stands)
    deviation = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=stands))
    used = np.where(deviation > 0, deviation, 1.0)
    design = np.column_stack([np.ones(len(right)), (values - mean) / used])
    drawn = np.diag([0.0, *[penalty] * values.shape[1]])
    aim = np.zeros(design.shape[1])
    if towards is not None:
        aim[1:] = towards * used
    held = aim
    for _ in range(_STEPS):  # Newton's, which the penalty keeps from running away
        chance = 1 / (1 + np.exp(-np.clip(design @ held, -50, 50)))
        slope = design.T @ (stands * (chance - right)) + drawn @ (held - aim)
        bend = design.T @ (design * (stands * chance * (1 - chance))[:, None]) + drawn
        held = held - np.linalg.solve(bend, slope)
    coefficients = held[1:] / used
    return float(held[0] - coefficients @ mean), coefficients
