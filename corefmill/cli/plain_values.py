"""Values of options that need no checking by pydantic, which takes long to import.

Typer has pydantic check every value, defaults too. What is a text or several, a number in its
bounds, a choice or the path of a file that can be read is taken here as pydantic would give it; any
other value goes to typer, which alone says what is wrong. A typer without these parts is left as it
is.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Any

import typer

_OTHER = object()
"""Stands for a value that typer has to look at."""


def take_plain_values(command: Any) -> None:
    """From now on the command, and those below it, take plain values without pydantic."""
    for below in getattr(command, "commands", {}).values():
        take_plain_values(below)
    for parameter in command.get_params(typer.Context(command)):  # with --help, in no list
        if getattr(parameter, "_runtime_param", _OTHER) is None:
            parameter._runtime_param = _PlainValue()


class _PlainValue:
    """Stands where typer keeps what checks the values of an option, until one is not plain."""

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        """What typer calls to make the option's value of what was given."""
        plain = plain_value(value, param)
        if plain is not _OTHER:
            return plain
        param._runtime_param = None  # typer makes its own
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def plain_value(value: Any, param: Any) -> Any:
    """The option's value, or `_OTHER`."""
    several = param.multiple or param.nargs == -1
    if value is None:
        return () if several else None
    kind, info = param.type_descriptor.annotation, param.type_descriptor.parameter_info
    if info.parser is not None:
        return _OTHER
    if several and kind == list[str] and isinstance(value, list) and info.path_type is None:
        return value[:] if all(type(one) is str and _whole(one) for one in value) else _OTHER
    if several or not isinstance(kind, type):
        return _OTHER
    if kind is str and type(value) is str and info.path_type is None:
        return value if _whole(value) else _OTHER
    if kind is Path and info.path_type is None:
        return _path(value, info)
    if issubclass(kind, Enum):
        return _choice(value, kind, info)
    if kind in (int, float) and type(value) is kind:
        return _number(value, info)
    return _OTHER


def _path(value: Any, info: Any) -> Any:
    """A path about which typer asks no more than whether it can be read if it is there."""
    asked = info.exists or info.writable or info.resolve_path or not info.file_okay
    if asked or not info.dir_okay or not isinstance(value, str | Path):
        return _OTHER
    if not _whole(str(value)):
        return _OTHER
    path = Path(value)
    refused = info.readable and path.exists() and not os.access(path, os.R_OK)
    return _OTHER if refused else path


def _whole(text: str) -> bool:
    """Whether it has no zero byte and nothing that was no UTF-8, which pydantic may refuse."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _choice(value: Any, kind: type[Enum], info: Any) -> Any:
    if isinstance(value, kind):
        return value
    found = [one for one in kind if one.value == value] if info.case_sensitive else []
    return found[0] if len(found) == 1 else _OTHER


def _number(value: float, info: Any) -> Any:
    if info.clamp or (info.min is not None and not value >= info.min):
        return _OTHER
    return _OTHER if info.max is not None and not value <= info.max else value
