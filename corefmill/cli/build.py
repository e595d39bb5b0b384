"""The console script `build`, which is `corefmill build`."""

from __future__ import annotations

import sys

from corefmill.cli.commands import BUILD, load
from corefmill.cli.shell import run


def main() -> None:
    """The console script."""
    run(lambda: load(BUILD, sys.argv[1:]), "build")
