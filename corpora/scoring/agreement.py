"""How far raters agree on nominal answers, some of which may be missing.

All functions take `counts`, of shape (items, values): how many raters gave each answer to each
item. `weights`, of shape (..., items), says how often an item counts; the results have its leading
shape. An item with fewer than two answers says nothing of agreement; where none says anything, the
result is NaN. `cohen` alone takes `pairs`, of shape (items, 2): the numbers of two raters' answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corefmill.corpora.scoring import resample
from corefmill.corpora.scoring.table import LEVEL

Floats = NDArray[np.float64]

MeasureOfRows = Callable[[ArrayLike, ArrayLike | None], Floats]
"""A function of this module: of counts or pairs, and weights."""

_BLOCK = 4_000_000
"""Weights drawn at a time, 32 MB."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure with its 95 % interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


def estimate(value: float, drawn: Floats) -> Estimate:
    """The value with the middle 95 % of what `drawn` says, draws without a value left out."""
    drawn = drawn[~np.isnan(drawn)]
    if math.isnan(value) or not drawn.size:
        return Estimate(None if math.isnan(value) else value, None, None)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high))


def bootstrapped(measure: MeasureOfRows, rows: ArrayLike, rounds: int, seed: int) -> Estimate:
    """The measure of all rows, its interval from items drawn anew with replacement.

    Items with the same row are drawn together, so that 100,000 items cost no more than 10.
    """
    table = np.asarray(rows, dtype=np.float64)
    if not len(table):
        return Estimate(None, None, None)
    own, repeats = resample.distinct(table)
    drawn = [measure(own, weights) for weights in resample.redraws(repeats, rounds, seed)]
    return estimate(float(measure(own, repeats)), np.concatenate(drawn))


def alpha(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Krippendorff's alpha with the nominal metric: 1 - D_o / D_e, over pairable answers."""
    table, often = _pairable(counts, weights)
    size = table.sum(axis=1)
    apart = (size**2 - (table**2).sum(axis=1)) / np.maximum(size - 1, 1)
    totals = often @ table
    number = totals.sum(axis=-1)
    expected = number**2 - (totals**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - (number - 1) * (often @ apart) / expected, np.nan)


def fleiss(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Fleiss' kappa (1971): agreement beyond that of answers drawn from the pooled shares.

    The paper has as many raters on every item. Where numbers differ, an item's agreement is here
    that of its own pairs, and the shares are those of all answers.
    """
    table, often = _pairable(counts, weights)
    totals = often @ table
    pooled = _divided(totals, totals.sum(axis=-1)[..., np.newaxis])
    return _beyond(observed(table, often), (pooled**2).sum(axis=-1))


def cohen(pairs: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Cohen's kappa (1960) of two raters: each has shares of his own."""
    table = np.asarray(pairs, dtype=np.float64)
    often = _weights(table, weights)
    first, second = (table[:, column, np.newaxis] == np.unique(table) for column in (0, 1))
    total = often.sum(axis=-1)
    expected = ((often @ first) * (often @ second)).sum(axis=-1)
    return _beyond(same(table, often), _divided(expected, total**2))


def same(pairs: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """The share of items to which two raters gave the same answer."""
    table = np.asarray(pairs, dtype=np.float64)
    return _mean(_weights(table, weights), (table[:, 0] == table[:, 1]).astype(np.float64))


def observed(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """The share of pairs of raters that agree on an item, averaged over items."""
    table, often = _pairable(counts, weights)
    size = table.sum(axis=1)
    same = (table * (table - 1)).sum(axis=1) / np.maximum(size * (size - 1), 1)
    return _mean(often, same)


def unanimous(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """The share of items on which all raters who answered gave the same answer."""
    table, often = _pairable(counts, weights)
    return _mean(often, (table.max(axis=1) == table.sum(axis=1)).astype(np.float64))


def share(counts: ArrayLike, value: int, weights: ArrayLike | None = None) -> Floats:
    """The share of all answers that are `value` (a column), those of single raters included."""
    table = np.asarray(counts, dtype=np.float64)
    often = _weights(table, weights)
    totals = often @ table
    return _divided(totals[..., value], totals.sum(axis=-1))


def majority(counts: ArrayLike, value: int, weights: ArrayLike | None = None) -> Floats:
    """The share of answered items that more than half of their raters gave `value`."""
    table = np.asarray(counts, dtype=np.float64)
    often = _weights(table, weights) * (table.sum(axis=1) > 0)
    return _mean(often, (2 * table[:, value] > table.sum(axis=1)).astype(np.float64))


def draws(strata: ArrayLike, rounds: int, seed: int) -> Iterator[Floats]:
    """Weights of items drawn anew with replacement, in blocks of shape (rounds, items).

    `strata`, of shape (items,), names the group of each item; as many are drawn from each group as
    it has.
    """
    groups = np.unique(np.asarray(strata), return_inverse=True)[1]
    places = [np.flatnonzero(groups == group) for group in range(groups.max(initial=-1) + 1)]
    draw = np.random.default_rng(seed)
    size = max(1, _BLOCK // max(1, len(groups)))
    for start in range(0, rounds, size):
        block = np.zeros((min(size, rounds - start), len(groups)))
        for own in places:
            even = np.full(len(own), 1 / len(own))
            block[:, own] = draw.multinomial(len(own), even, size=len(block))
        yield block


def _pairable(counts: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    """The items with two answers or more, and their weights."""
    table = np.asarray(counts, dtype=np.float64)
    often = _weights(table, weights)
    enough = table.sum(axis=1) >= 2
    return table[enough], often[..., enough]


def _beyond(seen: Floats, expected: Floats) -> Floats:
    """How much of the agreement that chance leaves open was reached; NaN where it leaves none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        # The expected is a sum of squares, which may miss 1 by a rounding.
        return np.where(1 - expected > 1e-12, (seen - expected) / (1 - expected), np.nan)


def _weights(table: Floats, weights: ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(len(table))
    return np.asarray(weights, dtype=np.float64)


def _mean(often: Floats, values: Floats) -> Floats:
    return _divided(often @ values, often.sum(axis=-1))


def _divided(above: Floats, below: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, above / below, np.nan)
