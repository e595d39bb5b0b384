"""How far raters agree on nominal answers, some of which may be missing.

The functions take `counts`, of shape (items, values): how many raters gave each answer to each
item. `cohen` and `same` take `pairs`, of shape (items, 2): the numbers of two raters' answers. An
item with fewer than two answers says nothing of agreement; where none says anything, the result is
NaN.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corefmill.corpora.scoring.table import LEVEL

Floats = NDArray[np.float64]

_BLOCK = 4_000_000
"""Places drawn at a time, 32 MB."""


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


def bootstrapped(
    measure: Callable[[Floats], float], rows: ArrayLike, rounds: int, seed: int
) -> Estimate:
    """Measure all rows; the interval is of items drawn anew with replacement, None of one item."""
    from scipy.stats import bootstrap  # type: ignore[import-untyped]

    table = np.asarray(rows, dtype=np.float64)
    if len(table) < 2:
        return estimate(measure(table), np.empty(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of draws that say nothing, which `estimate` leaves out
        drawn = bootstrap(
            (np.arange(len(table)),),
            lambda places: measure(table[places]),
            n_resamples=rounds,
            batch=max(1, _BLOCK // len(table)),
            vectorized=False,
            method="percentile",
            rng=seed,
        )
    return estimate(measure(table), drawn.bootstrap_distribution)


def mean(values: ArrayLike) -> float:
    """The mean, NaN of nothing."""
    return float(np.mean(np.asarray(values))) if np.size(values) else math.nan


def alpha(counts: ArrayLike) -> float:
    """Krippendorff's alpha with the nominal metric, by the library `krippendorff`."""
    import krippendorff

    table = _pairable(counts)
    if (table.sum(axis=0) > 0).sum() < 2:
        return math.nan  # nothing to disagree on, which the library refuses
    return float(krippendorff.alpha(value_counts=table, level_of_measurement="nominal"))


def fleiss(counts: ArrayLike) -> float:
    """Fleiss' kappa (1971): agreement beyond that of answers drawn from the pooled shares.

    The paper has as many raters on every item. Where numbers differ, an item's agreement is here
    that of its own pairs, and the shares are those of all answers.
    """
    table = _pairable(counts)
    shares = table.sum(axis=0) / max(table.sum(), 1)
    return _beyond_chance(observed(table), float((shares**2).sum()))


def cohen(pairs: ArrayLike) -> float:
    """Cohen's kappa (1960) of two raters: each has shares of his own."""
    table = np.asarray(pairs, dtype=np.float64)
    first, second = (table[:, column, np.newaxis] == np.unique(table) for column in (0, 1))
    expected = (first.sum(axis=0) * second.sum(axis=0)).sum() / max(len(table), 1) ** 2
    return _beyond_chance(same(table), float(expected))


def same(pairs: ArrayLike) -> float:
    """The share of items to which two raters gave the same answer."""
    table = np.asarray(pairs)
    return mean(table[:, 0] == table[:, 1])


def observed(counts: ArrayLike) -> float:
    """The share of pairs of raters that agree on an item, averaged over items."""
    table = _pairable(counts)
    size = table.sum(axis=1)
    alike = (table * (table - 1)).sum(axis=1) / (size * (size - 1))
    return mean(alike)


def _pairable(counts: ArrayLike) -> Floats:
    """The items with two answers or more."""
    table = np.asarray(counts, dtype=np.float64)
    made: Floats = table[table.sum(axis=1) >= 2]
    return made


def _beyond_chance(seen: float, expected: float) -> float:
    """How much of the agreement that chance leaves open was reached; NaN where it leaves none."""
    # The expected is a sum of squares, which may miss 1 by a rounding.
    return (seen - expected) / (1 - expected) if 1 - expected > 1e-12 else math.nan
