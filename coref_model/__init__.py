"""Coreference models: trained on any corpus, evaluated, and used from three lines of Python.

from corefmill.coref_model import load
model = load("out/models/ontogum-minilm")
model.read("Ann met Eve. She had missed the train.").clusters
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from corefmill.coref_model.missing import need

if TYPE_CHECKING:
    from corefmill.coref_model.prediction.predictor import Predictor

__all__ = ["load"]


def load(path: str | PathLike[str], *, device: str | None = None) -> Predictor:
    """The model of a folder that `train coref` wrote, on a GPU where there is one.

    Raises `UsageError` where torch is not installed, `DataError` where the folder holds no whole
    model.
    """
    need("torch", "transformers", "safetensors")
    from corefmill.coref_model.prediction.predictor import of_checkpoint

    return of_checkpoint(path, device=device)
