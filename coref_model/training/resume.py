"""The state of an unfinished training on disk, from which it goes on to the same weights.

The loop writes it at evaluations and every `save_every` steps; `checkpoint.save` removes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

import torch
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from torch import Tensor, nn

from corefmill.coref_model.encoder import tensors as tensor_files
from corefmill.coref_model.training import owned
from corefmill.coref_model.training.parameters import restore, saved_parameters
from corefmill.corpora import manifest
from corefmill.corpora.atomic import ensure_folder, write_whole
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.jsonl import first_fault

FOLDER = "resume"

_REMEDY = "give --overwrite to begin again, or name another folder with --out"

_Count = Annotated[int, Field(ge=0)]


@dataclass(slots=True)
class TrainingProgress:
    """Where a training is: steps done, and in `epoch` batches done.

    `scores` are those of the best evaluation so far, after `best_step`; `worse` counts the
    evaluations since. `untrained` is the metric before the first step. `over` says why the
    training ended, and is empty while it has not.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    step: _Count = 0
    epoch: _Count = 0
    batches: _Count = 0
    best: float | None = None
    best_step: _Count = 0
    scores: dict[str, float] = field(default_factory=dict)
    worse: _Count = 0
    seconds: float = 0.0
    over: str = ""
    untrained: float | None = None


_PROGRESS: TypeAdapter[TrainingProgress] = TypeAdapter(TrainingProgress)


class Resume:
    """The folder `resume` of a checkpoint in the making.

    `identity` is all that decides the result, flat; a folder of another training is refused.
    """

    def __init__(self, out: Path, identity: Mapping[str, Any]) -> None:
        self.folder = out / FOLDER
        self._best = self.folder / "best.safetensors"
        self._identity = json.loads(json.dumps(dict(identity)))

    def check(self) -> bool:
        """Whether there is a training to go on with; raises `UsageError` if it is another."""
        path = self.folder / "identity.json"
        if not path.exists():
            if self._states():
                raise DataError("lacks identity.json", path=self.folder, remedy=_REMEDY)
            return False
        there = _json(path)
        for key in sorted(there.keys() | self._identity.keys()):
            old, new = there.get(key), self._identity.get(key)
            if old != new:
                raise UsageError(
                    f"a training that is not over is here, with {key} {_shown(old)}, not"
                    f" {_shown(new)}",
                    path=self.folder.parent,
                    remedy=f"the command it was started with goes on with it; {_REMEDY}",
                )
        return True

    def begin(self) -> None:
        """Marks the folder as this training's."""
        ensure_folder(self.folder)
        write_whole(
            self.folder / "identity.json", json.dumps(self._identity, indent=2, ensure_ascii=False)
        )

    def load(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> TrainingProgress:
        """Puts back the newest whole state; a fresh `TrainingProgress` where there is none yet."""
        newest = max(self._states(), default=None)
        if newest is None:
            return TrainingProgress()
        folder = self.folder / f"{newest:09d}"
        said = _json(folder / "progress.json")
        path = folder / "state.safetensors"
        if not path.is_file() or manifest.sha256(path) != said.pop("sha256", None):
            raise DataError("changed since it was written", path=path, remedy=_REMEDY)
        try:
            progress = _PROGRESS.validate_json(json.dumps(said))
        except ValidationError as error:
            raise DataError(
                first_fault(error), path=folder / "progress.json", remedy=_REMEDY
            ) from None
        if progress.best is not None:
            tensor_files.read(self._best)  # or hours later it would be found that there are none
        tensors = tensor_files.read(path)
        restore(model, _below("model.", tensors), path)
        _restore_optimizer(optimizer, _below("optimizer.", tensors), path)
        return progress

    def save(
        self, progress: TrainingProgress, model: nn.Module, optimizer: torch.optim.Optimizer
    ) -> None:
        """Writes a state under its step's name, then drops the older ones.

        What has its progress.json is whole, for that comes last and goes first.
        """
        target = self.folder / f"{progress.step:09d}"
        ensure_folder(target)
        tensors = {f"model.{name}": tensor for name, tensor in saved_parameters(model).items()}
        for index, state in optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{index}.{key}": tensor for key, tensor in state.items()}
        tensor_files.save(tensors, target / "state.safetensors")
        sha256 = manifest.sha256(target / "state.safetensors")
        write_whole(
            target / "progress.json", json.dumps(asdict(progress) | {"sha256": sha256}, indent=2)
        )
        for older in sorted(self.folder.glob("[0-9]" * 9)):
            if older != target:
                names = ("progress.json", "state.safetensors")
                owned.remove(self.folder, [f"{older.name}/{name}" for name in names])

    def save_best(self, model: nn.Module) -> None:
        """Keeps the parameters of the best evaluation so far."""
        tensor_files.save(saved_parameters(model), self._best)

    def load_best(self, model: nn.Module) -> None:
        """Puts back the parameters of the best evaluation."""
        restore(model, tensor_files.read(self._best), self._best)

    def _states(self) -> list[int]:
        whole = sorted(self.folder.glob(f"{'[0-9]' * 9}/progress.json"))
        return [int(path.parent.name) for path in whole]


def _restore_optimizer(
    optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor], path: Path
) -> None:
    whole = optimizer.state_dict()
    parameters = [one for group in optimizer.param_groups for one in group["params"]]
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        index, _, key = name.partition(".")
        number = int(index) if index.isdecimal() and len(index) < 10 else len(parameters)
        if number >= len(parameters) or (tensor.ndim and tensor.shape != parameters[number].shape):
            raise DataError(f"not of this training: {name}", path=path, remedy=_REMEDY)
        state.setdefault(number, {})[key] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": whole["param_groups"]})


def _below(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        raise DataError("cannot be read", path=path, remedy=_REMEDY) from None
    if not isinstance(found, dict):
        raise DataError("cannot be read", path=path, remedy=_REMEDY)
    return found


def _shown(value: object) -> str:
    return "unset" if value is None else str(value)
