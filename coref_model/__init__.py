"""Coreference models: trained on any corpus, evaluated, and used from Python.

from corefmill.coref_model import evaluate, load, train

model = train("ontonotes", out="out/models/mine", epochs=3)
model = load("out/models/mine")
model.read("Ann met Eve. She had missed the train.").clusters
evaluate(model, "litbank", data_dir="data")
"""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefmill.coref_model.missing import TRAINING, need
from corefmill.corpora import find

if TYPE_CHECKING:
    from corefmill.coref_model.evaluation.rows import ScoreRow
    from corefmill.coref_model.prediction.predictor import Predictor

__all__ = ["evaluate", "load", "train"]

_Path = str | PathLike[str]


def train(
    corpus: _Path,
    *,
    out: _Path | None = None,
    init_from: _Path | None = None,
    data_dir: _Path = "data",
    lang: str | None = None,
    overwrite: bool = False,
    **settings: Any,
) -> Predictor:
    """Trains a model as `train coref` does, or goes on with a training that was killed.

    `corpus` is a name, a file or a folder, or several of one kind separated by commas; `settings`
    are keys of the task's table in `training/settings/`. Raises `UsageError` and `DataError` for
    what cannot be found, read or trained on.
    """
    need(*TRAINING)
    from corefmill.coref_model.trainer import TrainingRequest, prepare

    training = prepare(
        TrainingRequest(
            corpora=find.several(str(corpus), data_dir=Path(data_dir), lang=lang),
            out=None if out is None else Path(out),
            init_from=None if init_from is None else Path(init_from),
            sets=tuple(f"{key}={json.dumps(value)}" for key, value in settings.items()),
            overwrite=overwrite,
            quiet=True,
        )
    )
    training.run()
    return load(training.out)


def load(path: _Path, *, device: str | None = None) -> Predictor:
    """The model of a folder that `train` wrote, on a GPU where there is one.

    Raises `UsageError` where torch is not installed, `DataError` where the folder holds no whole
    model.
    """
    need(*TRAINING)
    from corefmill.coref_model.prediction.predictor import of_checkpoint

    return of_checkpoint(path, device=device)


def evaluate(
    model: Predictor,
    corpus: _Path,
    *,
    split: str | None = None,
    data_dir: _Path = "data",
    lang: str | None = None,
    seed: int = 0,
) -> list[ScoreRow]:
    """The scores of a model on a corpus by its own protocol, with 95 % intervals.

    `split` is test, else validation, else all, unless it is named. Raises `UsageError` and
    `DataError` for a corpus that is not here, or that the model is not for.
    """
    from corefmill.coref_model.evaluation.rows import EvaluationOptions
    from corefmill.coref_model.evaluation.run import evaluate as rows_of

    found = find.found(str(corpus), data_dir=Path(data_dir), lang=lang)
    return rows_of(model, found, EvaluationOptions(split=split, seed=seed))
