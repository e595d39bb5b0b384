"""The protocol of a task for the training loop, and the table of the kinds of task.

A task's module is imported when it is needed, so that this module is below all tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TypeVar

from torch import Tensor, nn

from corefmill.coref_model.encoder import Encoder, load
from corefmill.coref_model.training.config import TaskSettings
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.find import Records
from corefmill.corpora.records import KINDS as RECORD_KINDS
from corefmill.corpora.records import SCHEMAS, Record

R = TypeVar("R", bound=Record)
B = TypeVar("B")
"""A task's own description of a batch; tensors are made of it in `loss` only."""


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """Parameters with one maximum learning rate and weight decay; `name` heads a log's column."""

    name: str
    parameters: tuple[nn.Parameter, ...]
    lr: float
    weight_decay: float = 0.0


def group_parameters(
    model: Any, settings: TaskSettings, name: str, *, vectors_apart: bool = False
) -> list[ParameterGroup]:
    """Group the trained parameters: the `encoder`'s at `lr_encoder`, all others at `lr`.

    With `vectors_apart`, biases and norms have separate groups without weight decay.
    """
    inner = list(model.encoder.parameters())
    below = set(map(id, inner))
    own = [parameter for parameter in model.parameters() if id(parameter) not in below]
    found = []
    for called, part, rate in ((name, own, settings.lr), ("encoder", inner, settings.lr_encoder)):
        there = [parameter for parameter in part if parameter.requires_grad]
        vectors = tuple(one for one in there if vectors_apart and one.ndim <= 1)
        others = tuple(one for one in there if not (vectors_apart and one.ndim <= 1))
        if others:
            found.append(ParameterGroup(called, others, rate, settings.weight_decay))
        if vectors:
            found.append(ParameterGroup(f"{called}_vectors", vectors, rate))
    return found


class Task(Protocol[B]):
    """A model with its data, for the loop.

    All random draws for a batch (dropout, masks, negatives) must use the global generators of
    torch, numpy and random. The loop seeds these before each step, so that a killed run resumes
    with the same result.
    """

    @property
    def name(self) -> str:
        """The task's key in `KINDS`."""

    @property
    def model(self) -> nn.Module:
        """The model with all trained parameters; the loop moves it to the device.

        A checkpoint has its parameters, but only the trained ones of its encoder.
        """

    @property
    def metric(self) -> str:
        """The figure of `evaluate` to maximize."""

    def groups(self) -> list[ParameterGroup]:
        """List the trained parameters with their learning rates."""

    def batches(self, epoch: int, seed: int) -> Sequence[B]:
        """Order the batches of an epoch (from 0), always the same for an epoch and seed.

        Several processes share the batches, so these must not depend on anything else.
        """

    def loss(self, batch: B) -> tuple[Tensor, int]:
        """Sum the losses of the batch's items, a scalar [], and count the items.

        The loop divides by the number of items of the whole step, over all batches and processes.
        Called in training mode, and under autocast if that is on.
        """

    def evaluate(self) -> dict[str, float]:
        """Score the development split, several by `average_scores`.

        Called in evaluation mode and without gradients.
        """


@dataclass(frozen=True, slots=True)
class Probe:
    """A model's scores of a few plain words, and the number of `mentions` among them.

    `mentions` is None for a task that does not find mentions.
    """

    scores: Sequence[float]
    mentions: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskKind:
    """The functions to make a task of a corpus, and to use its model afterwards.

    The table of settings, `training/settings/NAME.toml`, has the task's `name` and is checked
    against `Settings`. `records` is the kind of record (`corpora.kinds`) that the task learns from;
    the module `evaluation/RECORDS.py` scores corpora of that kind. By default, a corpus is learnt
    by the task with the name of its kind.
    """

    name: str
    records: str
    Settings: type[TaskSettings]
    make: Callable[[Any, Any, Mapping[str, Records], int], Any]
    """Makes the `Task` of an encoder, settings, splits and a seed. Every split except `train` is a
    development split: `validation` for a single corpus, else one with each corpus's name, whose
    figures go through `average_scores`. Records can be read any number of times."""
    load: Callable[[Any, Any, Mapping[str, Tensor]], nn.Module]
    """Makes the model of an encoder, settings and the tensors of a checkpoint, for prediction."""
    predict: Callable[[Any, Any, Iterable[Record]], Iterator[Record]]
    """Returns the records with the labels or clusters by a model with these settings."""
    probe: Callable[[Any, Any], Probe]
    """Returns the scores of a model with these settings for a few plain words. A model is refused
    if they are all equal, or not numbers (`prediction/predictor.py`)."""
    lean: Callable[[Any], Any] = lambda record: record
    """Drops the fields of a record that the task does not use, to save memory."""
    answers: Callable[[Any, Any, Iterable[Any]], Iterator[Any]] | None = None
    """Scores every candidate of each masked example (`masked.answers.CandidateScores`); None for a
    task that does not score candidates."""


def load_encoder(settings: TaskSettings) -> Encoder:
    """Load the encoder of the settings, frozen or to be trained."""
    return load(
        settings.encoder,
        trained=settings.trained,
        lora=settings.lora,
        adapter=settings.adapter,
        checkpointing=settings.checkpointing,
        seed=settings.seed,
    )


KINDS = {
    "masked": "corefmill.coref_model.masked.task:KIND",
    "events": "corefmill.coref_model.pairs.task:KIND",
    "documents": "corefmill.coref_model.documents.task:KIND",
    "pointer": "corefmill.coref_model.masked.pointer:KIND",
}
"""The place of each `TaskKind`, as `module:name`."""


def load_kind(name: str) -> TaskKind:
    """Import and return the kind of task `name`; `UsageError` for an unknown name."""
    if name not in KINDS:
        raise UsageError(f"there is no task {name!r}", remedy=f"name one of {', '.join(KINDS)}")
    module, _, attribute = KINDS[name].partition(":")
    kind: TaskKind = getattr(import_module(module), attribute)
    return kind


def check_kind(records: Iterable[Record], kind: type[R], where: str) -> Iterator[R]:
    """Yield the records; raise `DataError` for one that is not of the class `kind`."""
    for record in records:
        if not isinstance(record, kind):
            wanted = next(
                one.plural for one in RECORD_KINDS.values() if SCHEMAS[one.schema] is kind
            )
            raise DataError(
                f"{where} holds a {type(record).__name__}, not {wanted}",
                remedy="name a corpus of that kind, or another task",
            )
        yield record


def average_scores(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Average the figures of several development splits: the means, then all by split.

    A mean needs the figure in every split: {"gap": {"f1": .5}, "dpr": {"f1": .7}} gives f1 .6,
    gap.f1 .5, dpr.f1 .7. Figures of a single split are returned unchanged.
    """
    if len(scores) == 1:
        return dict(next(iter(scores.values())))
    common = [key for key in next(iter(scores.values())) if all(key in s for s in scores.values())]
    mean = {key: sum(s[key] for s in scores.values()) / len(scores) for key in common}
    return mean | {f"{name}.{key}": x for name, own in scores.items() for key, x in own.items()}
