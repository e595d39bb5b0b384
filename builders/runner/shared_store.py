"""A folder in an object store as what the tasks of a build share, who have no other in common.

    corpus/.corefmill/owner.json                      whose the place is (corpora/remote_folder.py)
    corpus/.corefmill/work/DIGEST/00017.pages.jsonl   the shards of unit 17, put first
    corpus/.corefmill/work/DIGEST/receipts/17         its receipt, put last: without it the unit was
                                                      never done, and whoever does it puts all anew
    corpus/.corefmill/work/DIGEST/leases/18           whose unit 18 is (store_leases.py)
    corpus/.corefmill/passes/...                      the same of passes, and what steps have made
    corpus/train.jsonl ... manifest.json              the corpus, its manifest last

Names below `.corefmill` are those of each task's own folder, which is a copy of what it needs:
shards of other tasks are fetched when they are read.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from corefmill.builders.runner.fingerprint import PARTS
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.leases import LEASES, TIMES, LeaseTimes
from corefmill.builders.runner.passes import folder_of
from corefmill.builders.runner.run import claim
from corefmill.builders.runner.shards import (
    END,
    End,
    Receipt,
    clock_path,
    is_whole_shard,
    shard_path,
)
from corefmill.builders.runner.store_leases import StoreLeases, look_in_store
from corefmill.builders.runner.workplace import DONE, Leasing, is_made
from corefmill.corpora import manifest
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.object_folder import Listed, ObjectFolder
from corefmill.corpora.ownership import PRIVATE, WORK, claim_folder, private
from corefmill.corpora.remote_errors import AGAIN, RemoteError
from corefmill.corpora.remote_folder import RemoteFolder

RECEIPTS = "receipts"
_AT_ONCE = 16
"""Receipts that are asked for at the same time."""


class SharedStore:
    """What lies in a store of a build; `out` is the folder of the corpus on this machine."""

    seconds_to_leave = 5.0

    def __init__(self, place: RemoteFolder, out: Path, poll: float = TIMES.poll) -> None:
        self.place = place
        self._root = private(out)
        self._passes = folder_of(out)
        self._corpus = ObjectFolder(place.url)
        self.work = ObjectFolder(f"{place.url}/{PRIVATE}")
        self._poll = poll
        self._sound: set[Path] = set()
        self._seen: dict[Path, tuple[float, frozenset[int]]] = {}

    def prepare(self, job: Job, *, overwrite: bool) -> None:
        """Gets the place ready for tasks: it is theirs, and nothing of earlier ones is in the way.

        Raises `UsageError` where another build's files are, and where tasks are at work.
        """
        there = self.refuse_tasks()
        self.place.claim(overwrite=overwrite)
        if overwrite or self.is_whole(job):  # but damaged, or it would not be built again
            self._corpus.delete([manifest.NAME])
        # Of an earlier start: what was tried too often then may be tried again.
        old = WORK if overwrite else ()
        parts = {name: PurePosixPath(name).parts for name in there}
        self.work.delete([n for n, of in parts.items() if of[0] in old or LEASES in of])

    def refuse_tasks(self) -> dict[str, Listed]:
        """What is there of work; raises `UsageError` where tasks are at it."""
        there = self.work.list()
        for folder in sorted(_leases(there)):
            if tasks := look_in_store(self.work, folder).tasks:
                raise UsageError(
                    f"{len(tasks)} tasks of a cluster are at work here, one on {tasks[0]}",
                    path=self.place.url,
                    remedy="wait for them, or end them by scancel; what was killed is forgotten in"
                    " a minute",
                )
        return there

    def fetch_corpus(self, job: Job) -> None:
        """Has the files of the corpus here, the manifest last."""
        claim_folder(job.out_dir, job.files, overwrite=True)
        for name in (*sorted({*job.files} - {manifest.NAME}), manifest.NAME):
            path = job.out_dir / name
            if not self._corpus.fetch(name, path):
                path.unlink(missing_ok=True)

    def begin(self, job: Job) -> None:
        folder = claim(job, overwrite=False, beside_tasks=True)
        self.work.put_new(self.name(folder / PARTS), (folder / PARTS).read_bytes())

    def leases(self, folder: Path, who: str, times: LeaseTimes) -> AbstractContextManager[Leasing]:
        return StoreLeases(self.work, self.name(folder / LEASES), who, times)

    def receipts(self, folder: Path) -> dict[int, Receipt]:
        units = sorted(self._done(folder))
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            found = threads.map(lambda unit: self._receipt(folder, unit), units)
            return {receipt.unit: receipt for receipt in found if receipt is not None}

    def receipt(self, folder: Path, unit: int, *, now: bool = False) -> Receipt | None:
        if not now and unit not in self._done(folder):
            return None
        return self._receipt(folder, unit)

    def keep(self, folder: Path, receipt: Receipt) -> None:
        for channel in receipt.files:
            self._put(shard_path(folder, receipt.unit, channel))
        self._put(clock_path(folder, receipt.unit))
        self.work.put(self._receipt_name(folder, receipt.unit), receipt.to_json().encode())

    def is_sound(self, folder: Path, receipt: Receipt) -> bool:
        return all(self._has(folder, receipt, channel) for channel in receipt.files)

    def drop(self, folder: Path, unit: int) -> None:
        self.work.delete([self._receipt_name(folder, unit)])
        self._sound.clear()
        self._seen.pop(folder, None)

    def result(self, result: RunResult) -> RunResult:
        return replace(result, fetch=self._fetch)

    def end(self, folder: Path) -> End | None:
        self.work.fetch(self.name(folder / END), folder / END)
        return End.read(folder)

    def keep_end(self, folder: Path) -> None:
        self._put(folder / END)

    def is_done(self, folder: Path, step: str) -> bool:
        got = self.work.get(self._mark(folder, step))
        if got is None:
            return False
        for name in self._named(got[0]):
            path = self._root / name
            if not path.exists() and not self.work.fetch(name, path):
                raise self._gone(name)
        return True

    def _named(self, mark: bytes) -> list[str]:
        """The files that a mark says were made; raises `DataError` for one that no step makes."""
        try:
            names = [str(name) for name in json.loads(mark)]
        except (ValueError, TypeError):
            names = [""]
        for name in names:
            if ".." in PurePosixPath(name).parts or self._passes not in (self._root / name).parents:
                raise self._gone(name)
        return names

    def do(self, folder: Path, step: str, make: Callable[[], None]) -> None:
        before = {path: path.stat().st_mtime_ns for path in self._made()}
        make()
        made = [path for path in self._made() if path.stat().st_mtime_ns != before.get(path)]
        for path in made:
            self._put(path)
        names = json.dumps([self.name(path) for path in made])
        self.work.put(self._mark(folder, step), names.encode())

    def is_whole(self, job: Job) -> bool:
        got = self._corpus.get(manifest.NAME)
        return got is not None and is_made(got[0], job)

    def is_over(self, job: Job) -> bool:
        return self.is_whole(job) and not self._work(job)

    def keep_corpus(self, job: Job) -> None:
        self.place.put(job.out_dir, job.files)

    def clear(self, job: Job) -> None:
        with suppress(RemoteError):  # the corpus is there, which is what counts
            self.work.delete(self._work(job))

    def name(self, path: Path) -> str:
        """Where a file or folder of this machine lies in the store."""
        return path.relative_to(self._root).as_posix()

    def _work(self, job: Job) -> list[str]:
        """What of the work is there."""
        folders = (job.work_dir, self._passes)
        return [name for folder in folders for name in self.work.list(self.name(folder))]

    def _done(self, folder: Path) -> frozenset[int]:
        """The units of which there were receipts a moment ago."""
        looked, units = self._seen.get(folder, (float("-inf"), frozenset[int]()))
        if time.monotonic() >= looked + self._poll:
            looked = time.monotonic()
            found = self.work.list(f"{self.name(folder)}/{RECEIPTS}")
            own = (name.rpartition("/")[2] for name in found)
            units = frozenset(int(name) for name in own if name.isdecimal())
            self._seen[folder] = looked, units
        return units

    def _receipt(self, folder: Path, unit: int) -> Receipt | None:
        """The receipt, None for one of another unit, or with a channel that is no file's name."""
        got = self.work.get(self._receipt_name(folder, unit))
        try:
            found = None if got is None else Receipt.from_json(got[0].decode())
        except ValueError:
            return None
        if found is None or found.unit != unit or any("/" in channel for channel in found.files):
            return None
        return found

    def _fetch(self, folder: Path, receipt: Receipt, channel: str | None) -> None:
        """Has a file of a unit here: the shard of a channel, or what the unit took."""
        if channel is None:
            path = clock_path(folder, receipt.unit)
            if not path.exists():
                self.work.fetch(self.name(path), path)
            return
        if not self._has(folder, receipt, channel):
            raise self._gone(self.name(shard_path(folder, receipt.unit, channel)))

    def _has(self, folder: Path, receipt: Receipt, channel: str) -> bool:
        """Whether the shard is here now, as it was written; it is read once."""
        path, file = shard_path(folder, receipt.unit, channel), receipt.files[channel]
        if path in self._sound:
            return True
        whole = is_whole_shard(path, file) or (
            self.work.fetch(self.name(path), path) and is_whole_shard(path, file)
        )
        if whole:
            self._sound.add(path)
        return whole

    def _gone(self, name: str) -> DataError:
        return DataError(
            "is not there any more as it was put", path=f"{self.work.url}/{name}", remedy=AGAIN
        )

    def _made(self) -> Iterator[Path]:
        """The files that steps have made here, without the work of passes."""
        for path in sorted(self._passes.rglob("*")):
            if path.is_file() and PRIVATE not in path.relative_to(self._root).parts:
                yield path

    def _put(self, path: Path) -> None:
        self.work.put(self.name(path), path)

    def _receipt_name(self, folder: Path, unit: int) -> str:
        return f"{self.name(folder)}/{RECEIPTS}/{unit}"

    def _mark(self, folder: Path, step: str) -> str:
        return f"{self.name(folder / LEASES)}/{step}.{DONE}"


def _leases(names: Iterable[str]) -> set[str]:
    """The folders of leases that objects lie in."""
    folders = (str(PurePosixPath(name).parent) for name in names)
    return {folder for folder in folders if PurePosixPath(folder).name == LEASES}
