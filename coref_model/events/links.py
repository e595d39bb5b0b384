"""Scores pairs of mentions for clustering: all pairs of a few thousand mentions, of more only
those whose vectors are near, since memory grows with the square."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import expit  # type: ignore[import-untyped]
from torch import Tensor
from torch.nn import functional

from corefmill.coref_model.events.clustering import MergeTree, SparseMerges, tree
from corefmill.coref_model.events.features import Features
from corefmill.coref_model.events.sampling import Indices
from corefmill.coref_model.pairwise.scorer import PairScorer, condensed

_CELLS = 1 << 24
"""Cosines that are in memory at a time."""
_PAIRS = 1 << 14
"""Candidate pairs that are scored at a time."""


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """The logits [e] of pairs of `size` mentions: of all, or of `first` < `second` [e]."""

    size: int
    logits: NDArray[np.float32]
    first: Indices | None = None
    second: Indices | None = None

    def pairs(self) -> tuple[Indices, Indices]:
        """The indices of each logit's two mentions."""
        if self.first is None or self.second is None:
            first, second = np.triu_indices(self.size, 1)
            return first, second
        return self.first, self.second

    def merges(self) -> MergeTree | SparseMerges:
        """What can be cut into clusters, by the distance 1 - sigmoid(logit)."""
        if self.first is None or self.second is None:
            return tree(expit(-self.logits.astype(np.float64)))
        return SparseMerges(
            self.size, self.first, self.second, expit(self.logits.astype(np.float64))
        )


@dataclass(frozen=True, slots=True)
class SharedFeatures:
    """What the features of pairs add to the scorer's first layer, by its `weight` [h, f]."""

    features: Features
    weight: Tensor

    def pairs(self, first: Tensor, second: Tensor) -> Tensor:
        """[p, h] of pairs of indices first, second [p]."""
        return self.features.pairs(first, second) @ self.weight.T

    def block(self, rows: slice, columns: slice) -> Tensor:
        """[r, c, h] of all pairs of the mentions of two ranges."""
        return functional.linear(self.features.block(rows, columns), self.weight)


@torch.no_grad()
def scored(
    scorer: PairScorer,
    g: Tensor,
    shared: SharedFeatures | None = None,
    *,
    dense: int,
    neighbours: int,
) -> ScoredPairs:
    """The scores of pairs of mentions g [m, w], which `shared` knows by the same indices.

    Up to `dense` mentions all pairs are scored, the earlier mention first, and 16 m^2 bytes are
    needed to cluster them. Of more, a pair is scored where one of the two is among the
    `neighbours` nearest of the other by the cosine of their vectors, and the rest counts as
    unlike (see `SparseMerges`).
    """
    if len(g) <= dense:
        return ScoredPairs(len(g), condensed(scorer, g, shared.block if shared else None).numpy())
    first, second = nearest(g, neighbours)
    logits = [
        scorer(g, i, j, shared.pairs(i, j) if shared else None).float().cpu()
        for i, j in zip(first.split(_PAIRS), second.split(_PAIRS), strict=True)
    ]
    return ScoredPairs(len(g), torch.cat(logits).numpy(), first.cpu().numpy(), second.cpu().numpy())


@torch.no_grad()
def nearest(g: Tensor, neighbours: int) -> tuple[Tensor, Tensor]:
    """Pairs first < second [p], each once, of the rows of g [m, w] and their nearest by cosine."""
    m = len(g)
    unit = functional.normalize(g, dim=-1)  # [m, w]
    rows = max(1, _CELLS // m)
    found = []
    for start in range(0, m, rows):
        own = torch.arange(start, min(start + rows, m), device=g.device)  # [r]
        cosine = unit[own] @ unit.T  # [r, m]
        cosine[torch.arange(len(own), device=g.device), own] = -2  # below any cosine
        near = cosine.topk(min(neighbours, m - 1), dim=-1).indices  # [r, k]
        own = own[:, None].expand_as(near)
        found.append((torch.minimum(own, near) * m + torch.maximum(own, near)).flatten())
    codes = np.unique(torch.cat(found).cpu().numpy())  # numpy's sort needs less than torch's
    pairs = torch.from_numpy(codes).to(g.device)
    return pairs // m, pairs % m
