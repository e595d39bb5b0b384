"""`corefmill`: all commands under one name."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from corefmill.cli.commands import COREFMILL, line
from corefmill.cli.commands import load as load_group
from corefmill.cli.shell import run


def load(words: Sequence[str] | None = None) -> typer.Typer:
    """Load all commands, or the one alone that a command line of these `words` calls."""
    return load_group(COREFMILL, words)


def main() -> None:
    """The console script."""
    run(lambda: load(line()), "corefmill")
