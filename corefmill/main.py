"""`corefmill`: all commands under one name."""

from __future__ import annotations

from importlib.metadata import version

import typer

from corefmill import build, train
from corefmill.shell import run


def load() -> typer.Typer:
    """All commands under one name."""
    from corefmill import convert, models  # takes a second or more, as builders do

    app = typer.Typer(
        no_args_is_help=True,
        help="Builds coreference corpora in many languages, trains and scores models on them.",
        pretty_exceptions_enable=False,
    )
    app.add_typer(build.load(), name="build")
    app.add_typer(train.app, name="train")
    app.add_typer(models.app, name="models")
    app.command("convert", epilog=convert.EXAMPLES)(convert.convert)
    app.callback()(_top)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        print(f"corefmill {version('corefmill')}")
        raise typer.Exit


def _top(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """The commands' common options."""


def main() -> None:
    """The console script."""
    run(load, "corefmill")
