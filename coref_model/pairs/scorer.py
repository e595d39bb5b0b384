"""Represent spans as [first; last; attended head] and score pairs of them.

The scorer computes [g_i; g_j; g_i * g_j] -> 150 -> 150 -> 1 without building the input of every
pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import torch
from torch import Tensor, nn
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
        """Represent half-open spans starts, ends [m] of pieces [n, w] by vectors, [m, 3 w]."""
        # A piece is scored once even if several spans share it.
        heads, _ = average_spans(pieces, self.attend(pieces).squeeze(-1), starts, ends)
        return torch.cat([pieces[starts], pieces[ends - 1], heads], dim=-1)


def average_spans(
    values: Tensor,  # [n, k]
    logits: Tensor,  # [n]
    starts: Tensor,  # [m]
    ends: Tensor,  # [m] exclusive
) -> tuple[Tensor, Tensor]:
    """Average the values of spans by attention, [m, k], and sum its logits, log sum exp, [m].

    No tensor [m, longest, k] is made.
    """
    lengths = ends - starts  # [m]
    offsets = lengths.cumsum(0) - lengths  # [m], where each span begins among all members
    owner = torch.repeat_interleave(lengths)  # [l], the span of each member
    members = torch.arange(len(owner), device=owner.device)  # [l]
    members = members - offsets[owner] + starts[owner]  # [l], indices of values
    scores = logits.to(torch.promote_types(logits.dtype, torch.float32))[members]  # [l]
    # Softmax within each span; subtracting the highest score prevents overflow.
    highest = scores.new_full((len(starts),), -torch.inf)  # [m]
    highest = highest.scatter_reduce(0, owner, scores.detach(), "amax")
    raised = (scores - highest[owner]).exp()  # [l]
    total = raised.new_zeros(len(starts)).index_add(0, owner, raised)  # [m]
    weights = (raised / total[owner]).to(values.dtype)  # [l]
    means = functional.embedding_bag(
        members, values, offsets, mode="sum", per_sample_weights=weights
    )  # [m, k]
    return means, highest + total.log()


class Sides(NamedTuple):
    """Mentions, and the terms in the scorer's first layer of each as first and second of a pair."""

    parts: Sequence[Tensor]  # [m, k] each, side by side the mentions' vectors [m, w]
    left: Tensor  # [m, h]
    right: Tensor  # [m, h]


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

    def project(self, g: Tensor, frozen: int = 0) -> Sides:
        """Compute the terms of mentions g [m, w]; their first `frozen` columns get no gradient."""
        parts = [g[:, :frozen].detach(), g[:, frozen:]] if frozen else [g]
        left = _multiply(parts, self.left.weight)
        right = left if self.right is None else _multiply(parts, self.right.weight)
        return Sides(parts, left + self.left.bias, right)

    def score(
        self, sides: Sides, first: Tensor, second: Tensor, features: Tensor | None = None
    ) -> Tensor:
        """Score the pairs first, second [p] of projected mentions: logits [p].

        `features` [p, h] are the terms of a pair's other inputs in the first layer.
        """
        products = [part[first] * part[second] for part in sides.parts]  # [p, k] each
        hidden = sides.left[first] + sides.right[second]  # [p, h]
        hidden = hidden + _multiply(products, self.product.weight)
        if features is not None:
            hidden = hidden + features
        hidden = self.second(hidden.relu()).relu()  # [p, h]
        return self.last(hidden).squeeze(-1)  # type: ignore[no-any-return]

    def forward(
        self, g: Tensor, first: Tensor, second: Tensor, features: Tensor | None = None
    ) -> Tensor:
        """Score the pairs first, second [p] of mentions g [m, w]: logits [p]; see `score`."""
        return self.score(self.project(g), first, second, features)


def _multiply(parts: Sequence[Tensor], weight: Tensor) -> Tensor:
    """Multiply rows [n, w], in parts [n, k] side by side, by weight [h, w]: [n, h].

    The backward pass takes no time for a part without a gradient.
    """
    shares = weight.split([part.shape[1] for part in parts], dim=1)
    return reduce(torch.add, map(functional.linear, parts, shares))
