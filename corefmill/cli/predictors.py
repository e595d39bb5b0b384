"""The model that a command is given by name: one that was trained, or an encoder as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.files.errors import CorefmillError, UsageError

if TYPE_CHECKING:
    from corefmill.coref_model.prediction.predictor import Predictor


def named_predictor(model: str) -> Predictor:
    """The model of a folder or one that ships, or an encoder as it is with the head that ships.

    Raises `UsageError` where there is neither.
    """
    from corefmill.coref_model.prediction.predictor import named, of_checkpoint, untrained
    from corefmill.coref_model.training.checkpoint import MODEL

    if (named(model) / MODEL).exists() or (Path(model).is_dir() and not _is_encoder(Path(model))):
        return of_checkpoint(model)
    try:
        return untrained(model)
    except CorefmillError as error:
        if Path(model).exists():
            raise
        raise UsageError(
            f"no model {model}: {error}", remedy="train coref makes one in out/models"
        ) from None


def _is_encoder(folder: Path) -> bool:
    return (folder / "config.json").exists()
