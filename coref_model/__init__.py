"""Coreference models: used and evaluated from Python; `corefmill.train` makes them.

from corefmill.coref_model import evaluate, load

model = load()  # a small one for English that ships; or load("out/models/mine")
model.read("Ann met Eve. She had missed the train.").clusters
evaluate(model, "litbank", data_dir="data")
"""

from __future__ import annotations

from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.files.errors import UsageError, install_command

if TYPE_CHECKING:
    from corefmill.coref_model.evaluation.rows import ScoreRow
    from corefmill.coref_model.prediction.predictor import Predictor

__all__ = ["SMALL", "evaluate", "load"]

SMALL = "en_coref"
"""The model of documents that corefmill ships with, for English."""

SHIPPED_FOR = {"documents": SMALL, "masked": "en_pointer"}
"""The English models that ship, by the kind of records that they read."""

TRAINING = ("torch", "transformers", "safetensors", "accelerate", "peft", "tomli_w")
"""Packages of the extra `train`: training, evaluation and prediction need them all."""

_Path = str | PathLike[str]


def need(*packages: str) -> None:
    """Raise `UsageError` for missing `packages` (import names); imports none."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise UsageError(
            f"models need {', '.join(missing)}, not installed here", remedy=install_command("train")
        )


def load(path: _Path = SMALL, *, device: str | None = None) -> Predictor:
    """Load a model from a folder of `train coref`, or a shipped one, on a GPU if there is one.

    Raises `UsageError` if torch is not installed, `DataError` if the folder holds no complete model
    or a model with useless answers.
    """
    need(*TRAINING)
    from corefmill.coref_model.prediction.predictor import load_predictor

    return load_predictor(path, device=device)


def evaluate(
    model: Predictor,
    corpus: _Path,
    *,
    split: str | None = None,
    data_dir: _Path = "data",
    lang: str | None = None,
    seed: int = 0,
) -> list[ScoreRow]:
    """Score a model on a corpus by its own protocol, with 95 % intervals.

    `split` is by default test, else validation, else all. Raises `UsageError` and `DataError` for a
    missing corpus, or for a corpus of another kind than the model's.
    """
    from corefmill.coref_model.evaluation import rows
    from corefmill.corpora import find

    found = find.find_corpus(str(corpus), data_dir=Path(data_dir), lang=lang)
    return rows.evaluate(model, found, rows.EvaluationOptions(split=split, seed=seed))
