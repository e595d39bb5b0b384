"""`corefmill`: all commands under one name."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from corefmill.cli.commands import COREFMILL, Group, line
from corefmill.cli.commands import load as load_group
from corefmill.cli.shell import run


def load(words: Sequence[str] | None = None) -> typer.Typer:
    """All commands, or the one alone that a command line of these `words` calls."""
    asked = Group(COREFMILL.help, {}) if words and words[0] == "--version" else COREFMILL
    app = load_group(asked, words)
    app.callback()(_top)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"corefmill {version('corefmill')}")
        raise typer.Exit


def _top(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    pass


def main() -> None:
    """The console script."""
    run(lambda: load(line()), "corefmill")
