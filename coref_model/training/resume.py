"""The files of a running training: its state, log.csv, and the picture of the log.

The loop writes the state at evaluations and every `save_every` steps; `checkpoint.save` removes it.
It is one safetensors file, replaced as a whole, and not the folder of accelerate's `save_state`:
that pickles the optimizer and the generators, writes in place, and loses the error of a full disk.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from itertools import accumulate, repeat
from math import isnan
from pathlib import Path
from typing import IO, Annotated, Any, ClassVar

import torch
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from torch import nn

from corefmill.coref_model.encoder import tensors as tensor_files
from corefmill.coref_model.encoder.encoder import compute_fingerprint
from corefmill.coref_model.training.checkpoint import STATE, WEIGHTS, restore, saved_parameters
from corefmill.corpora import card_parts
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.jsonl import first_fault
from corefmill.corpora.files.writing import ensure_folder, write_whole

LOG = "log.csv"

COLUMNS = ("step", "epoch", "items", "loss", "gradient", "dev")
"""Columns of the log: `loss` is the mean over the step's items, `gradient` the norm before
clipping, `dev` the metric if computed after the step. The learning rate of each group follows.
There are no times, so that equal runs have equal logs."""

_REMEDY = "give --overwrite to begin again, or name another folder with --out"
_RESUME = "give the same command as before to resume it"
_VERSIONS = ("corefmill", "torch", "transformers")
_LONGEST_LINE = 1 << 16  # bytes
_SMOOTHING = 0.98

_Count = Annotated[int, Field(ge=0)]


@dataclass(slots=True)
class TrainingProgress:
    """The progress of the training `identity`: steps taken, and batches read in `epoch`.

    `score` and `scores` are of the best evaluation so far, after `best_step`; `worse` counts the
    evaluations since. `untrained` is the metric before the first step, None where it was not a
    number. `ended_by` is epochs, max_steps or patience, and empty until then. `seconds` counts all
    runs.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    identity: dict[str, Any] = field(default_factory=dict)
    steps: _Count = 0
    epoch: _Count = 0
    batches: _Count = 0
    score: float | None = None
    best_step: _Count = 0
    scores: dict[str, float] = field(default_factory=dict)
    worse: _Count = 0
    seconds: float = 0.0
    ended_by: str = ""
    untrained: float | None = None


class Resume:
    """The state of an unfinished training, in the folder of its checkpoint.

    `identity` is everything that determines the result, as a flat table. A state of another
    training, or of another version of corefmill or torch, is refused.
    """

    def __init__(self, out: Path, identity: Mapping[str, Any]) -> None:
        self.best = out / WEIGHTS  # of the best evaluation so far
        self._out, self._state = out, out / STATE
        versions = {name: version(name) for name in _VERSIONS}
        if source := disk.code_version("coref_model", "corpora").get("source"):  # of a checkout
            versions["corefmill"] += f" (code {source[:12]})"
        self._identity = json.loads(json.dumps({**identity, **versions}))

    def load(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> TrainingProgress:
        """Restore model, optimizer and progress from the saved state; begin anew without one.

        Raises `UsageError` for the state of another training.
        """
        if not self._state.exists():
            return TrainingProgress(identity=self._identity)
        tensors, notes = tensor_files.read(self._state)
        text = notes.get("progress", "")
        if notes.get("sha256") != compute_fingerprint({}, text, tensors):
            raise DataError("the file was changed later", path=self._state, remedy=_REMEDY)
        try:
            progress = TypeAdapter(TrainingProgress).validate_json(text)
        except ValidationError as error:
            raise DataError(first_fault(error), path=self._state, remedy=_REMEDY) from None
        for key in sorted(progress.identity.keys() | self._identity.keys()):
            old, new = (one.get(key, "unset") for one in (progress.identity, self._identity))
            if old != new:
                how = "resume it with that version" if key in _VERSIONS else _RESUME
                raise UsageError(
                    f"the folder holds an unfinished training with {key} {old}, not {new}",
                    path=self._out,
                    remedy=f"{how}; {_REMEDY}",
                )
        if progress.score is not None:
            tensor_files.read(self.best)  # or hours later it would be found that there are none
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name in [name for name in tensors if name.startswith("optimizer.")]:
            _, index, key = name.split(".")
            state.setdefault(int(index), {})[key] = tensors.pop(name)
        restore(model, {k.removeprefix("model."): v for k, v in tensors.items()}, self._state)
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state, "param_groups": groups})
        return progress

    def save(
        self, progress: TrainingProgress, model: nn.Module, optimizer: torch.optim.Optimizer
    ) -> None:
        """Save progress, parameters and optimizer to one file, with a checksum."""
        tensors = {f"model.{name}": tensor for name, tensor in saved_parameters(model).items()}
        for index, state in optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{index}.{key}": tensor for key, tensor in state.items()}
        ensure_folder(self._state.parent)
        text = json.dumps(asdict(progress))
        notes = {"progress": text, "sha256": compute_fingerprint({}, text, tensors)}
        tensor_files.save(tensors, self._state, notes)


def open_log(path: Path, groups: Sequence[str], steps: int) -> IO[str]:
    """Cut the log back to its first `steps`, and open it behind them.

    Lines that a crash left behind them are dropped.
    """
    head = [*COLUMNS, *(f"lr {name}" for name in groups)]
    lines = [",".join(head)]
    remedy = "begin again with --overwrite"
    try:
        if steps:
            with path.open("rb") as file:
                file.readline(_LONGEST_LINE)
                for number in range(1, steps + 1):
                    line = file.readline(_LONGEST_LINE).decode("utf-8", "replace").rstrip("\n")
                    row = [float(cell or 0) for cell in line.split(",")]
                    if row[0] != number or len(row) != len(head):
                        raise ValueError
                    lines.append(line)
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=path, remedy=remedy) from None
    except ValueError:
        raise DataError(
            f"the log lacks lines of the {steps} steps that were done", path=path, remedy=remedy
        ) from None
    write_whole(path, "".join(f"{line}\n" for line in lines))
    return path.open("a", encoding="utf-8", newline="")


def draw_curves(log: Path, picture: Path, metric: str) -> None:
    """Draw the loss of every step, the metric, and the learning rates."""
    with log.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    def column(name: str) -> tuple[list[int], list[float]]:
        there = [row for row in rows if row[name]]
        return [int(row["step"]) for row in there], [float(row[name]) for row in there]

    with card_parts.picture(picture, rows=3) as (loss, dev, rate):
        steps, losses = column("loss")
        card_parts.set_title(loss, "Loss", f"{len(steps):,} steps")
        loss.plot(steps, losses, linewidth=0.6, alpha=0.5, label="step")
        # A moving mean: weights fall by 2 % a step, without the bias of its beginning.
        sums, weights = (
            accumulate(numbers, lambda total, number: total * _SMOOTHING + number)
            for numbers in (losses, repeat(1.0))
        )
        means = [total / weight for total, weight in zip(sums, weights, strict=False)]
        loss.plot(steps, means, linestyle="-", label="mean of the last steps")
        loss.set_ylabel("loss")
        loss.legend()
        steps, scores = column("dev")
        evaluations = f"{len(steps):,} evaluation{'s' * (len(steps) != 1)}"
        card_parts.set_title(dev, f"{metric}, development split", evaluations)
        dev.set_ylabel(metric)
        dev.plot(steps, scores, marker="o", markersize=4)
        dev.margins(y=0.25)
        there = [place for place, score in enumerate(scores) if not isnan(score)]
        if there:
            best = max(there, key=scores.__getitem__)
            card_parts.draw_dot(dev, steps[best], scores[best], f"{scores[best]:.3f}")
        groups = [name for name in (rows[0] if rows else ()) if name.startswith("lr ")]
        card_parts.set_title(rate, "Learning rate", "")
        for name in groups:
            rate.plot(*column(name), label=name.removeprefix("lr "))
        rate.set_ylabel("learning rate")
        rate.set_ylim(bottom=0)
        rate.set_xlabel("step")
        card_parts.format_counts(rate.xaxis)
        if groups:
            rate.legend()
