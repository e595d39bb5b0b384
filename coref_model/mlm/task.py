"""Continued pretraining as a task of the training loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic.dataclasses import dataclass as checked
from torch import Tensor

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.packed import Packed, pack
from corefmill.coref_model.masked.head import perplexity
from corefmill.coref_model.masked.scorer import Scorer
from corefmill.coref_model.mlm.masking import Hidden, Masking, hide
from corefmill.coref_model.mlm.packing import Sequences
from corefmill.coref_model.training.config import CHECKED, Positive, Share, TaskSettings
from corefmill.coref_model.training.task import ParameterGroup, groups_of
from corefmill.corpora.errors import UsageError

EVALUATED_SHARE = 0.15
"""Of the pieces held out, those hidden in an evaluation, so that other shares compare."""


@checked(frozen=True, kw_only=True, config=CHECKED)
class MlmSettings(TaskSettings):
    """What continued pretraining has besides; each key is explained in settings/mlm.toml."""

    length: Positive
    masked: Share
    random: Share
    unchanged: Share
    dropout: bool
    evaluated_pieces: Positive
    head: str

    def __post_init__(self) -> None:
        if not 0 < self.masked < 1:
            raise ValueError("masked is a share of the pieces above 0 and below 1")
        if self.random + self.unchanged > 1:
            raise ValueError("random and unchanged are shares of the hidden words: 1 at most")


@dataclass(frozen=True, slots=True)
class SequenceBatch:
    """Sequences to be hidden, by their numbers."""

    sequences: tuple[int, ...]


class SequenceBatches(Sequence[SequenceBatch]):
    """The batches of an epoch: an order of the sequences, cut where the pieces are enough."""

    def __init__(self, order: NDArray[np.int64], lengths: NDArray[np.int64], size: int) -> None:
        """`order`, [s], are sequences, `lengths` theirs in the same order, `size` is in pieces."""
        self._order = order
        # A batch begins with each sequence at which the running sum enters another multiple.
        filled = (np.cumsum(lengths) - lengths) // size  # [s]
        self._cuts = np.append(np.flatnonzero(np.diff(filled, prepend=-1)), len(order))

    def __len__(self) -> int:
        return len(self._cuts) - 1

    @overload
    def __getitem__(self, index: int) -> SequenceBatch: ...

    @overload
    def __getitem__(self, index: slice) -> list[SequenceBatch]: ...

    def __getitem__(self, index: int | slice) -> SequenceBatch | list[SequenceBatch]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        return SequenceBatch(tuple(self._order[self._cuts[at] : self._cuts[at + 1]].tolist()))


class MaskedLanguage:
    """A scorer that learns to tell hidden words of a text; a `training.task.Task`."""

    name = "mlm"
    metric = "accuracy"

    def __init__(self, model: Scorer, settings: MlmSettings, text: Sequences, seed: int) -> None:
        """Raises `UsageError` for a text too short to hold out a part of it."""
        self.model, self.settings, self.text = model, settings, text
        self._encoder: Encoder = model.encoder
        self._masking = Masking(settings.masked, settings.random, settings.unchanged)
        pieces = self._encoder.pieces
        special = {pieces.mask_id, pieces.cls_id, pieces.sep_id, pieces.pad_id, pieces.unk_id}
        self._replacements = np.array(
            [piece for piece in range(pieces.vocabulary) if piece not in special], np.int32
        )
        self.train, self.dev = held_out(text, settings.held_out, settings.held_out_seed)
        self._asked = list(self._fixed(seed))

    def groups(self) -> list[ParameterGroup]:
        """The head, and of the encoder what is trained; vectors have no weight decay."""
        return groups_of(self.model, self.settings, "head", vectors_apart=True)

    def batches(self, epoch: int, seed: int) -> SequenceBatches:
        """All sequences in another order each epoch."""
        order = np.random.default_rng((seed, epoch)).permutation(self.train)
        lengths = np.diff(self.text.starts)[order]
        return SequenceBatches(order, lengths, self.settings.batch_pieces)

    def loss(self, batch: SequenceBatch) -> tuple[Tensor, int]:
        """The sum over the hidden pieces of -log P, and how many they are."""
        rng = np.random.default_rng(np.random.randint(0, 2**31, 4))
        if not self.settings.dropout:
            self._encoder.eval()
        hidden = [self._hide(number, self._masking, rng) for number in batch.sequences]
        sequences, positions, answers = self._collate(hidden)
        vectors = self._encoder(sequences)[positions]  # [m, w]
        chances = self.model.head.log_probabilities(
            vectors,
            torch.arange(len(answers), device=vectors.device),
            answers,
            self._encoder.word_embeddings,
        )  # [m]
        return -chances.sum(), len(answers)

    def evaluate(self) -> dict[str, float]:
        """Accuracy and perplexity on pieces of whole words hidden once and for all, as masks."""
        right, total, loss = 0, 0, 0.0
        for hidden in self._asked:
            sequences, positions, answers = self._collate(hidden)
            vectors = self._encoder(sequences)[positions]  # [m, w]
            logits = self.model.head.logits(vectors, self._encoder.word_embeddings).float()
            loss += torch.nn.functional.cross_entropy(logits, answers, reduction="sum").item()
            right += int((logits.argmax(-1) == answers).sum())
            total += len(answers)
        return {
            "accuracy": right / total,
            "loss": loss / total,
            "perplexity": perplexity(loss / total),
            "pieces": float(total),
        }

    def _fixed(self, seed: int) -> list[list[Hidden]]:
        """SequenceBatches of the development share, hidden, up to `evaluated_pieces`."""
        rng = np.random.default_rng(seed)
        order = rng.permutation(self.dev)
        lengths = np.diff(self.text.starts)[order]
        enough = int(np.searchsorted(np.cumsum(lengths), self.settings.evaluated_pieces)) + 1
        masking = Masking(EVALUATED_SHARE, 0.0, 0.0)
        return [
            [self._hide(number, masking, rng) for number in batch.sequences]
            for batch in SequenceBatches(
                order[:enough], lengths[:enough], self.settings.batch_pieces
            )
        ]

    def _hide(self, number: int, masking: Masking, rng: np.random.Generator) -> Hidden:
        pieces, begins = self.text[number]
        return hide(pieces, begins, masking, self._encoder.pieces.mask_id, self._replacements, rng)

    def _collate(self, hidden: Sequence[Hidden]) -> tuple[Packed, Tensor, Tensor]:
        """The sequences, positions [m] of what is asked among their pieces, and the answers [m]."""
        pieces = self._encoder.pieces
        sequences = pack([pieces.wrap(one.pieces.tolist()) for one in hidden])
        before = pieces.specials[0]
        begins = sequences.starts[:-1].tolist()
        positions = np.concatenate(
            [one.positions + start + before for one, start in zip(hidden, begins, strict=True)]
        )
        answers = np.concatenate([one.answers for one in hidden]).astype(np.int64)
        device = self._encoder.device
        return (
            sequences.to(device),
            torch.from_numpy(positions).to(device),
            torch.from_numpy(answers).to(device),
        )


def held_out(
    text: Sequences, share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the sequences to learn from, and of those held out: whole documents.

    Documents are drawn until they hold at least `share` of the sequences; of a single document the
    end is held out. Raises `UsageError` for a text of fewer than two sequences.
    """
    count = len(text)
    if count < 2:
        raise UsageError(
            f"the text makes {count} sequence{'s' * (count != 1)}: too little to learn from",
            remedy="give more text, or a smaller length",
        )
    sizes = np.bincount(text.documents)
    present = np.flatnonzero(sizes)
    if len(present) == 1:
        edge = max(1, int(count * (1 - share)))
        return np.arange(edge), np.arange(edge, count)
    order = np.random.default_rng(seed).permutation(present)
    reached = np.cumsum(sizes[order])
    taken = order[: min(len(order) - 1, int(np.searchsorted(reached, share * count)) + 1)]
    chosen = np.isin(text.documents, taken)
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)
