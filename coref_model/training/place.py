"""The folder of a checkpoint: never written over unasked, gone on with by the same command."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corefmill.coref_model.training import checkpoint, owned
from corefmill.coref_model.training.resume import FOLDER
from corefmill.corpora.errors import DataError, UsageError

_REMEDY = "--overwrite replaces it, --out names another folder"


def digest(identity: Mapping[str, Any]) -> str:
    """SHA-256 of all that decides a result."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def finished(out: Path, identity: Mapping[str, Any]) -> checkpoint.Model | None:
    """The model that this very training made here, if it is over.

    Raises `UsageError` where the folder holds anything else than that or a training which is not
    over (whose identity `Resume` checks).
    """
    if not (out / checkpoint.MODEL).exists():
        names = owned.check(out, owned.COREF)
        if names and not (out / FOLDER).exists():
            raise UsageError(f"half a model is here: {names[0]}", path=out, remedy=_REMEDY)
        return None
    owned.check(out, owned.COREF)
    try:
        made = checkpoint.read(out).model
    except DataError as error:
        raise UsageError(
            f"a model is here that is not whole: {error.message}", path=out, remedy=_REMEDY
        ) from None
    if made.identity != digest(identity):
        raise UsageError(
            "a model that was trained with other options or data is here", path=out, remedy=_REMEDY
        )
    owned.remove(out, owned.RESUME)  # of a training that was killed at its very end
    return made


def clear(out: Path) -> None:
    """Removes what a training wrote here; raises `UsageError` where there is anything else."""
    owned.check(out, owned.COREF)
    owned.remove(out, owned.COREF)
