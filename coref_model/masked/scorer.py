"""Score candidates for a masked name: log P(candidate | passage), in batches.

A passage is the words round the target in pieces, with the pieces of each candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import torch
from torch import Tensor, nn

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.packed import Packed, pack
from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.coref_model.masked.heads import Head
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True)
class CandidateInput:
    """One candidate in its passage, ready for the encoder.

    `sequence` is the passage with as many masks at the target as the candidate has pieces
    (section 4.2), from `first` on; `pieces` are the candidate's; `cut` counts the pieces of the
    passage that had no room in the window.
    """

    sequence: tuple[int, ...]
    first: int
    pieces: tuple[int, ...]
    cut: int = 0


def items(example: MaskedExample, pieces: Pieces, window: int) -> list[CandidateInput]:
    """One item for each candidate, in their order; none depends on the other candidates.

    The target is taken out by its offsets, so it may stand beside punctuation or twice in the text.
    A passage longer than `window` pieces (specials included) is cut round the target: both sides
    keep as much as there is room for. Raises `DataError` for a candidate that alone fills more
    than the window, or that has no piece.
    """
    start, end = example.target
    # The blank before the target goes with the candidate, whose pieces may depend on it.
    blank = example.text[start - 1] if start and example.text[start - 1].isspace() else ""
    left = pieces.text(example.text[: start - len(blank)])[0]
    found = []
    for candidate in example.candidates:
        middle, right = _in_place(pieces, blank + candidate, example.text[end:])
        if not middle:
            raise DataError(
                f"{example.id}: the tokenizer leaves nothing of candidate {candidate!r}",
                remedy="drop that example or that candidate",
            )
        room = window - sum(pieces.specials) - len(middle)
        if room < 0:
            raise DataError(
                f"{example.id}: candidate {candidate[:40]!r} takes {len(middle)} pieces;"
                f" the window has {window}",
                remedy="drop that candidate, or take an encoder with a longer window",
            )
        before, after = fitted(len(left), len(right), room)
        inner = (*left[len(left) - before :], *([pieces.mask_id] * len(middle)), *right[:after])
        found.append(
            CandidateInput(
                tuple(pieces.wrap(inner)),
                pieces.specials[0] + before,
                tuple(middle),
                len(left) + len(right) - before - after,
            )
        )
    return found


def _in_place(pieces: Pieces, middle: str, right: str) -> tuple[list[int], list[int]]:
    """Pieces of a candidate and of what follows it, as they are where the two stand together."""
    ids, spans = pieces.text(middle + right)
    size = len(middle)
    edge = next((at for at, (_, end) in enumerate(spans) if end > size), len(spans))
    if edge < len(spans) and spans[edge][0] < size:  # a piece with letters of both
        return pieces.text(middle)[0], pieces.text(right)[0]
    return ids[:edge], ids[edge:]


def fitted(left: int, right: int, room: int) -> tuple[int, int]:
    """How many pieces to keep on each side: half the room each, and what the other leaves."""
    before = min(left, max(room - right, (room + 1) // 2))
    return before, min(right, room - before)


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
        """The device of the parameters."""
        return self.head.bias.device

    def deltas(self) -> dict[str, Tensor]:
        """Return the head's deltas, by their names in the encoder."""
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
