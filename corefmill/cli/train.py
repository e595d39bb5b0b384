"""`train coref`: coreference models on corpora; and the console script `train`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corefmill.cli import completing
from corefmill.cli.command import Option
from corefmill.cli.model_options import CorpusOptions, ModelOptions, ResultOptions
from corefmill.cli.plain_options import input_here
from corefmill.cli.printing import print_result
from corefmill.coref_model.missing import TRAINING, need
from corefmill.corpora.kinds import KINDS

if TYPE_CHECKING:
    from corefmill.coref_model.training.trained_model import TrainedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class CorefOptions(CorpusOptions):
    """The corpus to learn from."""

    corpus: Annotated[
        str,
        Option(
            help="Name, file or folder; several of one kind, separated by commas, are learnt from"
            " together. See `corefmill corpora`.",
            check=input_here,
            complete=completing.corpora,
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorefModelOptions(ModelOptions):
    """The model, and what it begins with."""

    task: Annotated[
        str,
        Option(
            metavar="|".join(("auto", *KINDS, "pointer")),
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
    epochs: Annotated[int | None, Option(min=1, help="The same as --set epochs=N.")] = None


def coref(*, source: CorefOptions, model: CorefModelOptions, result: ResultOptions) -> None:
    """Train a coreference model on corpora of one kind.

    Masked names and pronouns, events across documents, or whole documents: the corpus decides. The
    model is the best one on the development split, which is held out where the corpus has none. A
    run that was stopped goes on where it was when the same command is given again. Without --out
    the model goes to out/models/CORPUS-ENCODER.

    Examples:
        train coref --corpus gap --data-dir data
        train coref --corpus out/wikicrem-en --out out/models/wikicrem
        train coref --corpus gap --init-from out/models/wikicrem --epochs 10
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
            sets=model.sets(epochs=model.epochs),
            download=model.download,
            overwrite=result.overwrite,
            quiet=result.silent,
        )
    )
    if training.first and not result.silent:
        for line in training.says():
            print(line, flush=True)
    made = training.run()
    if training.first:
        there = "was here already" if training.made else "is done"
        _report(made, training.out, there, result)


def _report(made: TrainedModel, out: Path, there: str, result: ResultOptions) -> None:
    from corefmill.coref_model.training.trained_model import figure

    before = made.scores.get("untrained")
    score = figure(made.scores, made.metric, made.score)
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
