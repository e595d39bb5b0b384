"""Get a build ready for the tasks of a cluster, and record which job does it.

Each task runs the very command that the user gave, with its number in the environment. What they
share is the output folder, which all nodes must see at the same path; `pulling.py` tells the rest.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from corefmill.builders.runner.job import Job
from corefmill.builders.runner.leases import LEASES
from corefmill.builders.runner.passes import folder_of
from corefmill.builders.runner.run import claim
from corefmill.builders.runner.shards import remove_temporaries
from corefmill.builders.runner.workplace import is_whole
from corefmill.corpora import disk, manifest
from corefmill.corpora.atomic import ensure_folder, write_whole
from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import private

TASK = "COREFMILL_TASK"
"""The variable that makes a command one task of a build, and holds its number."""

_LOGS, _RECORD = "logs", "jobs.json"


def task_number(environment: Mapping[str, str] = os.environ) -> int | None:
    """Which task of a build this process is, None if it is none."""
    number = environment.get(TASK)
    return int(number) if number is not None and number.isdecimal() else None


def logs_of(out_dir: Path) -> Path:
    """Where the tasks' logs lie. They stay when the work is removed: of an array's tasks the last
    may begin when the corpus is finished, and Slurm fails one whose log it cannot open."""
    return private(out_dir) / _LOGS


def prepare(job: Job, *, overwrite: bool) -> None:
    """Gets the folder ready for tasks: it is theirs, and nothing of earlier ones is in their way.

    The caller holds the folder's lock. Raises `UsageError` as `claim` does, and for standard input.
    """
    if not job.source.paths or any(map(disk.is_stream, job.source.paths)):
        raise UsageError("standard input cannot be shared between tasks", remedy="name a file")
    folder = claim(job, overwrite=overwrite)
    if overwrite:
        shutil.rmtree(folder_of(job.out_dir), ignore_errors=True)
    # Of an earlier start: what was tried too often then may be tried again.
    for leases in sorted(private(job.out_dir).rglob(LEASES)):
        shutil.rmtree(leases)
    remove_temporaries(folder)
    if is_whole(job):  # but damaged, or it would not be built again
        (job.out_dir / manifest.NAME).unlink()
    ensure_folder(folder / LEASES)
    shutil.rmtree(logs_of(job.out_dir), ignore_errors=True)
    ensure_folder(logs_of(job.out_dir))


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """Which executor does a build, with how many tasks; `job` is Slurm's number of it."""

    executor: str
    tasks: int
    job: str | None = None

    def write(self, out_dir: Path) -> None:
        """Keep the record in the output folder, where the next command looks for a queued job."""
        write_whole(private(out_dir) / _RECORD, json.dumps(asdict(self)))

    @classmethod
    def read(cls, out_dir: Path) -> JobRecord | None:
        """What `write` left; None where nothing, or nothing legible, is there."""
        try:
            record = cls(**json.loads((private(out_dir) / _RECORD).read_bytes()))
        except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
            return None
        # It goes into a command line.
        return record if record.job is None or str(record.job).isdecimal() else None
