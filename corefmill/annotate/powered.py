"""A mean over items from the answers of people on some and the votes of a model on all.

PPI++ with power tuning, for a mean: Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient
Prediction-Powered Inference, example 1 and section 6. What people said is corrected by how the
model's votes on their items differ from its votes on the others, times a power from 0 to 1 that is
near 0 for a model that is no use. So a model may be wrong as often as it likes and the interval
holds, on one condition: **the items that people answered are a random draw of all items**.

Arrays have items in their last dimension; any before it are kept, for simulations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm  # type: ignore[import-untyped]
from scipy.stats import t as student

from corefmill.corpora.scoring.agreement import Floats
from corefmill.corpora.scoring.table import LEVEL


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """An estimate of a mean, its standard error, the power of the model's votes, and people's n."""

    value: Floats
    error: Floats
    power: Floats
    answered: int

    def normal(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """The paper's interval: the normal quantile times the standard error, either way."""
        reach = norm.ppf((1 + level) / 2) * self.error
        return self.value - reach, self.value + reach

    def score(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Wilson's interval of a share, with the number of answers that would have this error.

        So it stays between 0 and 1 and covers where shares are near them and answers few, which
        the normal one does not; of yes and no without a model it is Wilson's own. Where votes have
        power the number is less what estimating that costs: two of n, and Student's t for the
        normal. Without, intervals of 100 answers hold the truth in 93.3 % for good models.
        """
        value = np.clip(self.value, 0, 1)
        number = np.full_like(value, self.answered)
        spread = value * (1 - value)
        known = (self.error > 0) & (spread > 0)
        np.divide(spread, self.error**2, out=number, where=known)
        free = self.answered - 2
        if free > 0:
            upper = (1 + level) / 2
            less = free / self.answered * (norm.ppf(upper) / student.ppf(upper, free)) ** 2
            number = np.where(self.power > 0, less * number, number)
        return wilson(value, number, level)


def wilson(share: ArrayLike, number: ArrayLike, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Wilson's interval (1927) of a share of so many, whole or not."""
    p, n = np.asarray(share, dtype=np.float64), np.asarray(number, dtype=np.float64)
    square = norm.ppf((1 + level) / 2) ** 2
    middle = (p + square / (2 * n)) / (1 + square / n)
    reach = np.sqrt(square / n * (p * (1 - p) + square / (4 * n))) / (1 + square / n)
    return np.maximum(middle - reach, 0), np.minimum(middle + reach, 1)


def mean(
    said: ArrayLike, votes: ArrayLike, more: ArrayLike, power: float | None = None
) -> PoweredMean:
    """The mean of what people say of an item.

    Args:
        said: What people said of the items they answered, shape (..., n), n of 2 or more.
        votes: What the model said of the same items, shape (..., n).
        more: What it said of the items that nobody answered, shape (..., N).
        power: lambda. 0 is the mean of people alone; None is that which makes the error least,
            estimated and kept between 0 and 1. Where votes do not vary it is 0.

    Raises:
        ValueError: For shapes that do not fit, or fewer than two answers.
    """
    y, f, rest = (np.asarray(one, dtype=np.float64) for one in (said, votes, more))
    n, others = y.shape[-1], rest.shape[-1]
    if y.shape != f.shape or n < 2:
        raise ValueError(f"{y.shape} answers of people and {f.shape} votes on the same items")
    if not others:
        power, rest, others = 0.0, np.zeros((*y.shape[:-1], 1)), 1
    if power is None:
        together = np.concatenate([f, rest], axis=-1)
        shared = ((y - _middle(y)) * (f - _middle(f))).mean(axis=-1)
        spread = (1 + n / others) * together.var(axis=-1, ddof=1)
        tuned = np.divide(shared, spread, out=np.zeros_like(shared), where=spread > 0)
        tuned = np.clip(tuned, 0, 1)
    else:
        tuned = np.full(y.shape[:-1], float(power))
    value = y.mean(axis=-1) - tuned * (f.mean(axis=-1) - rest.mean(axis=-1))
    residual = (y - tuned[..., np.newaxis] * f).var(axis=-1) / n
    error = np.sqrt(residual + tuned**2 * rest.var(axis=-1) / others)
    return PoweredMean(value, error, tuned, n)


def _middle(values: Floats) -> Floats:
    made: Floats = values.mean(axis=-1, keepdims=True)
    return made
