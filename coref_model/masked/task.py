"""Choosing the right candidate for a masked name or pronoun, as a task of the training loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch
from pydantic.dataclasses import dataclass as settings_class
from torch import Tensor

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.masked import heads
from corefmill.coref_model.masked.answers import Answering, CandidateScores, figures
from corefmill.coref_model.masked.scorer import CandidateInput, Scorer, collate, items
from corefmill.coref_model.training.checkpoint import restore
from corefmill.coref_model.training.config import CHECKED, Natural, Positive, Rate, TaskSettings
from corefmill.coref_model.training.task import (
    ParameterGroup,
    Probe,
    TaskKind,
    averaged,
    checked,
    groups_of,
)
from corefmill.corpora import record_meta
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.find import Records
from corefmill.corpora.records import MaskedExample, Record, Source

Margin = Literal["example", "batch"]


def margin_loss(
    right: Tensor, wrong: Tensor, *, alpha: float, beta: float, margin: Margin = "example"
) -> Tensor:
    """The loss of each of e pairs, [e], of the scores log P(a | S) and log P(b | S), both [e].

    With L = -log P (section 4.3): L(a) + alpha * max(0, beta + L(a) - L(b)). In margin "batch",
    as in the published code, L(b) is the mean over the pairs of the batch instead of the pair's
    own, so that the loss of a pair depends on those beside it.
    """
    if right.shape != wrong.shape or right.ndim != 1:
        raise ValueError(f"scores of pairs are [e] and [e], not {right.shape} and {wrong.shape}")
    against = wrong.mean() if margin == "batch" and len(wrong) else wrong
    return -right + alpha * torch.clamp(beta - right + against, min=0)


@settings_class(frozen=True, kw_only=True, config=CHECKED)
class MaskedSettings(TaskSettings):
    """What the task has besides; each key is explained in settings/masked.toml."""

    alpha: Rate
    beta: Rate
    margin: Literal["example", "batch"]
    score: Literal["mean", "sum128"]
    wrong: Natural
    batch_pairs: Positive
    length: Natural
    head: str
    dropout: bool


@dataclass(frozen=True, slots=True)
class PassagePairs:
    """A passage by its number, and the wrong candidates beside its right one."""

    passage: int
    wrong: tuple[int, ...]


PassageBatch = tuple[PassagePairs, ...]

Answers = Callable[[Any, Any, Iterable[MaskedExample]], Iterator[CandidateScores]]
"""Of a model with its settings the answers to examples."""


class MaskedNames:
    """A scorer that learns by loss (1); a `training.task.Task`."""

    name = "masked"
    metric = "accuracy"

    def __init__(
        self,
        model: Scorer,
        settings: MaskedSettings,
        train: Sequence[MaskedExample],
        dev: Mapping[str, Sequence[MaskedExample]],
    ) -> None:
        """Takes the examples of each split; those without a right candidate teach nothing."""
        self.model, self.settings = model, settings
        self.train = [example for example in train if example.label is not None]
        self.dev = dev
        self.window = window(model.encoder, settings.length)
        self._merged = {name: delta.clone() for name, delta in model.deltas().items()}

    def groups(self) -> list[ParameterGroup]:
        """Group the head's and trained encoder's parameters; vectors have no weight decay."""
        return groups_of(self.model, self.settings, "head", vectors_apart=True)

    def batches(self, epoch: int, seed: int) -> list[PassageBatch]:
        """Passages in another order each epoch, each with `wrong` of its wrong candidates.

        As in the paper each wrong candidate makes a pair of its own (section 3). A batch ends
        before it has more than `batch_pairs` pairs or, roughly, `batch_pieces` pieces.
        """
        self._check_deltas()
        rng = np.random.default_rng((seed, epoch))
        found: list[PassageBatch] = []
        held: list[PassagePairs] = []
        pairs = pieces = 0
        for number in rng.permutation(len(self.train)).tolist():
            example = self.train[number]
            others = [at for at in range(len(example.candidates)) if at != example.label]
            if self.settings.wrong and len(others) > self.settings.wrong:
                drawn = rng.choice(len(others), self.settings.wrong, replace=False)
                others = [others[at] for at in sorted(drawn.tolist())]
            # About as many pieces: a sequence for each length of candidate.
            lengths = {len(candidate.split()) for candidate in example.candidates}
            size = min(len(example.text) // 4 + 8, self.window) * len(lengths)
            full = pairs + len(others) > self.settings.batch_pairs
            if held and (full or pieces + size > self.settings.batch_pieces):
                found.append(tuple(held))
                held, pairs, pieces = [], 0, 0
            held.append(PassagePairs(number, tuple(others)))
            pairs, pieces = pairs + len(others), pieces + size
        if held:
            found.append(tuple(held))
        return found

    def loss(self, batch: PassageBatch) -> tuple[Tensor, int]:
        """The sum of loss (1) over the batch's pairs, and how many they are."""
        if not self.settings.dropout:
            self.model.encoder.eval()
        chosen: list[CandidateInput] = []
        right: list[int] = []  # of each pair, the index of its right candidate among the chosen
        wrong: list[int] = []
        for one in batch:
            example = self.train[one.passage]
            made = items(example, self.model.encoder.pieces, self.window)
            assert example.label is not None
            index = len(chosen)
            chosen.append(made[example.label])
            for at in one.wrong:
                right.append(index)
                wrong.append(len(chosen))
                chosen.append(made[at])
        scores = self.model(collate(chosen))  # [c]
        losses = margin_loss(
            scores[torch.tensor(right, device=scores.device)],
            scores[torch.tensor(wrong, device=scores.device)],
            alpha=self.settings.alpha,
            beta=self.settings.beta,
            margin=self.settings.margin,
        )  # [pairs]
        return losses.sum(), len(losses)

    def _check_deltas(self) -> None:
        """Raises `UsageError` where a checkpoint put in other deltas than the encoder was given."""
        there = self.model.deltas()
        if any(not torch.equal(there[name].cpu(), own) for name, own in self._merged.items()):
            raise UsageError(
                "the model to begin with was trained over another head of the same encoder",
                remedy="name that head: --set head=FOLDER",
            )

    def evaluate(self) -> dict[str, float]:
        """Of each development split the share of examples whose right candidate scores highest.

        A tie is no right answer. `ties` and `cut` count examples; `cut` is those of which the
        window left out a part. Examples without a right candidate are not asked.
        """
        answering = Answering(self.model, self.window, self.settings.batch_pieces)
        return judged(self.dev, answering.answers)


def _make(
    encoder: Encoder, settings: MaskedSettings, splits: Mapping[str, Records], seed: int
) -> MaskedNames:
    found = {name: labelled(records, name, _lean) for name, records in splits.items()}
    train = found.pop("train")
    return MaskedNames(scorer(encoder, settings), settings, train, found)


def _load(encoder: Encoder, settings: MaskedSettings, tensors: Mapping[str, Tensor]) -> Scorer:
    """Load a checkpoint's scorer; all but the named encoder is in the checkpoint."""
    deltas = {
        name.removeprefix("base.").replace("/", "."): tensor
        for name, tensor in tensors.items()
        if name.startswith("base.")
    }
    heads.merge(encoder, deltas)
    head = heads.fresh(encoder, tied="head.decoder" not in tensors)
    return restore(Scorer(encoder, head, settings.score, deltas=deltas), tensors)


def answers(
    model: Scorer, settings: MaskedSettings, examples: Iterable[MaskedExample]
) -> Iterator[CandidateScores]:
    """A score for every candidate of each example."""
    answering = Answering(model, window(model.encoder, settings.length), settings.batch_pieces)
    return answering.answers(examples)


def choosing(*, answers: Answers, **more: Any) -> TaskKind:
    """A kind of task that chooses candidates: what it answers is what it predicts."""

    def predict(model: Any, settings: Any, records: Iterable[Record]) -> Iterator[Record]:
        examples = list(checked(records, MaskedExample, "the input"))
        for example, answer in zip(examples, answers(model, settings, examples), strict=True):
            yield replace(example, label=answer.choice)

    def probe(model: Any, settings: Any) -> Probe:
        said = answers(model, settings, _plain_examples())
        return Probe([score for one in said for score in one.values])

    return TaskKind(records="masked", predict=predict, probe=probe, answers=answers, **more)


def judged(
    splits: Mapping[str, Sequence[MaskedExample]],
    answers: Callable[[list[MaskedExample]], Iterable[CandidateScores]],
) -> dict[str, float]:
    """Compute the `figures` of each split's labelled examples, and their means."""
    asked = {
        name: [one for one in examples if one.label is not None]
        for name, examples in splits.items()
    }
    return averaged({name: figures(own, answers(own)) for name, own in asked.items()})


def _plain_examples() -> list[MaskedExample]:
    """Make a few plain passages, with different scores by a sound model."""
    passages = ("Ann met Eve because she was early.", "Ann thanked Eve, since she had helped.")
    found = []
    for number, text in enumerate(passages):
        target, eve = (text.index("she"), text.index("she") + 3), text.index("Eve")
        stated = ((0, 0, 3), (1, eve, eve + 3))
        source = Source("", 0)
        plain = MaskedExample(
            f"plain{number}", "en", text, (), target, ("Ann", "Eve"), stated, None, source
        )
        found.append(
            record_meta.add_syntax(plain, [None] * 3)
        )  # which a model may ask, and nobody parsed
    return found


def scorer(encoder: Encoder, settings: MaskedSettings) -> Scorer:
    """Make the scorer of `encoder`, with its head's deltas merged into the weights."""
    found = heads.find(encoder, settings.head)
    heads.merge(encoder, found.deltas)
    kept = {} if encoder.trained else found.deltas
    return Scorer(encoder, found.head, settings.score, deltas=kept)


def window(encoder: Encoder, length: int) -> int:
    """Pieces of a passage at most, specials included: `length`, or 0 for all the encoder reads."""
    if length > encoder.window:
        raise UsageError(
            f"length is {length}, and {encoder.name} reads {encoder.window} pieces at once",
            remedy=f"--set length={encoder.window}, or 0 for all that it reads",
        )
    return length or encoder.window


def labelled(
    records: Records, split: str, lean: Callable[[MaskedExample], MaskedExample]
) -> list[MaskedExample]:
    """The examples of a split, each without what `lean` drops; `DataError` where none has an
    answer."""
    found = [lean(one) for one in checked(records, MaskedExample, f"split {split}")]
    if not any(example.label is not None for example in found):
        raise DataError(f"split {split} has no example with a right candidate")
    return found


def _lean(example: MaskedExample) -> MaskedExample:
    """Without sentences, the mentions of candidates and what else a corpus may state."""
    if example.sentences or example.mentions or example.meta:
        return replace(example, sentences=(), mentions=(), meta={})
    return example


KIND = choosing(
    name="masked",
    Settings=MaskedSettings,
    make=_make,
    load=_load,
    lean=_lean,
    answers=answers,
)
