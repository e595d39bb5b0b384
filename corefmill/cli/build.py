"""The console script `build`, the same as `corefmill build`."""

from __future__ import annotations

from corefmill.cli.main import BUILD
from corefmill.cli.shell import run


def main() -> None:
    """Run the console script `build`."""
    run(BUILD)
