"""Settings: a commented table for each task, with presets, and a class that checks them.

Later layers override earlier ones: the task's table in `settings/`, the presets of the table, the
keys of the user's file, the presets of the file, and single `key=value`s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import torch
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from corefmill.corpora import splits
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError, did_you_mean

TABLES = Path(__file__).parent / "settings"

CHECKED = ConfigDict(strict=True, extra="forbid")
"""The arguments of every settings class: @dataclass(frozen=True, kw_only=True, config=...)

No field has a default: only the tables have defaults.
"""

Share = Annotated[float, Field(ge=0, le=1)]
# Higher values are a slip, or a hostile model that would take all memory.
_MOST = 2**31 - 1
Natural = Annotated[int, Field(ge=0, le=_MOST)]
Positive = Annotated[int, Field(ge=1, le=_MOST)]
Rate = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, le=splits.LARGEST_SEED)]
Rank = Annotated[int, Field(ge=0, le=4096)]
WIDEST = 16_384
"""Largest width of a layer that a setting may choose."""
Width = Annotated[int, Field(ge=1, le=WIDEST)]


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class LoopSettings:
    """Settings of the training loop; the tables explain each key."""

    epochs: Positive
    max_steps: Natural
    warmup: Share
    accumulate: Positive
    clip: Rate
    patience: Natural
    evaluate_every: Natural
    precision: Literal["auto", "fp32", "bf16"]
    seed: Seed
    save_every: Positive


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class TaskSettings(LoopSettings):
    """Settings of every task: its encoder, its batches, its rates, its held-out share."""

    encoder: str
    trained: bool
    lora: Rank
    adapter: str
    checkpointing: bool
    batch_pieces: Positive
    lr: Rate
    lr_encoder: Rate
    weight_decay: Rate
    held_out: Annotated[float, Field(gt=0, lt=1)]
    held_out_seed: Seed

    def __post_init__(self) -> None:
        if self.trained + bool(self.lora) + bool(self.adapter) > 1:
            raise ValueError("trained = true, lora > 0 and adapter exclude each other")


S = TypeVar("S")


def resolve(
    kind: type[S],
    table: str | Path,
    *,
    file: Path | None = None,
    presets: Sequence[str] = (),
    sets: Sequence[str] = (),
) -> S:
    """Resolve the settings of a task; `table` is a name below `settings/` or a path.

    `sets` are `key=value`, the value as in TOML, or a bare word. Raises `DataError` with file and
    line, or `UsageError` with the option, for a key that does not exist (naming those that do), a
    value that is out of place, and a preset that neither `table` nor `file` has.
    """
    legal = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    known = list_presets(table, file)
    for name in presets:
        if name not in known:
            raise UsageError(
                f"no preset {name!r}{did_you_mean(name, known)}",
                remedy=f"there are {', '.join(known)}" if known else None,
            )
    values: dict[str, Any] = {}
    # The file and section of each key, or no file and the option; those of the last layer under "".
    came: dict[str, tuple[Path | None, str]] = {}

    def make_error(message: str, key: str, remedy: str | None = None) -> CorefmillError:
        path, section = came.get(key, came[""])
        if path is None:
            return UsageError(f"{section}: {message}", remedy=remedy)
        return DataError(message, path=path, line=_find_line(path, section, key), remedy=remedy)

    def add_layer(layer: Mapping[str, Any], path: Path | None, section: str = "") -> None:
        came[""] = path, section
        for key, value in layer.items():
            if not section and isinstance(value, dict):  # a preset
                continue
            came[key] = path, section
            if key not in legal:
                raise make_error(
                    f"no setting {key!r}{did_you_mean(key, legal)}",
                    key,
                    f"there are {', '.join(legal)}",
                )
            values[key] = value

    for path, given in _read_tables(table, file).items():
        add_layer(given, path)
        for name in presets:
            add_layer(given.get(name, {}), path, name)
    for text in sets:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals):
            raise UsageError(f"--set {text!r} is not of the form key=value")
        parsed: Any = value
        with suppress(DataError):  # a bare word
            parsed = disk.parse_toml(f"x = {value}")["x"]
        add_layer({key: parsed}, None, f"--set {text}")
    try:
        # As JSON: only then a strict validation takes a list for a tuple.
        return TypeAdapter(kind).validate_json(json.dumps(values, default=str), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        key = str(first["loc"][0]) if first["loc"] else ""
        said = first["msg"].removeprefix("Value error, ")
        said = said[:1].lower() + said[1:]
        if key:
            shown = f" = {json.dumps(values[key], default=str)}" if key in values else ""
            said = f"{key}{shown}: {said}"
        raise make_error(said, key) from None


def list_presets(table: str | Path, file: Path | None = None) -> list[str]:
    """List the presets of a task's table and of the user's settings file."""
    tables = _read_tables(table, file).values()
    return list(dict.fromkeys(key for t in tables for key in t if isinstance(t[key], dict)))


def _read_tables(table: str | Path, file: Path | None) -> dict[Path, dict[str, Any]]:
    """Read a task's table of settings and the user's file, by their paths."""
    own = table if isinstance(table, Path) else TABLES / f"{table}.toml"
    return {path: disk.read_toml(path) for path in (own, file) if path}


def choose_presets(asked: Sequence[str], table: str | Path, file: Path | None = None) -> list[str]:
    """Choose presets: those asked for (`default` is none), else `cpu` without a GPU.

    `cpu` must be a preset of `table` or of `file`, the user's table over it.
    """
    if asked:
        return [name for name in asked if name != "default"]
    cpu = "cpu" in list_presets(table, file)
    return ["cpu"] if cpu and not torch.cuda.is_available() else []


def _find_line(path: Path, section: str, key: str) -> int | None:
    """Find the line, from 1, of a key; None for a key in an unusual notation."""
    here = ""
    for number, line in enumerate(disk.read_text(path).splitlines(), 1):
        if header := re.match(r"\s*\[\s*[\"']?([^\]\"']+?)[\"']?\s*\]", line):
            here = header[1]
        elif here == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return None
