"""The console script `build`, which is `corefmill build`."""

from __future__ import annotations

from corefmill.cli.commands import BUILD, line, load
from corefmill.cli.shell import run


def main() -> None:
    """The console script."""
    run(lambda: load(BUILD, line()), "build")
