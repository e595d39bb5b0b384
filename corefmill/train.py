"""`train`: models on corpora."""

from __future__ import annotations

import typer

from corefmill.shell import run
from corpora.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="Train models.", pretty_exceptions_enable=False)


@app.callback()
def top() -> None:
    """Train models on corpora that `build` made."""


_EXAMPLES = """Examples:

    train coref --corpus out/wikicrem-en
"""


@app.command(epilog=_EXAMPLES)
def coref(
    corpus: str = typer.Option(..., help="Name or directory of the corpus to train on."),
) -> None:
    """Train a coreference model. This version of corefmill builds corpora only."""
    raise UsageError(
        f"cannot train on {corpus!r}: this version of corefmill has no models yet",
        remedy="its corpora come in forms that other trainers read: train.txt, train.conll",
    )


def main() -> None:
    """The console script."""
    run(lambda: app, "train")
