"""A pass over the input that comes before a build: how it is run, and where its work lies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TypeAlias

from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.run import run
from corefmill.corpora.ownership import private

Do: TypeAlias = Callable[[Job], AbstractContextManager[RunResult]]
"""Runs a job, here or on a cluster, and holds its folder inside the block."""


def workers(cores: int) -> int:
    """How many processes such a pass is worth on so many cores: it takes a tenth of the time that
    the decompression does, and to hand a unit to another process a tenth of that."""
    return max(1, cores // 4)


def locally(*, cores: int = 1, progress: bool | None = None, overwrite: bool = False) -> Do:
    """Runs jobs on this machine, as `run` does."""
    return partial(run, workers=workers(cores), progress=progress, overwrite=overwrite)


def folder_of(out_dir: Path) -> Path:
    """Where the passes before the build of a corpus work."""
    return private(out_dir) / "passes"
