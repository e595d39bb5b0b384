"""`train coref`: coreference models on corpora; and the console script `train`."""

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
    """The corpus to learn from, and where it is looked for."""

    PANEL: ClassVar[str] = "Corpus"

    corpus: Annotated[
        str,
        Option(
            help="Name, file or folder; several of one kind, separated by commas, are learnt from"
            " together. See `corefmill corpora`.",
            check=input_here,
        ),
    ]
    data_dir: DataDir = Path("data")
    lang: MaybeLang = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Encoder, task and settings."""

    PANEL: ClassVar[str] = "Model"

    task: Annotated[
        str,
        Option(
            metavar="auto|masked|events|documents|pointer",
            help="auto is what the corpus is for; pointer learns from masked examples to choose a"
            " name in the passage.",
        ),
    ] = "auto"
    init_from: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            check=input_here,
            help="Begin with this model, trained for the same task on another corpus.",
        ),
    ] = None
    encoder: Annotated[
        str | None,
        Option(
            help="minilm, tiny (random, for tests), a folder, or a Hugging Face name in the local"
            " cache.",
            default="the one in the task's settings",
        ),
    ] = None
    config: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            check=input_here,
            help="Settings in TOML, over those of the task's table in"
            " coref_model/training/settings/, which explains them all.",
        ),
    ] = None
    preset: Annotated[
        list[str] | None,
        Option(
            help="A section of the settings, such as cpu or paper; the preset called default is"
            " none. Repeatable.",
            default="cpu where there is no GPU",
        ),
    ] = None
    set_: Annotated[
        list[str] | None,
        Option(
            "--set", metavar="KEY=VALUE", help="One setting, over those of --config. Repeatable."
        ),
    ] = None
    seed: Annotated[
        int | None,
        seed_option("Seed of every random draw; the same as --set seed=N."),
    ] = None

    def sets(self) -> tuple[str, ...]:
        """Return every single setting; raises `UsageError` for one given in two ways."""
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

    out: Annotated[Path | None, Option(check=output_here, help="Folder of the result.")] = None
    overwrite: Annotated[
        bool, Option("--overwrite", help="Replace what an earlier training wrote to --out.")
    ] = False
    as_json: Json = False
    quiet: Quiet = False


def coref(*, source: CorpusOptions, model: ModelOptions, result: ResultOptions) -> None:
    """Train a coreference model on corpora of one kind.

    Masked names and pronouns, events across documents, or whole documents: the corpus decides. The
    model is the best one on the development split, which is held out where the corpus has none. A
    run that was stopped goes on where it was when the same command is given again. Without --out
    the model goes to out/models/CORPUS-ENCODER.

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
    from corefmill.corpora.find import several

    training = prepare(
        TrainingRequest(
            corpora=several(source.corpus, data_dir=source.data_dir, lang=source.lang),
            task=model.task,
            init_from=model.init_from,
            out=result.out,
            config=model.config,
            presets=tuple(model.preset or ()),
            sets=model.sets(),
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
        _report(made, training.out, there, result)


def _report(made: TrainedModel, out: Path, there: str, result: ResultOptions) -> None:
    from corefmill.coref_model.training.trained_model import format_score

    before = made.scores.get("untrained")
    score = format_score(made.scores, made.metric, made.score)
    measured = not score.startswith("too few")
    told = {
        "task": made.task,
        "encoder": made.encoder.name,
        "corpus": made.corpus,
        "steps": made.steps,
        "metric": made.metric,
        "score": made.score if measured else None,
        "untrained": before if measured else None,
        "out": str(out),
        "seconds": made.seconds,
    }
    said = (
        f"The model {there}: {made.metric} {score} on the development split after step"
        f" {made.best_step:,} of {made.steps:,} ({made.seconds:,.0f} s)"
    )
    said += f"; untrained {before:.4f}." if measured and before is not None else "."
    print_result(told, said, as_json=result.as_json, quiet=result.quiet)


def main() -> None:
    """The console script."""
    from corefmill.cli.main import TRAIN
    from corefmill.cli.shell import run

    run(TRAIN)
