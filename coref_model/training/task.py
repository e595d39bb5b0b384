"""The protocol of a task for the training loop, and the table of the kinds of task.

A task's own module is imported when its name is asked for, so this one lies below them all.
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
    """Parameters of one highest learning rate and weight decay; `name` heads their column."""

    name: str
    parameters: tuple[nn.Parameter, ...]
    lr: float
    weight_decay: float = 0.0


def group_parameters(
    model: Any, settings: TaskSettings, name: str, *, vectors_apart: bool = False
) -> list[ParameterGroup]:
    """Group the trained parameters: the `encoder`'s at `lr_encoder`, all others at `lr`.

    With `vectors_apart` biases and norms have groups of their own, without weight decay.
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
    """A model with its data, as the loop sees them.

    Whatever is drawn at random while a batch is worked on (dropout, masks, negatives) is drawn from
    the global generators of torch, numpy and random, which the loop seeds before each step: that is
    why a run that was killed goes on as if it had not been.
    """

    @property
    def name(self) -> str:
        """Key of `KINDS`."""

    @property
    def model(self) -> nn.Module:
        """Holds all trained parameters; the loop moves it to the device.

        A checkpoint keeps its parameters, but of an encoder below it those alone that are trained.
        """

    @property
    def metric(self) -> str:
        """The figure of `evaluate` to maximize."""

    def groups(self) -> list[ParameterGroup]:
        """List the trained parameters with their learning rates."""

    def batches(self, epoch: int, seed: int) -> Sequence[B]:
        """Order the batches of an epoch (from 0), always the same for an epoch and seed.

        Several processes share them out, so they must not depend on anything else.
        """

    def loss(self, batch: B) -> tuple[Tensor, int]:
        """Sum the losses of the batch's items, a scalar [], and count the items.

        The loop divides by the number of items of the whole step, however many batches and
        processes it is made of. Called in training mode, under autocast where that is on.
        """

    def evaluate(self) -> dict[str, float]:
        """Score the development split; `average_scores` where there are several.

        Called in evaluation mode and without gradients.
        """


@dataclass(frozen=True, slots=True)
class Probe:
    """A model's scores of a few plain words, and the number of `mentions` among them.

    `mentions` is None for a task that finds none.
    """

    scores: Sequence[float]
    mentions: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskKind:
    """How a task is made of a corpus, and how its model is used afterwards.

    `name` is also that of its table of settings, `training/settings/NAME.toml`, which is checked
    against `Settings`. `records` is the kind of record (`corpora.kinds`) that it learns from, and
    names the module `evaluation/RECORDS.py` that says how corpora are scored; where nothing else
    is asked for, a corpus is learnt by the task of the same name.
    """

    name: str
    records: str
    Settings: type[TaskSettings]
    make: Callable[[Any, Any, Mapping[str, Records], int], Any]
    """The `Task` of an encoder, settings, splits and a seed. `splits` has `train`, and every other
    one is a development split by its name: `validation` for one corpus, the corpus's name where
    several are trained on; their figures go through `average_scores`. Records can be read any
    number of times."""
    load: Callable[[Any, Any, Mapping[str, Tensor]], nn.Module]
    """The model of an encoder, settings and the tensors of a checkpoint, to predict with."""
    predict: Callable[[Any, Any, Iterable[Record]], Iterator[Record]]
    """The records with the labels or clusters that a model with these settings gives them."""
    probe: Callable[[Any, Any], Probe]
    """The answers of a model with these settings to a few plain words: one whose scores are all
    equal, or no numbers, is refused (`prediction/predictor.py`)."""
    lean: Callable[[Any], Any] = lambda record: record
    """A record without what the task never asks for, since whole splits are held in memory."""
    answers: Callable[[Any, Any, Iterable[Any]], Iterator[Any]] | None = None
    """For each masked example a score of every candidate (`masked.answers.CandidateScores`); None
    for a task that scores no candidates."""


def load_encoder(settings: TaskSettings) -> Encoder:
    """Load the encoder that the settings name, to be trained as the settings say."""
    return load(
        settings.encoder,
        trained=settings.trained,
        lora=settings.lora,
        checkpointing=settings.checkpointing,
        seed=settings.seed,
    )


KINDS = {
    "masked": "corefmill.coref_model.masked.task:KIND",
    "events": "corefmill.coref_model.pairs.task:KIND",
    "documents": "corefmill.coref_model.documents.task:KIND",
    "pointer": "corefmill.coref_model.masked.pointer:KIND",
}
"""Where each `TaskKind` is, as `module:name`."""


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

    A figure counts in the mean where every split has it: {"gap": {"f1": .5}, "dpr": {"f1": .7}}
    gives f1 .6, gap.f1 .5, dpr.f1 .7. Those of a single split are given as they are.
    """
    if len(scores) == 1:
        return dict(next(iter(scores.values())))
    common = [key for key in next(iter(scores.values())) if all(key in s for s in scores.values())]
    mean = {key: sum(s[key] for s in scores.values()) / len(scores) for key in common}
    return mean | {f"{name}.{key}": x for name, own in scores.items() for key, x in own.items()}
