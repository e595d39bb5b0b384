"""`train mlm`: continued pretraining of an encoder and its masked-LM head."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli.grouping import grouped
from corefmill.cli.model_options import ModelOptions, ResultOptions
from corefmill.cli.plain_options import input_here
from corefmill.cli.printing import print_result
from corefmill.coref_model.missing import TRAINING, need
from corefmill.corpora import disk

if TYPE_CHECKING:
    from corefmill.coref_model.mlm.run import Pretrained

EXAMPLES = """Examples:

    train mlm --text novels/

    train mlm --text law/ --text court.jsonl --lora 16 --out out/law

    train mlm --text italian/ --encoder bert-base-multilingual-cased --set trained=true --lora 0

    train coref --corpus wikicrem --set head=out/law
"""


@grouped
def mlm(
    text: Annotated[
        list[str],
        typer.Option(
            callback=input_here,
            help="Plain text (a document a file) or JSON Lines (a text a line), or a folder of"
            " .txt and .jsonl. Repeatable.",
        ),
    ],
    model: ModelOptions,
    result: ResultOptions,
    lora: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Rank of the encoder's deltas; 0 trains the head alone.",
            show_default="16",
        ),
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="The same as --set epochs=N.")] = None,
) -> None:
    """Teach an encoder a text by hiding whole words, and give it a masked-LM head.

    What comes of it is a folder that `train coref --set head=FOLDER` takes: the head and low-rank
    deltas of the encoder, or with `--set trained=true` the whole encoder. A run that was stopped
    goes on where it was when the same command is given again. Without --out the head goes to
    out/heads/ENCODER.
    """
    need(*TRAINING)
    from corefmill.coref_model.mlm.run import pretrain
    from corefmill.coref_model.mlm.task import MlmSettings
    from corefmill.corpora.lock import locked

    settings = model.resolved(MlmSettings, "mlm", lora=lora, epochs=epochs)
    folder = result.out or Path("out") / "heads" / Path(settings.encoder).name
    with locked(folder):
        done = pretrain(
            text,
            settings,
            folder,
            command=shlex.join(
                ["train", *map(disk.shown, map(disk.without_folders, sys.argv[1:]))]
            ),
            version=version("corefmill"),
            download=model.download,
            overwrite=result.overwrite,
            quiet=result.silent,
        )
    _report(done, settings.encoder, folder, result)


def _report(done: Pretrained, encoder: str, folder: Path, result: ResultOptions) -> None:
    scores, trained = done.trained.scores, done.trained
    told = {
        "encoder": encoder,
        "documents": done.documents,
        "sequences": done.sequences,
        "pieces": done.pieces,
        "steps": trained.steps,
        "scores": scores,
        "out": str(folder),
        "seconds": round(trained.seconds, 1),
    }
    said = (
        f"{done.documents:,} documents, {done.pieces:,} pieces. Of the hidden pieces held out"
        f" {scores['accuracy']:.1%} are predicted right, perplexity {scores['perplexity']:.1f},"
        f" after {trained.steps:,} steps. The head is in {folder}."
    )
    print_result(told, said, as_json=result.as_json, quiet=result.quiet)
