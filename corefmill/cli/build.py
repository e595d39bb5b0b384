"""`build`: corpora from dumps and texts."""

from __future__ import annotations

import typer

from corefmill.cli.shell import run


def load() -> typer.Typer:
    """The command with all builders; their imports take a second or more."""
    from corefmill.cli import knowref, ontonotes_it, wec, wikicrem, wikirand

    app = typer.Typer(no_args_is_help=True, help="Build corpora.", pretty_exceptions_enable=False)
    app.command("knowref", epilog=knowref.EXAMPLES)(knowref.knowref)
    app.command("ontonotes-it", epilog=ontonotes_it.EXAMPLES)(ontonotes_it.ontonotes_it)
    app.command("wec", epilog=wec.EXAMPLES)(wec.wec)
    app.command("wikicrem", epilog=wikicrem.EXAMPLES)(wikicrem.wikicrem)
    app.command("wikirand", epilog=wikirand.EXAMPLES)(wikirand.wikirand)
    app.callback()(_top)
    return app


def _top() -> None:
    """Build corpora. Each builder explains itself: build NAME --help."""


def main() -> None:
    """The console script."""
    run(load, "build")
