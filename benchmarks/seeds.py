"""How tables show a score of several seeds: mean and deviation."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence


def mean(values: Sequence[float], digits: int = 1) -> str:
    """The mean, and behind +- the sample deviation (n - 1) where there are two values or more.

    A dash where a seed has none, as a bias without answers.
    """
    if any(map(math.isnan, values)):
        return "-"
    spread = f" +- {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.{digits}f}{spread}"
