"""Which task has which unit: leases, files in a folder that all tasks of a cluster share.

    17.0    task A's, which died: nobody has touched the file for a minute
    17.1    task B's, who took the unit over; of all who try, one alone can make the file

A lease is made by `O_EXCL`, which one task alone can do on any file system, NFS included. Its owner
touches it every few seconds. One that is not touched any more is dead, and whoever needs the unit
makes the file of the next generation; nothing is ever deleted to take it, so that two cannot both
believe that it is theirs. Times are the file server's own: a lease is compared with a file that the
asking task has just touched itself, never with a clock of its machine.

A task that is slow rather than dead, and loses its unit, does no harm: both write the same bytes.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.corpora.errors import UsageError

LEASES = "leases"
"""The folder beside the shards."""

TASK_ENDING = ".task"
"""Ends the name of the file by which a task shows that it is at work."""


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """Seconds between two touches of a lease, until one that is not touched is dead, and between
    two looks at what others do; and how often a unit is begun before it is given up."""

    beat: float = 10.0
    dead: float = 60.0
    poll: float = 2.0
    most: int = 4


TIMES = LeaseTimes()


class Leases:
    """The leases of one folder, as one task takes them and keeps them alive; use it in a `with`.

    `who` is what the others are told of this task. Raises FileNotFoundError where the folder is
    not there (any more): it is the corpus's, which may be whole by now.
    """

    def __init__(self, folder: Path, who: str, times: LeaseTimes = TIMES) -> None:
        self._folder = folder
        self._who = who
        self._times = times
        self._held: dict[str, Path] = {}
        self._mind = threading.Lock()
        self._over = threading.Event()
        self.spoilt: dict[str, str] = {}
        """What was begun as often as may be and never finished, and what is known of why."""
        self._own = folder / f"{secrets.token_hex(6)}{TASK_ENDING}"
        self._own.write_text(json.dumps({"who": who}), encoding="utf-8")
        self._touch()
        self._beats = threading.Thread(target=self._beat, daemon=True)
        self._beats.start()

    def __enter__(self) -> Leases:
        return self

    def __exit__(self, *error: object) -> None:
        """Gives back what was not finished, as if it had never been taken."""
        self._over.set()
        self._beats.join()
        for path in (*self._held.values(), self._own):
            path.unlink(missing_ok=True)
        self._held.clear()

    def take(self, name: str) -> bool:
        """Whether `name` is this task's, from now on or already."""
        if name in self._held:
            return True
        for generation in range(self._times.most):
            path = self._folder / f"{name}.{generation}"
            try:
                descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            except FileExistsError:
                if self._lives(path):
                    return False
                continue
            with self._mind:
                self._held[name] = path
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(json.dumps({"who": self._who}))
            return True
        self.spoilt[name] = _read(path).error
        return False

    def done(self, name: str) -> None:
        """It is finished, and what says so is on the disk: the lease is of no more use."""
        with self._mind:
            path = self._held.pop(name, None)
        if path is not None:
            path.unlink(missing_ok=True)

    def fail(self, name: str, error: str) -> None:
        """It could not be finished: the lease is dead at once, and counts as a try."""
        with self._mind:
            path = self._held.pop(name, None)
        if path is not None:
            with suppress(OSError):  # on a full disk it is not said why
                path.write_text(json.dumps({"who": self._who, "error": error}), encoding="utf-8")
            os.utime(path, (0, 0))

    def _lives(self, path: Path) -> bool:
        """Whether its owner has touched it lately."""
        touched, then = self._clock
        now = then + time.monotonic() - touched
        try:
            return _mtime(path) > now - self._times.dead
        except FileNotFoundError:  # given back just now: ask again
            return True

    def _beat(self) -> None:
        while not self._over.wait(self._times.beat):
            # A folder that is gone, or a disk that cannot be reached: others will take over.
            with suppress(OSError):
                self._touch()
            with self._mind:
                for path in self._held.values():
                    with suppress(OSError):
                        os.utime(path)

    def _touch(self) -> None:
        """Shows that this task is at work, and learns the time of the file server by it."""
        os.utime(self._own)
        self._clock = time.monotonic(), _mtime(self._own)


@dataclass(frozen=True, slots=True)
class Lease:
    """What a file in the folder says: of which unit or step, whose it is, and why it failed."""

    name: str
    who: str
    error: str
    lives: bool = False


@dataclass(slots=True)
class Seen:
    """What is to be seen in a folder of leases: tasks at work, what they hold, what is dead."""

    tasks: list[str] = field(default_factory=list)
    held: list[Lease] = field(default_factory=list)
    dead: list[Lease] = field(default_factory=list)


def look(folder: Path, times: LeaseTimes = TIMES) -> Seen:
    """Who is at work in a folder of leases; nobody where there is none. Of a name, the last lease
    counts."""
    seen = Seen()
    if not folder.is_dir():
        return seen
    now = _server_time(folder)
    last: dict[str, Lease] = {}
    paths: list[Path] = []
    with suppress(FileNotFoundError):  # the build is finished, and its folder removed just now
        paths = list(_leases(folder))
    for path in paths:
        with suppress(FileNotFoundError):
            lives = _mtime(path) > now - times.dead
            said = _read(path)
            if path.suffix == TASK_ENDING:
                seen.tasks += [said.who] * lives
            else:
                last[said.name] = Lease(said.name, said.who, said.error, lives)
    for lease in last.values():
        (seen.held if lease.lives else seen.dead).append(lease)
    return seen


def refuse_tasks(work_dir: Path, times: LeaseTimes = TIMES) -> None:
    """Raises UsageError where tasks of a cluster are at work below a folder of work."""
    for folder in sorted(work_dir.glob(f"*/{LEASES}")):
        if tasks := look(folder, times).tasks:
            raise UsageError(
                f"{len(tasks)} tasks of a cluster are at work in this folder, one on {tasks[0]}",
                path=work_dir.parent.parent,
                remedy="wait for them, or end them by scancel; what was killed is forgotten in a"
                " minute",
            )


def _leases(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.suffix == TASK_ENDING or path.suffix[1:].isdigit():
            yield path


def _mtime(path: Path) -> float:
    """By an open file: NFS remembers for a minute what it was told of one that is not opened."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.fstat(descriptor).st_mtime
    finally:
        os.close(descriptor)


def _server_time(folder: Path) -> float:
    """The file server's clock, or this machine's where the folder can only be read."""
    probe = folder / f"{secrets.token_hex(6)}.now"
    try:
        probe.touch()
        return _mtime(probe)
    except OSError:  # no right to, or a disk mounted to be read alone
        return time.time()
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def _read(path: Path) -> Lease:
    """What a lease says; nothing where it was cut off."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return Lease(path.stem, raw["who"], raw.get("error", ""))
    except (ValueError, KeyError, TypeError, FileNotFoundError):
        return Lease(path.stem, "", "")
