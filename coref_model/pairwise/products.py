"""What the first layer of a pair scorer makes of vectors of mentions. Where the first columns come
from a frozen encoder, their gradient is never computed."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional


def linear(g: Tensor, weight: Tensor, frozen: int) -> Tensor:
    """[m, h] of g [m, w] by weight [h, w]; the first `frozen` columns of g get no gradient."""
    if not frozen:
        return functional.linear(g, weight)
    out: Tensor = _Linear.apply(g[:, :frozen].detach(), g[:, frozen:], weight)  # type: ignore[no-untyped-call]
    return out


def of_pairs(g: Tensor, first: Tensor, second: Tensor, weight: Tensor, frozen: int) -> Tensor:
    """[p, h], weight [h, w] times the products of the rows first, second [p] of g [m, w]; the first
    `frozen` columns of g get no gradient."""
    if not frozen:
        return functional.linear(g[first] * g[second], weight)
    out: Tensor = _Products.apply(g[:, :frozen].detach(), g[:, frozen:], first, second, weight)  # type: ignore[no-untyped-call]
    return out


class _Linear(Function):
    """[frozen; moved] W^T."""

    @staticmethod
    def forward(ctx: Any, frozen: Tensor, moved: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(frozen, moved, weight)
        return _times(frozen, moved, weight)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[None, Tensor, Tensor]:
        frozen, moved, weight = ctx.saved_tensors
        return None, grads[0] @ weight[:, frozen.shape[1] :], _learnt(grads[0], frozen, moved)


class _Products(Function):
    """([frozen; moved][first] * [frozen; moved][second]) W^T."""

    @staticmethod
    def forward(
        ctx: Any, frozen: Tensor, moved: Tensor, first: Tensor, second: Tensor, weight: Tensor
    ) -> Tensor:
        fixed = frozen.index_select(0, first).mul_(frozen.index_select(0, second))  # [p, k]
        one, other = moved.index_select(0, first), moved.index_select(0, second)  # [p, w - k]
        ctx.save_for_backward(fixed, one, other, first, second, weight)
        ctx.mentions = len(moved)
        return _times(fixed, one * other, weight)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[None, Tensor, None, None, Tensor]:
        fixed, one, other, first, second, weight = ctx.saved_tensors
        (grad,) = grads
        learnt = _learnt(grad, fixed, one * other)
        product = grad @ weight[:, fixed.shape[1] :]  # [p, w - k]
        moved = product.new_zeros(ctx.mentions, product.shape[1])
        moved.index_add_(0, first, product * other).index_add_(0, second, product.mul_(one))
        return None, moved, None, None, learnt


def _times(frozen: Tensor, moved: Tensor, weight: Tensor) -> Tensor:
    k = frozen.shape[1]
    return (frozen @ weight[:, :k].T).addmm_(moved, weight[:, k:].T)


def _learnt(grad: Tensor, frozen: Tensor, moved: Tensor) -> Tensor:
    """The weight's gradient [h, w]."""
    k = frozen.shape[1]
    out = grad.new_empty(grad.shape[1], k + moved.shape[1])
    torch.mm(grad.T, frozen, out=out[:, :k])
    torch.mm(grad.T, moved, out=out[:, k:])
    return out
