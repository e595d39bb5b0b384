"""The scorer: log P(candidate | passage), for all candidates of many passages in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import torch
from torch import Tensor, nn

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.packed import Packed, pack
from corefmill.coref_model.masked.head import Head
from corefmill.coref_model.masked.items import CandidateInput

Score = Literal["mean", "sum128"]


@dataclass(frozen=True, slots=True)
class CandidateBatch:
    """The candidates of a batch of passages, c in all, on s distinct sequences with m masks.

    Candidates of a passage with equally many pieces stand on the same sequence.
    """

    sequences: Packed  # s sequences
    masks: Tensor  # [m] int64, indices of the masks among the n pieces of the sequences
    rows: Tensor  # [p] int64, for each piece of each candidate the mask that it would fill
    pieces: Tensor  # [p] int64, those pieces
    owners: Tensor  # [p] int64, the candidate of each
    sizes: Tensor  # [c] int64, pieces of each candidate

    def to(self, device: torch.device | str) -> CandidateBatch:
        """The same on `device`."""
        return CandidateBatch(
            self.sequences.to(device),
            *(
                part.to(device, non_blocking=True)
                for part in (self.masks, self.rows, self.pieces, self.owners, self.sizes)
            ),
        )


def collate(items: Sequence[CandidateInput]) -> CandidateBatch:
    """One batch of c candidates; equal sequences are encoded once."""
    indices: dict[tuple[tuple[int, ...], int, int], int] = {}  # the first row of each
    sequences: list[tuple[int, ...]] = []
    begins: dict[tuple[int, ...], int] = {}  # where each stands among the n pieces
    total = 0
    masks: list[int] = []
    rows: list[int] = []
    for item in items:
        if item.sequence not in begins:
            begins[item.sequence] = total
            sequences.append(item.sequence)
            total += len(item.sequence)
        key = item.sequence, item.first, len(item.pieces)
        if key not in indices:
            indices[key] = len(masks)
            begin = begins[item.sequence] + item.first
            masks.extend(range(begin, begin + len(item.pieces)))
        rows.extend(range(indices[key], indices[key] + len(item.pieces)))
    sizes = torch.tensor([len(item.pieces) for item in items], dtype=torch.int64)
    return CandidateBatch(
        pack(sequences),
        torch.tensor(masks, dtype=torch.int64),
        torch.tensor(rows, dtype=torch.int64),
        torch.tensor([piece for item in items for piece in item.pieces], dtype=torch.int64),
        torch.arange(len(items)).repeat_interleave(sizes),
        sizes,
    )


class Scorer(nn.Module):
    """An encoder with a masked-LM head.

    `deltas` are low-rank ones that came with the head and are in the weights of an encoder that is
    not trained as a whole; they are kept, since a checkpoint has nothing else of those weights.
    """

    def __init__(
        self,
        encoder: Encoder,
        head: Head,
        score: Score = "mean",
        *,
        deltas: Mapping[str, Tensor] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.encoder, self.head, self.score = encoder, head, score
        self.base = nn.Module()
        for name, delta in deltas.items():
            self.base.register_buffer(name.replace(".", "/"), delta)  # a name has no full stop

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.head.bias.device

    def deltas(self) -> dict[str, Tensor]:
        """The deltas that came with the head, by their names in the encoder."""
        return {name.replace("/", "."): delta for name, delta in self.base.named_buffers()}

    def forward(self, batch: CandidateBatch) -> Tensor:
        """The score of each candidate, [c], in the order of the batch's items.

        "mean" is the mean of log P over the candidate's pieces (section 4.2). "sum128" is their
        sum over 128, as the published code has it, whose mean went over all 128 indices.
        """
        batch = batch.to(self.device)
        vectors = self.encoder(batch.sequences)[batch.masks]  # [m, w]
        chances = self.head.log_probabilities(
            vectors, batch.rows, batch.pieces, self.encoder.word_embeddings
        )  # [p]
        sums = chances.new_zeros(len(batch.sizes)).index_add(0, batch.owners, chances)  # [c]
        return sums / (batch.sizes if self.score == "mean" else 128)
