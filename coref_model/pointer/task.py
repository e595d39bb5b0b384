"""The task `pointer`: chooses the candidate that a masked name or a pronoun stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field
from pydantic.dataclasses import dataclass as settings_class
from torch import Tensor
from torch.nn import functional

from corefmill.coref_model.encoder.encoder import Encoder, EncodingCache
from corefmill.coref_model.masked.answers import CandidateScores, in_batches
from corefmill.coref_model.masked.task import choosing, judged, labelled, window
from corefmill.coref_model.pointer.model import Pointer, collate
from corefmill.coref_model.pointer.passages import PointedPassage, mentions, pointed
from corefmill.coref_model.pointer.syntax import features_of
from corefmill.coref_model.training.checkpoint import restore
from corefmill.coref_model.training.config import (
    CHECKED,
    Natural,
    Share,
    TaskSettings,
    Width,
)
from corefmill.coref_model.training.task import ParameterGroup, groups_of
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.find import Records
from corefmill.corpora.record_meta import SYNTAX_KEY
from corefmill.corpora.records import MaskedExample


@settings_class(frozen=True, kw_only=True, config=CHECKED)
class PointerSettings(TaskSettings):
    """What the task has besides; each key is explained in settings/pointer.toml."""

    pronouns: Literal["shown", "hidden"]
    hide: Share
    features: bool
    syntax: bool
    hidden: Width
    pair_width: Width
    dropout: Annotated[float, Field(ge=0, lt=1)]
    length: Natural
    cache_mb: Natural


@dataclass(frozen=True, slots=True)
class DrawnPassage:
    """A passage by its number, and whether its pronoun is hidden this time."""

    passage: int
    hidden: bool


PointedBatch = tuple[DrawnPassage, ...]


class PointerTask:
    """A pointer that learns by the likelihood of the right candidate; a `training.task.Task`.

    What a frozen encoder makes of a passage is kept, up to `cache_mb`.
    `notes` says how many examples teach nothing, since their answer stands nowhere in the passage.
    """

    name = "pointer"
    metric = "accuracy"

    def __init__(
        self,
        model: Pointer,
        settings: PointerSettings,
        train: Sequence[MaskedExample],
        dev: Mapping[str, Sequence[MaskedExample]],
    ) -> None:
        """Takes the examples of each split; those without a right candidate teach nothing."""
        self.model, self.settings, self.dev = model, settings, dev
        known = [one for one in train if one.label is not None]
        self.train = [one for one in known if one.label in {owner for owner, *_ in mentions(one)}]
        self.window = window(model.encoder, settings.length)
        self.encodings = EncodingCache(settings.cache_mb * 2**20)
        self.notes: list[str] = []
        if lost := len(known) - len(self.train):
            self.notes.append(
                f"split train: the answers of {lost:,} of {len(known):,} examples are not named"
            )

    def groups(self) -> list[ParameterGroup]:
        """The scorers, and of the encoder what is trained; vectors have no weight decay."""
        return groups_of(self.model, self.settings, "pointing", vectors_apart=True)

    def batches(self, epoch: int, seed: int) -> list[PointedBatch]:
        """Passages in another order each epoch, some pronouns of it hidden.

        A batch ends before it has, roughly, more than `batch_pieces` pieces.
        """
        rng = np.random.default_rng((seed, epoch))
        order = rng.permutation(len(self.train)).tolist()
        hidden = (rng.random(len(order)) < self.settings.hide).tolist()
        drawn = map(DrawnPassage, order, hidden)

        def size(one: DrawnPassage) -> int:
            return min(len(self.train[one.passage].text) // 4 + 8, self.window)

        return [tuple(one) for one in in_batches(drawn, size, self.settings.batch_pieces)]

    def loss(self, batch: PointedBatch) -> tuple[Tensor, int]:
        """-log of the right candidate's share, summed over the passages in which it is seen."""
        made = []
        for one in batch:
            example = self.train[one.passage]
            passage = self._passage(example, hidden=one.hidden)
            if example.label in passage.owners:  # the window may have left its mentions out
                made.append((passage, example.label))
        if not made:
            return torch.zeros((), device=self.model.device), 0
        passages = [passage for passage, _ in made]
        scores = self.model(collate(passages), self._encoded(passages))  # [e, k]
        right = torch.tensor([label for _, label in made], device=scores.device)
        return functional.cross_entropy(scores, right, reduction="sum"), len(made)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Of each development split the share of examples whose right candidate scores highest,
        as the task `masked` has it."""
        return judged(self.dev, lambda own: answers(self.model, self.settings, own, self._encoded))

    def _encoded(self, passages: Sequence[PointedPassage]) -> Tensor | None:
        """[n, w] of what a frozen encoder makes of the passages, each encoded once; else None."""
        if not self.model.encoder.frozen:
            return None
        return torch.cat([self.encodings.of(one, self.model.encoded) for one in passages])

    def _passage(self, example: MaskedExample, *, hidden: bool) -> PointedPassage:
        return _passage(self.model, self.settings, self.window, example, hidden=hidden)


def answers(
    model: Pointer,
    settings: PointerSettings,
    examples: Iterable[MaskedExample],
    encoded: Callable[[Sequence[PointedPassage]], Tensor | None] = lambda _: None,
) -> Iterator[CandidateScores]:
    """A score for every candidate of each example; -inf for one that stands nowhere in it.

    `encoded` gives [n, w], what the encoder has made of passages, if that is known.
    """
    most = window(model.encoder, settings.length)
    made = (_passage(model, settings, most, one, hidden=False) for one in examples)
    for batch in in_batches(made, lambda one: len(one.ids), settings.batch_pieces):
        training = model.training
        model.eval()
        with torch.no_grad():
            scores = model(collate(batch), encoded(batch)).tolist()
        model.train(training)
        for passage, row in zip(batch, scores, strict=True):
            yield CandidateScores(tuple(row[: passage.count]), bool(passage.cut))


def _passage(
    model: Pointer, settings: PointerSettings, most: int, example: MaskedExample, *, hidden: bool
) -> PointedPassage:
    hidden = hidden or settings.pronouns == "hidden"
    syntax = features_of(example) if settings.syntax else ()
    return pointed(example, model.encoder.pieces, most, hidden=hidden, syntax=syntax)


def _model(encoder: Encoder, settings: PointerSettings) -> Pointer:
    return Pointer(
        encoder,
        hidden=settings.hidden,
        pair_width=settings.pair_width,
        features=settings.features,
        dropout=settings.dropout,
        syntax=settings.syntax,
    )


def _make(
    encoder: Encoder, settings: PointerSettings, splits: Mapping[str, Records], seed: int
) -> PointerTask:
    found = {name: labelled(records, name, _lean) for name, records in splits.items()}
    made = PointerTask(_model(encoder, settings), settings, found.pop("train"), found)
    if not made.train:
        raise DataError(
            "split train has no example whose right candidate stands in its passage",
            remedy="--task masked learns from those, too",
        )
    return made


def _load(encoder: Encoder, settings: PointerSettings, tensors: Mapping[str, Tensor]) -> Pointer:
    return restore(_model(encoder, settings), tensors)


def _lean(example: MaskedExample) -> MaskedExample:
    """Without sentences and what else a corpus may state; mentions are what is pointed at."""
    known = {key: value for key, value in example.meta.items() if key == SYNTAX_KEY}
    return replace(example, sentences=(), meta=known)


KIND = choosing(
    name="pointer",
    Settings=PointerSettings,
    make=_make,
    load=_load,
    lean=_lean,
    answers=answers,
)
