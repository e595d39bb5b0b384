"""The work of one task of a cluster, of which each does the same: take a unit, do it, go on.

Nobody is told what to do. A task goes through the units of a job and takes those that nobody has,
by leases (`leases.py`); when the input is at its end it waits for what others have in hand, and
takes over what a dead one had. So a build with passes before it goes from one to the next in every
task at once. What only one may do, such as a join, one task does, and the others wait for it; of
the last such step, the writing of the corpus, one alone waits, in case that the writer dies.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from corefmill.builders.runner.drive import Tally, work_through
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.leases import LEASES, TIMES, LeaseTimes
from corefmill.builders.runner.run import claim, is_current
from corefmill.builders.runner.shards import End, Receipt
from corefmill.builders.runner.stages import Unit
from corefmill.builders.runner.workers import Pool, ProcessPool, is_disk_full
from corefmill.builders.runner.workplace import Leasing, SharedFolder, Workplace
from corefmill.corpora.atomic import ensure_folder
from corefmill.corpora.errors import CorefmillError, DataError, UsageError

FINISH, STANDBY = "corpus", "standby"
"""The steps after all units: writing the corpus, and waiting in case that this fails."""


class ClusterTask:
    """One task of a cluster, number `number`, with `workers` processes of its own.

    It is a `Do` for the passes before the build `job`, and then does that. What it shares with the
    others is in `place`.
    """

    def __init__(
        self,
        job: Job,
        number: int,
        *,
        workers: int = 1,
        times: LeaseTimes = TIMES,
        place: Workplace | None = None,
    ) -> None:
        self._place = place or SharedFolder()
        self._job = job
        self._number = number
        self._workers = workers
        self._times = times
        self._folder = job.work_dir / job.fingerprint.digest
        self._who = f"{platform.node()}, task {number}, process {os.getpid()}"

    def build(
        self, first: Callable[[ClusterTask], None], assemble: Callable[[RunResult], None]
    ) -> None:
        """Helps with the passes and the units, until the corpus is there or others see to it.

        Raises DataError for a unit that failed, naming it, or that failed too often, and what
        `first` and `assemble` raise.
        """
        job = self._job
        try:
            if not self._place.is_whole(job):
                self._place.begin(job)
                with self._place.leases(self._folder, self._who, self._times) as self._steps:
                    first(self)
                    self._finish(assemble)
        except Exception as error:
            # Of a task that came late or was slow, others have finished the work and removed it.
            if not self._place.is_whole(job):
                self._refuse_gone(error)
                raise
        if self._place.is_whole(job):
            # Whoever wrote it has removed the work, but for what was made there at that moment.
            self._place.clear(job)

    @contextmanager
    def __call__(self, job: Job) -> Iterator[RunResult]:
        """Helps with a job until all of its units are done, whoever did them."""
        folder = claim(job, overwrite=False, beside_tasks=True)
        ensure_folder(folder / LEASES)
        self._place.begin(job)
        with self._place.leases(folder, self._who, self._times) as leases:
            result = self._pull(job, folder, leases)
        yield result

    def once(self, name: str, make: Callable[[], None], /) -> None:
        """Waits until one task has called `make`, which may be this one.

        Its files must appear whole or not at all: when the task dies, another one begins anew.
        Raises DataError where all who tried have failed.
        """
        while not self._place.is_done(self._folder, name):
            if self._take_step(name):
                if not self._place.is_done(self._folder, name):
                    self._tried(name, partial(self._place.do, self._folder, name, make))
                self._steps.done(name)
            else:
                self._refuse_spoilt(name)
                time.sleep(self._times.poll)

    def _finish(self, assemble: Callable[[RunResult], None]) -> None:
        job, folder = self._job, self._folder
        result = self._pull(job, folder, self._steps)
        while not self._place.is_whole(job):
            if self._take_step(FINISH):
                while self._drop_damaged(folder, result):
                    result = self._pull(job, folder, self._steps)
                self._tried(FINISH, partial(self._write, assemble, result))
                return
            self._refuse_spoilt(FINISH)
            if not self._take_step(STANDBY):
                return
            time.sleep(self._times.poll)

    def _write(self, assemble: Callable[[RunResult], None], result: RunResult) -> None:
        assemble(result)
        self._place.keep_corpus(self._job)

    def _drop_damaged(self, folder: Path, result: RunResult) -> bool:
        """Reads all shards; whether any is not as it was written. Those units are done again."""
        damaged = [one for one in result.receipts if not self._place.is_sound(folder, one)]
        for receipt in damaged:
            self._place.drop(folder, receipt.unit)
        return bool(damaged)

    def _take_step(self, name: str) -> bool:
        taken = self._steps.take(name)
        self._refuse_over()
        return taken

    def _refuse_over(self) -> None:
        """Raises FileNotFoundError once the corpus is there: its work is being removed, and what
        is not found any more must not be done again."""
        if self._place.is_whole(self._job):
            raise FileNotFoundError(self._folder)

    def _pull(self, job: Job, folder: Path, leases: Leasing) -> RunResult:
        """Does units until all are done; gives the result of all."""
        shared = _Shared(self._place, folder, leases, self._refuse_over)
        tally, end = Tally(job.limit), self._place.end(folder)
        if end is not None and not is_current(end, job.source):
            end = None
        while True:
            tally.follow(shared.receipt)
            if tally.reached or (end is not None and tally.units == end.units):
                return self._place.result(tally.result(job, folder, end))
            missing = [] if end is None else shared.missing(range(tally.units, end.units))
            # Taking one says whether there is any; the others are taken as they come by.
            if end is None or any(map(shared.take, missing)):
                end = self._go_through(job, folder, shared, leases) or end
            elif missing and all(str(unit) in leases.spoilt for unit in missing):
                why = leases.spoilt[str(missing[0])]
                raise self._spoilt(f"unit {missing[0]}", why, folder)
            else:
                time.sleep(self._times.poll)

    def _go_through(self, job: Job, folder: Path, shared: _Shared, leases: Leasing) -> End | None:
        """Goes once through the units, and does those that nobody has."""
        self._refuse_over()
        # Processes of their own, even if it is one: when the kernel kills one of them for its
        # memory, the task lives to say so. They are numbered by the task, for tasks of one node
        # that all called their first worker 0 would share one GPU.
        first = self._number * self._workers
        pool = ProcessPool(job.plan(folder), self._workers, first)
        _, end = work_through(
            job.source,
            folder,
            _LeasedPool(pool, leases, partial(self._place.keep, folder)),
            shared.known,
            owned=shared.take,
            finished=shared.receipt,
            read_again=False,  # by each of the tasks what all the others did
            limit=job.limit,
        )
        if end is not None:
            self._place.keep_end(folder)
        return end

    def _tried(self, name: str, make: Callable[[], None]) -> None:
        """Makes it; the others are told at once where that fails."""
        try:
            make()
        except Exception as error:
            self._steps.fail(name, str(error))
            raise

    def _refuse_gone(self, error: Exception) -> None:
        if isinstance(error, FileNotFoundError) and not self._folder.exists():
            raise UsageError(
                "what this task is to do is not here: the input or the program was changed since"
                " the build was submitted, or its work removed",
                path=self._job.out_dir,
                remedy="give the same command again",
            ) from error

    def _refuse_spoilt(self, name: str) -> None:
        if name in self._steps.spoilt:
            raise self._spoilt(f"the step {name}", self._steps.spoilt[name], self._job.out_dir)

    def _spoilt(self, what: str, why: str, path: Path) -> DataError:
        return DataError(
            f"{what} was begun {self._times.most} times and never finished:"
            f" {why or 'its tasks died'}",
            path=path,
            remedy="the logs of the tasks say more; the same command tries it again",
        )


class _Shared:
    """The units of a job that others do too: what is done, and what may be taken."""

    def __init__(
        self, place: Workplace, folder: Path, leases: Leasing, refuse_over: Callable[[], None]
    ) -> None:
        self._place = place
        self._folder = folder
        self._leases = leases
        self._refuse_over = refuse_over
        self.known = place.receipts(folder)

    def receipt(self, unit: int, *, now: bool = False) -> Receipt | None:
        """The receipt of a unit that is done; without `now` a moment ago will do."""
        if unit not in self.known:
            receipt = self._place.receipt(self._folder, unit, now=now)
            if receipt is None:
                return None
            self.known[unit] = receipt
        return self.known[unit]

    def missing(self, units: range) -> list[int]:
        """Those that nobody has finished."""
        return [unit for unit in units if self.receipt(unit) is None]

    def take(self, unit: int) -> bool:
        """Whether the unit is this task's to do."""
        if self.receipt(unit) is not None or not self._leases.take(str(unit)):
            return False
        # It may have been finished, and its lease removed, since we looked.
        if self.receipt(unit, now=True) is not None:
            self._leases.done(str(unit))
            return False
        self._refuse_over()
        return True


class _LeasedPool:
    """A pool that keeps what was done of a unit for all, then gives its lease back, and says whose
    a failure is."""

    def __init__(self, pool: Pool, leases: Leasing, keep: Callable[[Receipt], None]) -> None:
        self._pool = pool
        self._leases = leases
        self._keep = keep

    @property
    def in_flight(self) -> int:
        return self._pool.in_flight

    @property
    def full(self) -> bool:
        return self._pool.full

    @property
    def made(self) -> int:
        return self._pool.made

    @property
    def failed(self) -> int | None:
        return self._pool.failed

    def submit(self, unit: Unit) -> None:
        with self._of_unit():
            self._pool.submit(unit)

    def receive(self) -> Receipt | None:
        with self._of_unit():
            receipt = self._pool.receive()
        if receipt is not None:
            self._keep(receipt)
            self._leases.done(str(receipt.unit))
        return receipt

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def _of_unit(self) -> Iterator[None]:
        """Makes an error one that names its unit, and tells those who will try it after us."""
        try:
            yield
        except Exception as error:
            if self.failed is None:
                raise
            unit = f"unit {self.failed}"
            self._leases.fail(str(self.failed), str(error))
            if unit in str(error) or is_disk_full(error):
                raise
            if isinstance(error, CorefmillError):
                said, path, line = error.message, error.path, error.line
                raise DataError(
                    f"{unit}: {said}", path=path, line=line, remedy=error.remedy
                ) from error
            raise DataError(f"{unit}: {error}") from error
