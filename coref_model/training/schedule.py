"""The learning rate: up in a straight line while it warms up, then down in one to nothing."""

from __future__ import annotations


def factor(progress: float, warmup: float) -> float:
    """What the highest rate is multiplied by.

    `progress` in (0, 1) is the share of the training that is over, at the middle of a step, so
    that neither the first nor the last step is done at a rate of 0; `warmup` the share in which
    the rate goes up.
    """
    if progress < warmup:
        return progress / warmup
    return (1 - progress) / (1 - warmup) if warmup < 1 else 1.0
