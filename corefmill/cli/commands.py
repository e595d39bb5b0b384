"""The names of all commands, one line each; a command's module is imported when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import typer

from corefmill.cli.reports import reporting


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one name.

    `commands` maps a command's name to a group below, or to `module:function` in corefmill/cli;
    the module's EXAMPLES end the help of its command. A `typer.Typer` in place of the function is
    a group that its module makes by itself. The module's function that is called as the command is
    (`export_task`) has the command's help as its docstring.
    """

    help: str
    commands: dict[str, str | Group]


BUILD = Group(
    "Build corpora. Each builder explains itself: build NAME --help.",
    {
        "chains": "chains:chains",
        "knowref": "knowref:knowref",
        "ontonotes-it": "ontonotes_it:ontonotes_it",
        "translate": "translate:translate",
        "wec": "wec:wec",
        "wikicrem": "wikicrem:wikicrem",
        "wikirand": "wikirand:wikirand",
    },
)
"""The builders; docs/adding-a-builder.md tells how one is added."""

TRAIN = Group(
    "Train models. Each command explains itself: train NAME --help.",
    {
        "coref": "train:coref",
        "search": "train_search:search",
        "mlm": "train_mlm:mlm",
    },
)

COREFMILL = Group(
    "Builds coreference corpora in many languages, trains and scores models on them.",
    {
        "build": BUILD,
        "train": TRAIN,
        "evaluate": "evaluate:evaluate",
        "predict": "predict:predict",
        "models": "models:app",
        "score": "score:score",
        "check": "check:check",
        "stats": "stats:stats",
        "show": "show:show",
        "convert": "convert:convert",
        "export-task": "export_task:export_task",
        "annotate": "annotate:app",
        "heads": "heads:heads",
        "ratings": "ratings:app",
        "corpora": "corpora_command:app",
        "push": "push:push",
        "overlap": "overlap:overlap",
    },
)


def line() -> list[str]:
    """The words behind the script's name, of the command line or of one that a shell completes."""
    completed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS")
    script = Path(sys.argv[0]).name.replace("-", "_").upper()
    if completed is None or f"_{script}_COMPLETE" not in os.environ:
        return sys.argv[1:]
    return completed.split()[1:]


def load(group: Group, words: Sequence[str] | None = None) -> typer.Typer:
    """The group's commands, or the one alone that a command line of these `words` calls.

    Where the words call none, as `--help` does, the commands have their names and help alone, and
    no module of theirs is imported.
    """
    commands = {} if words and words[0] == "--version" else group.commands
    app = typer.Typer(no_args_is_help=True, help=group.help, pretty_exceptions_enable=False)
    called = words[0] if words and words[0] in commands else None
    for name in commands if called is None else [called]:
        below = commands[name]
        if words is not None and called is None:
            app.command(name, help=_help(name, below))(_no_options)
        elif isinstance(below, Group):
            app.add_typer(load(below, words[1:] if words and called else None), name=name)
        else:
            _add(app, name, below)
    app.callback()(_top)  # else typer makes one command of a group of one
    return app


def _add(app: typer.Typer, name: str, place: str) -> None:
    """Imports a command, or a group that its module made, and adds it."""
    module, _, function = place.partition(":")
    loaded = import_module(f"corefmill.cli.{module}")
    command = getattr(loaded, function)
    if isinstance(command, typer.Typer):
        app.add_typer(_reporting(command), name=name)
    else:
        app.command(name, epilog=loaded.EXAMPLES)(reporting(command))


def _help(name: str, below: str | Group) -> str | None:
    """A command's help: the docstring of its function, taken from its module's compiled code.

    To run the code, as an import does, takes a hundred times as long. `python -OO` drops it with
    all docstrings, which is what that is for; options keep their helps.
    """
    if isinstance(below, Group):
        return below.help
    spec = find_spec(f"corefmill.cli.{below.partition(':')[0]}")
    loader: Any = spec and spec.loader
    for part in loader.get_code(spec.name).co_consts if spec else ():
        if isinstance(part, CodeType) and part.co_name == name.replace("-", "_"):
            return FunctionType(part, {}).__doc__
    return None


def _reporting(group: typer.Typer) -> typer.Typer:
    """A group that its module made, its commands with the options that all have."""
    made = copy(group)
    made.registered_commands = [copy(one) for one in group.registered_commands]
    for one in made.registered_commands:
        if one.callback is not None:
            one.callback = reporting(one.callback)
    return made


def _no_options() -> None:
    pass


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"corefmill {version('corefmill')}")
        raise typer.Exit


def _top(
    version: bool = typer.Option(
        False,
        "--version",
        callback=_print_version,
        is_eager=True,
        help="Show the version and exit.",
    ),
) -> None:
    pass
