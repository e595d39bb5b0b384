"""`train coref`: train coreference models on corpora; and the console script `train`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from corefmill.builders.corpus.options import RUN
from corefmill.cli.command import Option
from corefmill.cli.options import (
    DataDir,
    Json,
    Lenient,
    MaybeLang,
    Printing,
    Quiet,
    input_here,
    output_here,
    seed_option,
)
from corefmill.cli.printing import print_result
from corefmill.coref_model import TRAINING, need
from corefmill.corpora.files.errors import UsageError

if TYPE_CHECKING:
    from corefmill.coref_model.training.trained_model import TrainedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """The training corpus, the folder of corpora, and the language."""

    PANEL: ClassVar[str] = "Corpus"

    corpus: Annotated[
        str,
        Option(
            help="Training corpus: a name of `corefmill corpora`, a file or a folder; or several"
            " corpora of one kind, separated by commas, to learn from together.",
            check=input_here,
        ),
    ]
    data_dir: DataDir = Path("data")
    lang: MaybeLang = None
    lenient: Lenient = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Encoder, task and settings."""

    PANEL: ClassVar[str] = "Model"

    task: Annotated[
        str,
        Option(
            metavar="auto|masked|events|documents|pointer",
            help="Task to train for; auto takes that of the corpus. pointer learns from masked"
            " examples to choose a name in the passage.",
        ),
    ] = "auto"
    init_from: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            check=input_here,
            help="Folder of a model to begin with, trained for the same task on another corpus.",
        ),
    ] = None
    encoder: Annotated[
        str | None,
        Option(
            help="Encoder of the model: minilm, tiny (random, for tests), a folder, or a Hugging"
            " Face name in the local cache.",
            default="the encoder of the task's settings",
        ),
    ] = None
    config: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            check=input_here,
            help="TOML file of settings that override the task's defaults; the files in"
            " coref_model/training/settings/ explain every setting.",
        ),
    ] = None
    preset: Annotated[
        list[str] | None,
        Option(
            help="Section of the settings to apply, such as cpu or paper, or default for none."
            " Repeatable.",
            default="cpu without a GPU",
        ),
    ] = None
    set_: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="One setting, which replaces that of --config. Repeatable.",
        ),
    ] = None
    seed: Annotated[
        int | None, seed_option("Seed of every random draw; the same as --set seed=N.")
    ] = None

    def list_settings(self) -> tuple[str, ...]:
        """List the settings of --set, --encoder and --seed; refuse a setting given twice."""
        options = {"encoder": self.encoder, "seed": self.seed}
        own = {key: value for key, value in options.items() if value is not None}
        for text in self.set_ or ():
            key = text.partition("=")[0].strip()
            if key in own:
                raise UsageError(
                    f"--{key} and --set {text} exclude each other", remedy="give one of them"
                )
        return (*(self.set_ or ()), *(f"{key}={json.dumps(value)}" for key, value in own.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultOptions(Printing):
    """Output folder and printed report."""

    PANEL: ClassVar[str] = RUN

    out: Annotated[
        Path | None,
        Option(
            check=output_here,
            help="Folder for the trained model.",
            default="out/models/CORPUS-ENCODER",
        ),
    ] = None
    overwrite: Annotated[
        bool, Option("--overwrite", help="Replace an earlier model in the folder --out.")
    ] = False
    as_json: Json = False
    quiet: Quiet = False


def coref(*, source: CorpusOptions, model: ModelOptions, result: ResultOptions) -> None:
    """Train a coreference model on corpora of one kind.

    The kind of the corpus decides the task: masked names and pronouns, events across documents, or
    documents. The checkpoint with the best score on the development split is kept; if the corpus
    has no such split, a part of the training split is held out. A stopped run resumes with the
    same command.

    Examples:
        train coref --corpus gap --data-dir data
        train coref --corpus out/wikicrem-en --out out/models/wikicrem
        train coref --corpus gap --init-from out/models/wikicrem --set epochs=10
        train coref --corpus gap,dpr --encoder bert-large-uncased --set lr_encoder=1e-5 --seed 1
        train coref --corpus ontogum --config mine.toml --preset paper --json
        torchrun --no-python --nproc-per-node 8 train coref --corpus wikicrem
    """
    need(*TRAINING)
    from corefmill.coref_model.trainer import TrainingRequest, prepare
    from corefmill.corpora.find import find_corpora
    from corefmill.corpora.formats.bad_mentions import lenient

    with lenient(source.lenient):
        training = prepare(
            TrainingRequest(
                corpora=find_corpora(source.corpus, data_dir=source.data_dir, lang=source.lang),
                task=model.task,
                init_from=model.init_from,
                out=result.out,
                config=model.config,
                presets=tuple(model.preset or ()),
                sets=model.list_settings(),
                overwrite=result.overwrite,
                quiet=result.silent,
            )
        )
        if training.first and not result.silent:
            for line in training.describe():
                print(line, flush=True)
        made = training.run()
    if training.first:
        there = "was here already" if training.made else "is done"
        _report_model(made, training.out, there, result)


def _report_model(model: TrainedModel, out: Path, there: str, result: ResultOptions) -> None:
    """Print the score and steps of a trained model, as a sentence or as JSON."""
    from corefmill.coref_model.training.trained_model import format_score

    before = model.scores.get("untrained")
    score = format_score(model.scores, model.metric, model.score)
    measured = not score.startswith("too few")
    told = {
        "task": model.task,
        "encoder": model.encoder.name,
        "corpus": model.corpus,
        "steps": model.steps,
        "metric": model.metric,
        "score": model.score if measured else None,
        "untrained": before if measured else None,
        "out": str(out),
        "seconds": model.seconds,
    }
    said = (
        f"The model {there}: {model.metric} {score} on the development split after step"
        f" {model.best_step:,} of {model.steps:,} ({model.seconds:,.0f} s)"
    )
    said += f"; untrained {before:.4f}." if measured and before is not None else "."
    print_result(told, said, as_json=result.as_json, quiet=result.quiet)


def main() -> None:
    """Run the console script `train`."""
    from corefmill.cli.main import TRAIN
    from corefmill.cli.shell import run

    run(TRAIN)
