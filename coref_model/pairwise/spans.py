"""A span as [first; last; attended head]: its first and last piece and a weighted sum of all."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class SpanVectors(nn.Module):
    """Represents spans of encoded pieces (Lee et al. 2017, section 4; WEC, section 4.1).

    `size` is 3 w, the width of what comes out, for pieces of width w.
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
        """[m, 3 w] of pieces [n, w] and half-open spans starts, ends [m]; spans may overlap.

        A piece is scored once however many spans have it, and no [m, longest, w] is made.
        Raises `ValueError` for a span that is empty or beyond the pieces.
        """
        if bool(((starts < 0) | (starts >= ends) | (ends > len(pieces))).any()):
            raise ValueError(f"a span is empty or beyond the {len(pieces)} pieces")
        lengths = ends - starts  # [m]
        offsets = lengths.cumsum(0) - lengths  # [m], where each span begins among all members
        owner = torch.repeat_interleave(lengths)  # [k], the span of each member
        members = torch.arange(len(owner), device=owner.device)  # [k]
        members = members - offsets[owner] + starts[owner]  # [k], indices in pieces
        scores = self.attend(pieces).squeeze(-1)[members]  # [k]
        weights = _softmax(scores, owner, len(starts))  # [k]
        heads = functional.embedding_bag(
            members, pieces, offsets, mode="sum", per_sample_weights=weights.to(pieces.dtype)
        )  # [m, w]
        return torch.cat([pieces[starts], pieces[ends - 1], heads], dim=-1)  # [m, 3 w]


def _softmax(scores: Tensor, owner: Tensor, groups: int) -> Tensor:
    """[k] of scores [k], normalised within each of the groups that owner [k] names."""
    highest = scores.new_full((groups,), -torch.inf)  # [groups]
    highest = highest.scatter_reduce(0, owner, scores.detach(), "amax")
    raised = (scores - highest[owner]).exp()  # [k]
    return raised / raised.new_zeros(groups).index_add(0, owner, raised)[owner]
