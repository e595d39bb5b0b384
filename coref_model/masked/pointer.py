"""The task `pointer`: choose the candidate behind a masked name or a pronoun.

Each mention of each candidate gets a score as the antecedent of the mask or the pronoun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import accumulate
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field
from pydantic.dataclasses import dataclass as settings_class
from torch import Tensor, nn
from torch.nn import functional

from corefmill.coref_model.documents import surface
from corefmill.coref_model.documents.ranking import BUCKETS, number_buckets
from corefmill.coref_model.documents.surface import SENTENCES, Strings, WeightTable
from corefmill.coref_model.encoder.encoder import Encoder, EncodingCache
from corefmill.coref_model.encoder.pieces import Packed, batch_by_size, pack
from corefmill.coref_model.masked.answers import CandidateScores
from corefmill.coref_model.masked.passages import (
    PointedPassage,
    find_mentions,
    list_features,
    make_passage,
)
from corefmill.coref_model.masked.task import (
    ChoiceTask,
    drop_unused,
    make_choice_kind,
)
from corefmill.coref_model.pairs.scorer import PairScorer, SpanVectors
from corefmill.coref_model.training.checkpoint import restore
from corefmill.coref_model.training.config import CHECKED, Natural, Share, TaskSettings, Width
from corefmill.coref_model.training.task import ParameterGroup, group_parameters
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, MaskedExample, Sentence, Token

PLACES = 4
"""Classes of a mention's order, from either end of the mentions before the target: first, second,
third, later."""


@dataclass(frozen=True, slots=True)
class PointerBatch:
    """The m spans of e passages: for each passage the target's, then those of the mentions.

    `first` and `second` are the spans of the target and the mention of p pairs. `cells` are the
    places of their scores in a table of the `shape` passages e by candidates k by mentions r.
    """

    sequences: Packed  # e sequences
    starts: Tensor  # [m] int64, pieces among the n of the sequences
    ends: Tensor  # [m] exclusive
    strings: Strings  # [m]
    beside: Tensor  # [m, 2] checksums of the words before and behind, 0 for none
    first: Tensor  # [p]
    second: Tensor  # [p]
    order: Tensor  # [p] class of the numbers of mentions before it, and between
    cells: Tensor  # [p]
    shape: tuple[int, int, int]
    syntax: Tensor  # [x] rows of the pairs' features by trees, one pair's behind the other's
    syntax_starts: Tensor  # [p] the first row of each pair

    def to(self, device: torch.device) -> PointerBatch:
        """Move all tensors to `device`."""
        strings = (getattr(self.strings, field.name).to(device) for field in fields(Strings))
        moved: dict[str, Any] = {
            field.name: own.to(device)
            for field in fields(self)
            if isinstance(own := getattr(self, field.name), Tensor | Packed)
        }
        return replace(self, strings=Strings(*strings), **moved)


def collate(passages: Sequence[PointedPassage]) -> PointerBatch:
    """Join passages to one batch of tensors for the pointer."""
    begins = list(accumulate((len(one.ids) for one in passages), initial=0))
    firsts = list(accumulate((len(one.spans) for one in passages), initial=0))
    spans = [
        (start + begin, end + begin)
        for one, begin in zip(passages, begins, strict=False)
        for start, end in one.spans
    ]
    # The table of scores has the size of the batch's largest passage.
    most = max((one.owners.count(at) for one in passages for at in one.owners), default=1)
    shape = len(passages), max(one.count for one in passages), most
    pairs: list[tuple[int, int, int, int]] = []
    for row, (one, first) in enumerate(zip(passages, firsts, strict=False)):
        # Mentions before the target are counted from either end: the first is often the subject,
        # the last the nearest; those behind it share one class.
        before = sum(place[0] < one.places[0][0] for place in one.places[1:])
        seen = [0] * one.count
        for at, owner in enumerate(one.owners):
            cell = (row * shape[1] + owner) * most + seen[owner]
            seen[owner] += 1
            ends = min(at, PLACES - 1) * PLACES + min(before - 1 - at, PLACES - 1)
            order = ends if at < before else PLACES * PLACES
            pairs.append((first, first + 1 + at, order, cell))
    first_spans, second_spans, orders, cells = (
        torch.tensor(pairs, dtype=torch.int64).view(-1, 4).unbind(1)
    )
    borders = torch.tensor(spans, dtype=torch.int64)  # [m, 2]
    strings, beside = _checksum_words(passages)
    rows = [own for one in passages for own in (one.syntax or [()] * len(one.owners))]
    return PointerBatch(
        pack([one.ids for one in passages]),
        borders[:, 0],
        borders[:, 1],
        strings,
        beside,
        first_spans,
        second_spans,
        orders,
        cells,
        shape,
        torch.tensor([row for own in rows for row in own], dtype=torch.int64),
        torch.tensor([0, *accumulate(map(len, rows))][:-1], dtype=torch.int64),
    )


def _checksum_words(passages: Sequence[PointedPassage]) -> tuple[Strings, Tensor]:
    """Checksum the words of the m spans, and the two words beside each, [m, 2]."""
    sizes = [sum(map(len, one.sentences)) for one in passages]
    begins = list(accumulate(sizes, initial=0))
    sentences = [Sentence(tuple(map(Token, forms))) for one in passages for forms in one.sentences]
    places = [
        (start + begin, end + begin)
        for one, begin in zip(passages, begins, strict=False)
        for start, end in one.places
    ]
    starts, ends = np.ascontiguousarray(np.array(places, dtype=np.int64).reshape(-1, 2).T)
    words = surface.checksum_words(Document("batch", 0, "und", tuple(sentences), ()), starts, ends)
    kept = np.arange(len(starts))
    strings = Strings.select(words, starts, ends, kept, torch.device("cpu"))
    low, high = (
        np.repeat(bounds, [len(one.places) for one in passages])
        for bounds in (begins[:-1], begins[1:])
    )
    forms = np.concatenate([words.forms, [0]])
    before = np.where(starts > low, forms[starts - 1], 0)
    after = np.where(ends < high, forms[ends], 0)
    return strings, torch.from_numpy(np.stack([before, after], axis=1))


class PointerFeatures(nn.Module):
    """Score a pair by role and distance: the places of the two, and the words beside them.

    The word before and the word behind a mention show its role without a parser ("to [Ann]",
    "[Ann] said", "[Ann]'s"); the form of a pronoun shows the pronoun's role.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.distance = nn.Embedding(2 * BUCKETS, hidden)
        self.order = nn.Embedding(PLACES * PLACES + 1, hidden)
        self.sentence = nn.Embedding(len(SENTENCES) + 1, hidden)
        self.table = WeightTable()
        for one in (self.distance, self.order, self.sentence):
            nn.init.zeros_(one.weight)  # so that nothing is preferred before it is learnt

    def forward(self, batch: PointerBatch) -> tuple[Tensor, Tensor]:  # [p, h], [p]
        """Compute pair features, to add to the pair scorer's first layer, and score additions."""
        spans, first, second = batch.strings, batch.first, batch.second
        behind = (spans.starts[second] >= spans.ends[first]).long()  # [p] the mention comes later
        words = (spans.starts[first] - spans.ends[second]).clamp(min=0)
        words = torch.where(behind > 0, spans.starts[second] - spans.ends[first], words)
        near = number_buckets(words) + BUCKETS * behind  # [p]
        gap = (spans.sentences[first] - spans.sentences[second]).abs()
        borders = torch.tensor(SENTENCES, device=gap.device)
        gap = torch.bucketize(gap, borders, right=True)  # [p]
        own, looks = spans.first[first], spans.shape[second]
        before, after = batch.beside[second].unbind(1)  # [p] each
        own_before, own_after = batch.beside[first].unbind(1)
        templates = (
            (own, before),
            (own, after),
            (own, looks),
            (own, looks, gap),
            (own, batch.order),
            (own, batch.order, gap),
            (own, near),
            (own_before, before),
            (own_after, after),
            (own_before, batch.order),
        )
        dense = self.distance(near) + self.order(batch.order) + self.sentence(gap)
        return dense, self.table(templates).sum(0)


class Pointer(nn.Module):
    """An encoder, vectors of spans, and the score of a target and a mention.

    Span vectors are projected to the width `pair_width`, and dropout applies to them. With the
    setting `syntax`, passages have features from trees.
    """

    def __init__(self, encoder: Encoder, settings: PointerSettings) -> None:
        super().__init__()
        self.encoder, self.rate, hidden = encoder, settings.dropout, settings.hidden
        self.norm = nn.LayerNorm(encoder.width)
        self.spans = SpanVectors(encoder.width, hidden)
        self.narrow = nn.Linear(self.spans.size, settings.pair_width)
        self.pairs = PairScorer(settings.pair_width, hidden)
        self.features = PointerFeatures(hidden) if settings.features else None
        self.syntax = WeightTable() if settings.syntax else None

    @property
    def device(self) -> torch.device:
        """The device of the parameters."""
        return self.narrow.weight.device

    def encode(self, passage: PointedPassage) -> Tensor:
        """Encode one passage's pieces, [n, w]."""
        vectors: Tensor = self.encoder(pack([passage.ids]))
        return vectors

    def forward(self, batch: PointerBatch, encoded: Tensor | None = None) -> Tensor:
        """Score each candidate, [e, k]: logsumexp of the scores of its mentions.

        Candidates without a mention, and the padding of a row, have -inf. `encoded`, [n, w], is the
        encoding of the batch's pieces, if cached.
        """
        batch = batch.to(self.device)
        pieces = self.norm(self.encoder(batch.sequences) if encoded is None else encoded)  # [n, w]
        g = self.narrow(self.spans(pieces, batch.starts, batch.ends))  # [m, d]
        g = functional.dropout(g, self.rate, self.training)
        dense = written = None
        if self.features is not None:
            dense, written = self.features(batch)
        scores = self.pairs(g, batch.first, batch.second, dense)  # [p]
        if written is not None:
            scores = scores + written
        if self.syntax is not None:
            scores = scores + self.syntax.sum_weights(batch.syntax, batch.syntax_starts)
        rows, most, times = batch.shape
        table = scores.new_full((rows * most * times,), -torch.inf, dtype=torch.float32)
        table = table.index_copy(0, batch.cells, scores.float())
        # The gradient of logsumexp over -inf alone is not a number.
        table = table.view(rows * most, times)  # [e k, r]
        there = (table > -torch.inf).any(1)  # [e k]
        whole: Tensor = table.new_full((rows * most,), -torch.inf)  # [e k]
        whole = whole.masked_scatter(there, table[there].logsumexp(1))
        return whole.view(rows, most)


@settings_class(frozen=True, kw_only=True, config=CHECKED)
class PointerSettings(TaskSettings):
    """The task's own settings; each key is explained in settings/pointer.toml."""

    pronouns: Literal["shown", "hidden"]
    hide: Share
    features: bool
    syntax: bool
    hidden: Width
    pair_width: Width
    dropout: Annotated[float, Field(ge=0, lt=1)]
    length: Natural
    cache_mb: Natural


PointedBatch = list[tuple[int, bool]]
"""Numbers of passages, each with whether its pronoun is hidden in this epoch."""


class PointerTask(ChoiceTask):
    """Trains a pointer by the likelihood of the right candidate; a `training.task.Task`.

    A frozen encoder's vectors are cached, up to `cache_mb`. `notes` has the number of examples that
    teach nothing, since their passage lacks the answer.
    """

    name = "pointer"
    model: Pointer
    settings: PointerSettings

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        known = len(self.train)
        self.train = [
            one for one in self.train if one.label in {owner for owner, *_ in find_mentions(one)}
        ]
        self.encodings = EncodingCache(self.settings.cache_mb * 2**20)
        self.notes: list[str] = []
        if lost := known - len(self.train):
            self.notes.append(
                f"split train: the answers of {lost:,} of {known:,} examples are not named"
            )
        if not self.train:
            raise DataError(
                "split train has no example whose right candidate stands in its passage",
                remedy="--task masked learns from those, too",
            )

    def answer(self, examples: Sequence[MaskedExample]) -> Iterator[CandidateScores]:
        """Score every candidate of each example."""
        return score_examples(self.model, self.settings, examples, self._encode)

    def groups(self) -> list[ParameterGroup]:
        """Group the scorers' and trained encoder's parameters; vectors have no weight decay."""
        return group_parameters(self.model, self.settings, "pointing", vectors_apart=True)

    def batches(self, epoch: int, seed: int) -> list[PointedBatch]:
        """Shuffle the passages of an epoch into batches, and hide some pronouns.

        A batch ends before it has, roughly, more than `batch_pieces` pieces.
        """
        rng = np.random.default_rng((seed, epoch))
        order = rng.permutation(len(self.train)).tolist()
        hidden = (rng.random(len(order)) < self.settings.hide).tolist()

        def count_pieces(one: tuple[int, bool]) -> int:
            return min(len(self.train[one[0]].text) // 4 + 8, self.window)

        drawn = zip(order, hidden, strict=True)
        return list(batch_by_size(drawn, count_pieces, self.settings.batch_pieces))

    def loss(self, batch: PointedBatch) -> tuple[Tensor, int]:
        """Sum -log of the right candidate's share over the passages with it in sight."""
        made = []
        for number, hidden in batch:
            example = self.train[number]
            passage = _make_passage(self.model, self.settings, self.window, example, hidden=hidden)
            if example.label in passage.owners:  # the window may lack its mentions
                made.append((passage, example.label))
        if not made:
            return torch.zeros((), device=self.model.device), 0
        passages = [passage for passage, _ in made]
        scores = self.model(collate(passages), self._encode(passages))  # [e, k]
        right = torch.tensor([label for _, label in made], device=scores.device)
        return functional.cross_entropy(scores, right, reduction="sum"), len(made)

    def _encode(self, passages: Sequence[PointedPassage]) -> Tensor | None:  # [n, w]
        """Encode the passages by a frozen encoder, each once; return None for a trained encoder."""
        if not self.model.encoder.frozen:
            return None
        return torch.cat(
            [self.encodings.get(one.ids, partial(self.model.encode, one)) for one in passages]
        )


def score_examples(
    model: Pointer,
    settings: PointerSettings,
    examples: Iterable[MaskedExample],
    encoded: Callable[[Sequence[PointedPassage]], Tensor | None] = lambda _: None,
) -> Iterator[CandidateScores]:
    """Score every candidate of each example; -inf for a candidate not in the passage.

    `encoded` returns the encodings [n, w] of passages, None if they are not cached.
    """
    most = model.encoder.choose_length("length", settings.length, specials=True)
    made = (_make_passage(model, settings, most, one, hidden=False) for one in examples)
    for batch in batch_by_size(made, lambda one: len(one.ids), settings.batch_pieces):
        with torch.no_grad():
            scores = model(collate(batch), encoded(batch)).tolist()
        for passage, row in zip(batch, scores, strict=True):
            yield CandidateScores(tuple(row[: passage.count]), bool(passage.cut))


def _make_passage(
    model: Pointer, settings: PointerSettings, most: int, example: MaskedExample, *, hidden: bool
) -> PointedPassage:
    """Make a model's input of an example, the target hidden by setting or by choice."""
    hidden = hidden or settings.pronouns == "hidden"
    syntax = list_features(example) if settings.syntax else ()
    return make_passage(example, model.encoder.pieces, most, hidden=hidden, syntax=syntax)


KIND = make_choice_kind(
    name="pointer",
    Settings=PointerSettings,
    make=lambda encoder, settings, splits, seed: PointerTask(
        Pointer(encoder, settings), settings, splits
    ),
    load=lambda encoder, settings, tensors: restore(Pointer(encoder, settings), tensors),
    lean=partial(drop_unused, mentions=True),
    answers=score_examples,
)
