"""`corefmill`: all commands under one name."""

from __future__ import annotations

import sys
from importlib.metadata import version

import typer

from corefmill.cli import build, train
from corefmill.cli.shell import run


def load(only: str | None = None) -> typer.Typer:
    """All commands under one name, or that one alone if `only` is a command's.

    Each imports what it needs, which takes some of them seconds.
    """
    app = typer.Typer(
        no_args_is_help=True,
        help="Builds coreference corpora in many languages, trains and scores models on them.",
        pretty_exceptions_enable=False,
    )
    for name in (only,) if only in _COMMANDS else _COMMANDS:
        _COMMANDS[name](app)
    app.callback()(_top)
    return app


def _build(app: typer.Typer) -> None:
    app.add_typer(build.load(), name="build")


def _train(app: typer.Typer) -> None:
    app.add_typer(train.app, name="train")


def _models(app: typer.Typer) -> None:
    from corefmill.cli import models

    app.add_typer(models.app, name="models")


def _score(app: typer.Typer) -> None:
    from corefmill.cli import score

    app.command("score", epilog=score.EXAMPLES)(score.score)


def _check(app: typer.Typer) -> None:
    from corefmill.cli import check

    app.command("check", epilog=check.EXAMPLES)(check.check)


def _stats(app: typer.Typer) -> None:
    from corefmill.cli import stats

    app.command("stats", epilog=stats.EXAMPLES)(stats.stats)


def _corpora(app: typer.Typer) -> None:
    from corefmill.cli import corpora_command

    app.command("corpora", epilog=corpora_command.EXAMPLES)(corpora_command.corpora)


def _convert(app: typer.Typer) -> None:
    from corefmill.cli import convert

    app.command("convert", epilog=convert.EXAMPLES)(convert.convert)


def _heads(app: typer.Typer) -> None:
    from corefmill.cli import heads

    app.command("heads", epilog=heads.EXAMPLES)(heads.heads)


def _evaluate(app: typer.Typer) -> None:
    from corefmill.cli import evaluate

    app.command("evaluate", epilog=evaluate.EXAMPLES)(evaluate.evaluate)


def _predict(app: typer.Typer) -> None:
    from corefmill.cli import predict

    app.command("predict", epilog=predict.EXAMPLES)(predict.predict)


def _ratings(app: typer.Typer) -> None:
    from corefmill.cli import ratings

    app.add_typer(ratings.app, name="ratings")


def _annotate(app: typer.Typer) -> None:
    from corefmill.cli import annotate

    app.add_typer(annotate.load(), name="annotate")


def _overlap(app: typer.Typer) -> None:
    from corefmill.cli import overlap

    app.command("overlap", epilog=overlap.EXAMPLES)(overlap.overlap)


_COMMANDS = {
    "build": _build,
    "train": _train,
    "evaluate": _evaluate,
    "predict": _predict,
    "models": _models,
    "score": _score,
    "check": _check,
    "stats": _stats,
    "convert": _convert,
    "annotate": _annotate,
    "heads": _heads,
    "ratings": _ratings,
    "corpora": _corpora,
    "overlap": _overlap,
}


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
    run(lambda: load(next(iter(sys.argv[1:]), None)), "corefmill")
