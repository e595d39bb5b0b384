"""A value that pydantic is spared is the one that typer makes of it, in every option there is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from corefmill.cli import plain_values
from corefmill.cli.commands import COREFMILL, load
from corefmill.cli.plain_values import plain_value, take_plain_values

WORDS = ["", "-", "x", "0", "7", "-3", "1.5", "true", "a/./b//c", "nul\0", "there", "\udcff", "muc"]
OTHERS = [None, (), [], ["x"], ("there", "x"), 0, 7, -3, 10**9, 0.5, float("nan"), True, Path("x")]


def commands(command: Any) -> Iterator[Any]:
    yield command
    for below in getattr(command, "commands", {}).values():
        yield from commands(below)


def values(parameter: Any) -> list[Any]:
    kind = parameter.type_descriptor.annotation
    choices = list(kind) if isinstance(kind, type) and issubclass(kind, Enum) else []
    return [*WORDS, *OTHERS, parameter.default, *choices, *(one.value for one in choices)]


def outcome(made: Any, value: Any, parameter: Any, context: Any) -> tuple[Any, ...]:
    try:
        found = made(value, parameter, context)
    except Exception as error:
        return type(error), str(error)
    return type(found), repr(found)


def test_what_is_taken_as_it_is_is_what_typer_makes_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").touch()
    taken, seen = 0, set()
    for command in commands(get_command(load(COREFMILL))):
        context = typer.Context(command)
        for parameter in command.get_params(context):
            checked = parameter.get_runtime_param().coerce
            for value in values(parameter):
                plain = plain_value(value, parameter)
                if plain is plain_values._OTHER:
                    continue
                theirs = checked(value, param=parameter, ctx=context)
                assert (type(plain), repr(plain)) == (type(theirs), repr(theirs))
                taken += 1
                seen.add(type(plain))
    assert taken > 1000
    assert {str, int, list, type(None), type(Path())} <= seen


def made_command(kind: Any, **more: Any) -> Any:
    app = typer.Typer()

    def one(value: Any = None) -> None: ...

    one.__annotations__["value"] = Annotated[kind, typer.Option(**more)]
    app.command()(one)
    return get_command(app)


@pytest.mark.parametrize(
    ("kind", "more", "value"),
    [
        (int, {"min": 1}, 0),
        (int, {"min": 1}, "0"),
        (int, {}, "one"),
        (Path, {"exists": True}, "gone"),
        (Path, {"dir_okay": False}, "."),
        (Path, {"resolve_path": True}, "x"),
        (Path, {}, "nul\0"),
        (str, {"parser": str.upper}, "x"),
        (list[str], {}, ["a", "nul\0"]),
        (list[str], {"parser": str.upper}, ["a", "b"]),
        (list[int], {}, ["1", "b"]),
        (bool, {}, "perhaps"),
        (float, {"max": 1, "clamp": True}, 2.0),
    ],
)
def test_all_else_goes_to_typer(
    kind: Any, more: dict[str, Any], value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcomes = []
    for taking in (False, True):
        command = made_command(kind, **more)
        if taking:
            take_plain_values(command)
        parameter, context = command.params[0], typer.Context(command)

        def coerce(value: Any, parameter: Any, context: Any) -> Any:
            return parameter.process_value(context, value)

        outcomes.append(outcome(coerce, value, parameter, context))
    assert outcomes[0] == outcomes[1]


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read all files")
def test_a_file_that_cannot_be_read_is_refused_by_typer(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.touch(mode=0)
    command = made_command(Path)
    assert plain_value(str(secret), command.params[0]) is plain_values._OTHER


def test_a_typer_that_checks_elsewhere_is_left_alone() -> None:
    command = made_command(int)
    del command.params[0].__dict__["_runtime_param"]
    take_plain_values(command)
    assert "_runtime_param" not in vars(command.params[0])
