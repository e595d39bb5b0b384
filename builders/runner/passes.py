"""A pass over the input that comes before a build: how it is run, and where its work lies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.run import run
from corefmill.corpora.ownership import private


class Do(Protocol):
    """Runs the jobs before a build: `Locally`, or as a `pulling.ClusterTask`, of which all go
    through the same passes at the same time."""

    def __call__(self, job: Job, /) -> AbstractContextManager[RunResult]:
        """Runs a job, or helps with it until it is done, and holds its folder inside the block."""

    def once(self, name: str, make: Callable[[], None], /) -> None:
        """Has `make` called, here or in another task, to write what lies below `folder_of` the
        corpus; it is there when this returns. `name` is that of no other step of the build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Locally:
    """Runs jobs on this machine, as `run` does, on all of its `cores`."""

    cores: int = 1
    progress: bool | None = None
    overwrite: bool = False

    def __call__(self, job: Job, /) -> AbstractContextManager[RunResult]:
        """Runs a job."""
        return run(job, workers=self.cores, progress=self.progress, overwrite=self.overwrite)

    def once(self, name: str, make: Callable[[], None], /) -> None:
        """Calls `make`."""
        make()


def folder_of(out_dir: Path) -> Path:
    """Where the passes before the build of a corpus work."""
    return private(out_dir) / "passes"
