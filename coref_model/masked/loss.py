"""Loss (1) of Kocijan et al. (2019): likelihood of the right candidate, margin over a wrong one."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

Margin = Literal["example", "batch"]


def margin_loss(
    right: Tensor, wrong: Tensor, *, alpha: float, beta: float, margin: Margin = "example"
) -> Tensor:
    """The loss of each of e pairs, [e], of the scores log P(a | S) and log P(b | S), both [e].

    With L = -log P (section 4.3): L(a) + alpha * max(0, beta + L(a) - L(b)). In margin "batch",
    as in the published code, L(b) is the mean over the pairs of the batch instead of the pair's
    own, so that the loss of a pair depends on those beside it.
    """
    if right.shape != wrong.shape or right.ndim != 1:
        raise ValueError(f"scores of pairs are [e] and [e], not {right.shape} and {wrong.shape}")
    against = wrong.mean() if margin == "batch" and len(wrong) else wrong
    return -right + alpha * torch.clamp(beta - right + against, min=0)
