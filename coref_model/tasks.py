"""The tasks there are, and how each is made; a task's module is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol, cast

from torch import Tensor, nn

from corefmill.coref_model.training.config import TaskSettings
from corefmill.coref_model.training.task import Task
from corefmill.corpora.errors import UsageError
from corefmill.corpora.find import Records
from corefmill.corpora.records import Record

KINDS = {
    "masked": "corefmill.coref_model.masked.task:KIND",
    "events": "corefmill.coref_model.events.task:KIND",
    "documents": "corefmill.coref_model.documents.task:KIND",
}
"""`module:name` of each `TaskKind`. The name is the kind of record that it learns from, too."""


class TaskKind(Protocol):
    """Makes a task of a corpus, and a model of a checkpoint."""

    @property
    def name(self) -> str:
        """Its key in `KINDS`; also that of its table of settings."""

    @property
    def Settings(self) -> type[TaskSettings]:
        """What its table `training/settings/NAME.toml` is checked against."""

    def lean(self, record: Record) -> Record:
        """The record without what the task never asks for: a whole training split is held."""

    def make(
        self, encoder: Any, settings: Any, splits: Mapping[str, Records], seed: int
    ) -> Task[Any]:
        """The task. `splits` has `train`, and every other one is a development split by its name.

        That is `validation` for one corpus, the corpus's name where several are trained on; their
        figures go through `averaged`. Records can be gone through any number of times.
        """

    def load(self, encoder: Any, settings: Any, tensors: Mapping[str, Tensor]) -> nn.Module:
        """The model of a checkpoint, to predict with; `tensors` as `checkpoint.kept` names them."""


def kind(name: str) -> TaskKind:
    """The task of that name; raises `UsageError` that lists them where there is none."""
    if name not in KINDS:
        raise UsageError(f"no task {name!r}", remedy=f"there are {', '.join(KINDS)}")
    module, _, attribute = KINDS[name].partition(":")
    return cast(TaskKind, getattr(import_module(module), attribute))
