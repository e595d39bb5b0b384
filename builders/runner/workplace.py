"""What the tasks of a cluster share of a build: a folder that all see, or one in an object store.

Both keep the same: shards with their receipts, leases, the marks of steps that were done, the end
of the input, and the corpus. Each task writes into a folder of its machine. Where that is the
shared one (`SharedFolder`), nothing more is to be done; of a store it is a copy
(`shared_store.SharedStore`), from which what others need is put, and into which what they did is
fetched.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.leases import LEASES, Leases, LeaseTimes
from corefmill.builders.runner.passes import folder_of
from corefmill.builders.runner.shards import (
    End,
    Receipt,
    finished_unit,
    finished_units,
    receipt_path,
)
from corefmill.corpora import manifest
from corefmill.corpora.ownership import is_unsettled

DONE = "done"
"""What the name of a mark ends with, that says that a step was done."""


class Leasing(Protocol):
    """The leases of one folder as one task takes them: `Leases`, or `StoreLeases`."""

    spoilt: dict[str, str]

    def take(self, name: str) -> bool:
        """Whether `name` is this task's, from now on or already."""

    def done(self, name: str) -> None:
        """It is finished, and what says so is kept."""

    def fail(self, name: str, error: str) -> None:
        """It could not be finished, which counts as a try."""


class Workplace(Protocol):
    """What tasks share. `folder` is always the one with the work of a job, on this machine."""

    seconds_to_leave: float
    """What a task needs to leave once all is over, if it is not to leave anything behind."""

    def begin(self, job: Job) -> None:
        """Gets ready for a task's part of a job."""

    def leases(self, folder: Path, who: str, times: LeaseTimes) -> AbstractContextManager[Leasing]:
        """The leases beside the shards of a job, for a task that calls itself `who`."""

    def receipts(self, folder: Path) -> dict[int, Receipt]:
        """Those of all units that are done."""

    def receipt(self, folder: Path, unit: int, *, now: bool = False) -> Receipt | None:
        """That of a unit that is done; without `now` a moment ago will do."""

    def keep(self, folder: Path, receipt: Receipt) -> None:
        """Lets the others have a unit whose files are in the folder, its receipt last."""

    def is_sound(self, folder: Path, receipt: Receipt) -> bool:
        """Whether all files of a unit are as they were written, by reading them."""

    def drop(self, folder: Path, unit: int) -> None:
        """Takes a receipt back."""

    def result(self, result: RunResult) -> RunResult:
        """The same result, whose files are there when they are asked for."""

    def end(self, folder: Path) -> End | None:
        """What is known of the end of the input."""

    def keep_end(self, folder: Path) -> None:
        """Lets the others have the end that was written to the folder."""

    def is_done(self, folder: Path, step: str) -> bool:
        """Whether a step was done; what it made is here then."""

    def do(self, folder: Path, step: str, make: Callable[[], None]) -> None:
        """Does a step, and says so to the others when what it made is theirs too."""

    def is_whole(self, job: Job) -> bool:
        """Whether the corpus of this very job is in its place, by its manifest alone."""

    def is_over(self, job: Job) -> bool:
        """Whether besides nothing of the work is left to be removed."""

    def keep_corpus(self, job: Job) -> None:
        """Puts the corpus, which was written here, into its place, its manifest last."""

    def clear(self, job: Job) -> None:
        """Removes the work, which is of no more use."""


def is_whole(job: Job) -> bool:
    """Whether the corpus of this very job is in its folder, by its manifest alone."""
    try:
        return is_made((job.out_dir / manifest.NAME).read_bytes(), job)
    except FileNotFoundError:
        return False


def is_made(content: bytes, job: Job) -> bool:
    """Whether a manifest is of the corpus of this very job."""
    try:
        made = json.loads(content)["build"]
        ours = (job.fingerprint.digest, job.most_records)
        return bool((made["fingerprint"], made["limit"]) == ours)
    except (ValueError, KeyError, TypeError):
        return False


class SharedFolder:
    """The folder of the corpus, which all nodes see at the same path."""

    seconds_to_leave = 0.0

    def begin(self, job: Job) -> None:
        pass

    def leases(self, folder: Path, who: str, times: LeaseTimes) -> AbstractContextManager[Leasing]:
        return Leases(folder / LEASES, who, times)

    def receipts(self, folder: Path) -> dict[int, Receipt]:
        return finished_units(folder, read=False)

    def receipt(self, folder: Path, unit: int, *, now: bool = False) -> Receipt | None:
        return finished_unit(folder, unit, read=False)

    def keep(self, folder: Path, receipt: Receipt) -> None:
        pass

    def is_sound(self, folder: Path, receipt: Receipt) -> bool:
        return finished_unit(folder, receipt.unit) is not None

    def drop(self, folder: Path, unit: int) -> None:
        receipt_path(folder, unit).unlink(missing_ok=True)

    def result(self, result: RunResult) -> RunResult:
        return result

    def end(self, folder: Path) -> End | None:
        return End.read(folder)

    def keep_end(self, folder: Path) -> None:
        pass

    def is_done(self, folder: Path, step: str) -> bool:
        return _mark(folder, step).exists()

    def do(self, folder: Path, step: str, make: Callable[[], None]) -> None:
        make()
        _mark(folder, step).touch()

    def is_whole(self, job: Job) -> bool:
        return is_whole(job)

    def is_over(self, job: Job) -> bool:
        return self.is_whole(job) and not is_unsettled(job.out_dir)

    def keep_corpus(self, job: Job) -> None:
        pass

    def clear(self, job: Job) -> None:
        for work in (job.work_dir, folder_of(job.out_dir)):
            shutil.rmtree(work, ignore_errors=True)


def _mark(folder: Path, step: str) -> Path:
    return folder / LEASES / f"{step}.{DONE}"
