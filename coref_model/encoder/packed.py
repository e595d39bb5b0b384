"""A batch without padding: sequences of pieces one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Packed:
    """Piece ids of b sequences, n in all, the specials included."""

    ids: Tensor  # [n] int64
    starts: Tensor  # [b + 1] int64, where each sequence begins in ids; starts[b] == n; on the CPU

    def to(self, device: torch.device | str) -> Packed:
        """The same with its ids on `device`."""
        return Packed(self.ids.to(device, non_blocking=True), self.starts)

    def lengths(self) -> list[int]:
        """Pieces of each sequence: b numbers."""
        return self.starts.diff().tolist()


def pack(sequences: Sequence[Sequence[int]]) -> Packed:
    """One batch of `sequences` of piece ids, each of at least one; ValueError for an empty one."""
    lengths = [len(sequence) for sequence in sequences]
    if 0 in lengths:
        raise ValueError(f"sequence {lengths.index(0)} of the batch has no pieces")
    ids = torch.tensor(list(chain.from_iterable(sequences)), dtype=torch.int64)
    return Packed(ids, torch.tensor(list(accumulate(lengths, initial=0)), dtype=torch.int64))
