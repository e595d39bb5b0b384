"""Dropout whose random bits cost little on a CPU."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

# A number is kept or dropped by one number of 16 bits: the rate is exact to 1 / 65536.
_STEPS = 1 << 16


def dropped(rows: Tensor, rate: float, training: bool) -> Tensor:
    """`rows` with a share `rate` of its numbers zero, in training, and the others made larger."""
    if not training or not rate:
        return rows
    if rows.device.type != "cpu":
        return functional.dropout(rows, rate)
    return rows * dropout_mask(rows.shape, rate, rows.dtype)


def dropout_mask(shape: torch.Size | tuple[int, ...], rate: float, dtype: torch.dtype) -> Tensor:
    """What dropout multiplies by, on the CPU: 0, or 1 over the share kept. One draw of torch's
    generator serves four numbers, where its own dropout takes one for each.
    """
    count = torch.Size(shape).numel()
    cut = round(rate * _STEPS)
    if cut >= _STEPS:
        return torch.zeros(shape, dtype=dtype)
    draws = torch.empty(-(-count // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = draws.view(torch.int16)[:count].view(shape)
    return (bits >= cut - _STEPS // 2).to(dtype).mul_(_STEPS / (_STEPS - cut))
