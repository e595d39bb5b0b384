"""Represent spans as [first; last; attended head] and score pairs of them.

The scorer computes [g_i; g_j; g_i * g_j] -> 150 -> 150 -> 1 without building the input of every
pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional


class SpanVectors(nn.Module):
    """Represents spans of encoded pieces (Lee et al. 2017, section 4; WEC, section 4.1).

    The representation of a span has the width `size` = 3 w, for pieces of the `width` w.
    """

    def __init__(self, width: int, hidden: int = 150) -> None:
        super().__init__()
        self.size = 3 * width
        self.attend = nn.Sequential(
            nn.Linear(width, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, pieces: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Represent half-open spans starts, ends [m] of pieces [n, w] by vectors, [m, 3 w].

        A piece is scored once even if several spans share it, and no tensor [m, longest, w] is
        made. Raises `ValueError` for a span that is empty or beyond the pieces.
        """
        if bool(((starts < 0) | (starts >= ends) | (ends > len(pieces))).any()):
            raise ValueError(f"a span is empty or beyond the {len(pieces)} pieces")
        lengths = ends - starts  # [m]
        offsets = lengths.cumsum(0) - lengths  # [m], where each span begins among all members
        owner = torch.repeat_interleave(lengths)  # [k], the span of each member
        members = torch.arange(len(owner), device=owner.device)  # [k]
        members = members - offsets[owner] + starts[owner]  # [k], indices in pieces
        scores = self.attend(pieces).squeeze(-1)[members]  # [k]
        # Softmax within each span; subtracting the highest score prevents overflow.
        highest = scores.new_full((len(starts),), -torch.inf)  # [m]
        highest = highest.scatter_reduce(0, owner, scores.detach(), "amax")
        raised = (scores - highest[owner]).exp()  # [k]
        weights = raised / raised.new_zeros(len(starts)).index_add(0, owner, raised)[owner]  # [k]
        heads = functional.embedding_bag(
            members, pieces, offsets, mode="sum", per_sample_weights=weights.to(pieces.dtype)
        )  # [m, w]
        return torch.cat([pieces[starts], pieces[ends - 1], heads], dim=-1)  # [m, 3 w]


def project_mentions(g: Tensor, weight: Tensor, frozen: int) -> Tensor:
    """Multiply g [m, w] by weight [h, w]; the first `frozen` columns of g get no gradient."""
    if not frozen:
        return functional.linear(g, weight)
    out: Tensor = _Linear.apply(g[:, :frozen].detach(), g[:, frozen:], weight)  # type: ignore[no-untyped-call]
    return out


def project_pairs(g: Tensor, first: Tensor, second: Tensor, weight: Tensor, frozen: int) -> Tensor:
    """Multiply products of the rows first, second [p] of g [m, w] by weight [h, w], [p, h].

    The first `frozen` columns of g get no gradient."""
    if not frozen:
        return functional.linear(g[first] * g[second], weight)
    out: Tensor = _Products.apply(g[:, :frozen].detach(), g[:, frozen:], first, second, weight)  # type: ignore[no-untyped-call]
    return out


class _Linear(Function):
    """The product [frozen; moved] W^T, without a gradient for `frozen`."""

    @staticmethod
    def forward(ctx: Any, frozen: Tensor, moved: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(frozen, moved, weight)
        return _multiply_parts(frozen, moved, weight)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[None, Tensor, Tensor]:
        frozen, moved, weight = ctx.saved_tensors
        return (
            None,
            grads[0] @ weight[:, frozen.shape[1] :],
            _compute_weight_gradient(grads[0], frozen, moved),
        )


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
        return _multiply_parts(fixed, one * other, weight)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[None, Tensor, None, None, Tensor]:
        fixed, one, other, first, second, weight = ctx.saved_tensors
        (grad,) = grads
        learnt = _compute_weight_gradient(grad, fixed, one * other)
        product = grad @ weight[:, fixed.shape[1] :]  # [p, w - k]
        moved = product.new_zeros(ctx.mentions, product.shape[1])
        moved.index_add_(0, first, product * other).index_add_(0, second, product.mul_(one))
        return None, moved, None, None, learnt


def _multiply_parts(frozen: Tensor, moved: Tensor, weight: Tensor) -> Tensor:
    k = frozen.shape[1]
    return (frozen @ weight[:, :k].T).addmm_(moved, weight[:, k:].T)


def _compute_weight_gradient(grad: Tensor, frozen: Tensor, moved: Tensor) -> Tensor:
    """Compute the gradient [h, w] of the weight."""
    k = frozen.shape[1]
    out = grad.new_empty(grad.shape[1], k + moved.shape[1])
    torch.mm(grad.T, frozen, out=out[:, :k])
    torch.mm(grad.T, moved, out=out[:, k:])
    return out


ROWS, COLUMNS = 16, 512
"""A block of all pairs: with 150 hidden units its largest tensor has 1.2 million numbers."""

More = Callable[[slice, slice], Tensor]
"""Returns the terms [a, b, h] of other inputs, symmetric in a pair, in the first layer, for all
pairs from two ranges of mentions."""


class PairScorer(nn.Module):
    """The pairwise network of WEC (section 4.1), its first layer in three parts.

    W [g_i; g_j; g_i * g_j] is A g_i + B g_j + C (g_i * g_j): A and B are applied once to every
    mention and not to every pair. If `symmetric`, B is A, so that s(i, j) = s(j, i); otherwise, as
    published, the order of the two matters. Scores are logits.
    """

    def __init__(self, width: int, hidden: int = 150, *, symmetric: bool = False) -> None:
        super().__init__()
        self.left = nn.Linear(width, hidden)
        self.right = None if symmetric else nn.Linear(width, hidden, bias=False)
        self.product = nn.Linear(width, hidden, bias=False)
        bound = (3 * width) ** -0.5  # initialised like one layer of 3 * width inputs
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)
        self.second = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, 1)

    def _project_sides(self, g: Tensor, frozen: int = 0) -> tuple[Tensor, Tensor]:
        """Project mentions g [m, w] as first and second of a pair: A g + bias and B g, [m, h]."""
        left = project_mentions(g, self.left.weight, frozen)  # [m, h]
        if self.right is None:
            return left + self.left.bias, left
        return left + self.left.bias, project_mentions(g, self.right.weight, frozen)

    def forward(
        self,
        g: Tensor,
        first: Tensor,
        second: Tensor,
        features: Tensor | None = None,
        frozen: int = 0,
    ) -> Tensor:
        """Score the pairs first, second [p] of mentions g [m, w]: logits [p].

        `features` [p, h] are the terms of a pair's other inputs in the first layer. The first
        `frozen` columns of g get no gradient.
        """
        left, right = self._project_sides(g, frozen)
        product = project_pairs(g, first, second, self.product.weight, frozen)  # [p, h]
        hidden = left[first] + right[second] + product  # [p, h]
        if features is not None:
            hidden = hidden + features
        hidden = self.second(hidden.relu()).relu()  # [p, h]
        return self.last(hidden).squeeze(-1)  # type: ignore[no-any-return]

    def score_blocks(
        self, g: Tensor, more: More | None = None, *, rows: int = ROWS, columns: int = COLUMNS
    ) -> Iterator[tuple[int, int, Tensor]]:
        """Score all pairs of g [m, w] in blocks (i, j, scores [r, c]) of mentions from i and j on.

        Each pair is scored once, the earlier mention first, so that blocks begin at the diagonal.
        Memory holds at most rows x h x columns numbers, and no product g_i * g_j: C (g_i * g_j) is
        computed as (C * g_i) g_j.
        """
        left, right = self._project_sides(g)  # [m, h]
        c = self.product.weight  # [h, w]
        for i in range(0, len(g), rows):
            own = slice(i, i + rows)
            scaled = (c * g[own, None]).flatten(0, 1)  # [r h, w]
            for j in range(i, len(g), columns):
                other = slice(j, j + columns)
                # Units last, so that neither layer copies its input.
                hidden = (g[other] @ scaled.T).view(-1, len(left[own]), left.shape[1])  # [c, r, h]
                hidden += left[own]
                hidden += right[other, None]
                if more is not None:
                    hidden += more(other, own)
                hidden = self.second(hidden.relu_()).relu_()  # [c, r, h]
                yield i, j, self.last(hidden).squeeze(-1).T  # [r, c]


def score_condensed(
    scorer: PairScorer, g: Tensor, more: More | None = None, **block: int
) -> Tensor:
    """Score every pair i < j among mentions g [m, w]: logits [m (m - 1) / 2] without gradient, in
    the order of scipy's condensed matrices: (0, 1), (0, 2) ... (1, 2) ..."""
    m = len(g)
    found = torch.empty(m * (m - 1) // 2, dtype=torch.float32)
    with torch.no_grad():
        for top, left, scores in scorer.score_blocks(g, more, **block):
            ready = scores.float().cpu()
            for row, i in enumerate(range(top, top + len(ready))):
                begin = max(left, i + 1)
                index = i * m - i * (i + 1) // 2 - i - 1  # index of (i, j), less j
                end = left + ready.shape[1]
                if begin < end:
                    found[index + begin : index + end] = ready[row, begin - left :]
    return found
