"""A build that tasks of a cluster do: what is got ready for them, and what is known of them after.

Each task runs the very command that the user gave, with its number in the environment. What they
share is the output folder, which all nodes must see at the same path; `pulling.py` tells the rest.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from corefmill.builders.runner.fingerprint import PARTS
from corefmill.builders.runner.job import Job
from corefmill.builders.runner.leases import LEASES, Seen, look
from corefmill.builders.runner.passes import folder_of
from corefmill.builders.runner.run import claim
from corefmill.builders.runner.shards import END, End, receipt_path, remove_temporaries
from corefmill.builders.runner.shared_store import RECEIPTS
from corefmill.builders.runner.store_leases import look_in_store
from corefmill.builders.runner.workplace import DONE, is_whole
from corefmill.corpora import disk, manifest
from corefmill.corpora.atomic import ensure_folder, write_whole
from corefmill.corpora.errors import UsageError
from corefmill.corpora.object_folder import ObjectFolder
from corefmill.corpora.ownership import PRIVATE, private

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
        """Keeps it in the output folder, where `corefmill jobs` looks for it."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkState:
    """How far a pass or the build itself is: `units` is None until the input was read to its end.

    `tasks` are those at work on it, `in_hand` and `failed` its units and steps.
    """

    name: str
    done: int
    units: int | None
    tasks: tuple[str, ...]
    in_hand: tuple[str, ...]
    failed: dict[str, str]


def work_states(out_dir: Path) -> list[WorkState]:
    """How far all work in an output folder is, the passes before the build first."""
    states = []
    for path in sorted(private(out_dir).rglob(PARTS)):
        with suppress(FileNotFoundError):  # it is finished, and removed at this moment
            states.append(_state(path.parent))
    return states


def _state(folder: Path) -> WorkState:
    seen = look(folder / LEASES)
    end = End.read(folder)
    done = {path.stem for path in folder.glob("*.json") if path.stem.isdigit()}
    name = _builder((folder / PARTS).read_bytes(), folder.name)
    return _seen(name, len(done), end, seen, partial(_is_done, folder))


def store_states(url: str) -> list[WorkState]:
    """The same of a folder in an object store."""
    store = ObjectFolder(f"{url.rstrip('/')}/{PRIVATE}")
    names = store.list()
    folders = [PurePosixPath(name).parent for name in names if name.endswith(f"/{PARTS}")]
    # By their names passes come first, and the build last.
    return [_store_state(store, names, folder) for folder in sorted(folders)]


def _store_state(store: ObjectFolder, names: Collection[str], folder: PurePosixPath) -> WorkState:
    below = str(folder / LEASES)
    seen = look_in_store(store, below)
    done = {PurePosixPath(name).name for name in names if name.startswith(f"{folder / RECEIPTS}/")}
    steps = {PurePosixPath(name).stem for name in names if name.startswith(f"{below}/")}
    done_steps = {step for step in steps if f"{below}/{step}.{DONE}" in names}
    end = End.from_json((store.get(str(folder / END)) or (b"",))[0])
    got = store.get(str(folder / PARTS))
    name = _builder(b"" if got is None else got[0], folder.name)
    return _seen(name, len(done), end, seen, (done | done_steps).__contains__)


def _seen(
    name: str, done: int, end: End | None, leases: Seen, is_done: Callable[[str], bool]
) -> WorkState:
    return WorkState(
        name=name,
        done=done,
        units=None if end is None else end.units,
        tasks=tuple(leases.tasks),
        in_hand=tuple(lease.name for lease in leases.held),
        failed={
            lease.name: lease.error or f"{lease.who} died"
            for lease in leases.dead
            if not is_done(lease.name)
        },
    )


def _builder(parts: bytes, unknown: str) -> str:
    """The name of the build or pass of this fingerprint."""
    try:
        return str(json.loads(parts)["builder"])
    except (ValueError, KeyError, TypeError):
        return unknown


def _is_done(folder: Path, name: str) -> bool:
    """Whether a unit or a step was done in the end, whoever failed at it before."""
    if name.isdigit():
        return receipt_path(folder, int(name)).exists()
    return (folder / LEASES / f"{name}.{DONE}").exists()
