"""`train`: models on corpora."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from corefmill.cli.commands import TRAIN, load
from corefmill.cli.model_options import MODEL, ModelOptions
from corefmill.cli.options import grouped
from corefmill.cli.plain_options import language
from corefmill.cli.shell import run
from corefmill.coref_model.missing import need
from corefmill.corpora.kinds import KINDS

NEEDED = ("torch", "transformers", "safetensors", "accelerate")
"""Packages that no training does without."""

DATA, WORK = "Corpus", "Work and output"
"""The panels of the help, besides that of the model."""


EXAMPLES = """Examples:

    train coref --corpus gap --data-dir data

    train coref --corpus out/wikicrem-en --out out/models/wikicrem

    train coref --corpus gap --init-from out/models/wikicrem --epochs 10

    train coref --corpus gap,dpr --encoder bert-large-uncased --set lr_encoder=1e-5 --seed 1

    train coref --corpus ontogum --config mine.toml --preset paper --json

    torchrun --no-python --nproc-per-node 8 train coref --corpus wikicrem
"""


@grouped
def coref(
    corpus: Annotated[
        str,
        typer.Option(
            help="Name, file or folder; several of one kind, separated by commas, are learnt from"
            " together. See `corefmill corpora`.",
            rich_help_panel=DATA,
        ),
    ],
    model: ModelOptions,
    data_dir: Annotated[
        Path,
        typer.Option(help="Where corpora of the catalogue lie.", rich_help_panel=DATA),
    ] = Path("data"),
    lang: Annotated[
        str | None,
        typer.Option(
            callback=language,
            help="Language, where the corpus does not say.",
            rich_help_panel=DATA,
        ),
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            metavar="|".join(("auto", *KINDS)),
            help="auto is what the corpus is for.",
            rich_help_panel=MODEL,
        ),
    ] = "auto",
    init_from: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Begin with this model, trained for the same task on another corpus.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="The same as --set epochs=N.", rich_help_panel=MODEL)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the model. (default: out/models/CORPUS-ENCODER)", rich_help_panel=WORK
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace the model in --out.", rich_help_panel=WORK),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the result as JSON, for scripts.", rich_help_panel=WORK),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors only.", rich_help_panel=WORK)
    ] = False,
) -> None:
    """Train a coreference model on corpora of one kind.

    Masked names and pronouns, events across documents, or whole documents: the corpus decides. The
    model is the best one on the development split, which is held out where the corpus has none. A
    run that was stopped goes on where it was when the same command is given again.
    """
    need(*NEEDED)
    from corefmill.coref_model.trainer import TrainingRequest, prepare
    from corefmill.corpora.find import several

    silent = quiet or as_json
    training = prepare(
        TrainingRequest(
            corpora=several(corpus, data_dir=data_dir, lang=lang),
            task=task,
            init_from=init_from,
            out=out,
            config=model.config,
            presets=tuple(model.preset or ()),
            sets=model.sets(epochs=epochs),
            download=model.download,
            overwrite=overwrite,
            quiet=silent,
        )
    )
    if training.first and not silent:
        for line in training.says():
            print(line, flush=True)
    made = training.run()
    if not training.first:
        return
    if as_json:
        result = {
            "task": made.task,
            "encoder": made.encoder.name,
            "corpus": made.corpus,
            "steps": made.steps,
            "metric": made.metric,
            "score": made.score,
            "out": str(training.out),
            "seconds": made.seconds,
        }
        print(json.dumps(result, ensure_ascii=False))
    elif not quiet:
        there = "was here already" if training.made else "is done"
        print(
            f"The model {there}: {made.metric} {made.score:.4f} on the development split after step"
            f" {made.best_step:,} of {made.steps:,} ({made.seconds:,.0f} s)."
        )


def main() -> None:
    """The console script."""
    run(lambda: load(TRAIN, sys.argv[1:]), "train")
