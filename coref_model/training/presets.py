"""Which presets of a table are laid over it where none is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from corefmill.coref_model.training.config import presets_of


def suited(asked: Sequence[str], table: str | Path, file: Path | None = None) -> list[str]:
    """Those asked for, `default` being none; else `cpu` where a table has it and there is no GPU.

    `file` is the user's table over `table`.
    """
    if asked:
        return [name for name in asked if name != "default"]
    cpu = "cpu" in presets_of(table, file)
    return ["cpu"] if cpu and not torch.cuda.is_available() else []
