"""Runs a job: submits its units to an executor, gathers receipts, and ends in order.

The driver alone knows order, resume, limit and progress. Of what an engine hands back it believes
nothing: a unit is done when its receipt is on the disk. A unit whose worker died is tried once
more. Whatever puts an end to a run, the same call goes on from the receipts.
"""

from __future__ import annotations

import json
import logging
import pickle
import shutil
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from tqdm import tqdm

from corefmill.builders.run.executors import (
    Cluster,
    Executor,
    InlineExecutor,
    LocalExecutor,
    Submission,
    brief,
)
from corefmill.builders.run.job import PARTS, Fingerprint, Job, Limit, RunResult, differences
from corefmill.builders.run.shards import (
    END,
    End,
    Receipt,
    finished_unit,
    finished_units,
    remove_temporaries,
)
from corefmill.builders.run.stages import Unit, UnitSource
from corefmill.builders.run.units import BatchResult, Plan, UnitWorker, is_disk_full
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.files.ownership import claim_folder, lock_folder
from corefmill.corpora.files.terminal import progress_bar
from corefmill.corpora.files.writing import ensure_folder, write_whole

T = TypeVar("T")

_POLL = 0.01  # seconds between two questions whether a call has ended
_LOOK = 2.0  # seconds between two looks for receipts of batches that have not ended
_PATIENCE = 30.0  # seconds until a receipt is seen that was written on another machine
_BATCH = 64  # units of a cluster's task, at most: some minutes
_BATCH_BYTES = 16 << 20  # of text that a batch carries along
_TRIES = 2  # of a unit whose worker dies
_SHOWN_DIFFERENCES = 4
_RESUME = "the same command, without --overwrite, resumes"

_log = logging.getLogger(__name__)


class Interrupted(CorefmillError):
    """Ctrl-C or SIGTERM; the command line prints it and exits with `exit_code`."""

    exit_code = 130


Runner: TypeAlias = Callable[[Job], AbstractContextManager[RunResult]]
"""`run` as the passes before a build call it: all but the job is given already."""


@contextmanager
def run(
    job: Job,
    *,
    workers: int = 1,
    cluster: Cluster | None = None,
    progress: bool | None = None,
    overwrite: bool = False,
) -> Iterator[RunResult]:
    """Do the rest of the job, and hold its folder inside the block.

    It is done by `workers` processes here, fewer where the input is too small for so many, or by
    the tasks of a `cluster`, each with so many. The same inputs, options and seed give the same
    records in the same order anywhere, however often a run was killed. `progress` None shows any
    on a terminal only; `overwrite` starts anew, whatever the folder holds.

    Raises `UsageError` if the folder is in use or holds another build, `DataError` if the input is
    not what it was or a worker died (what was finished is kept and the same call resumes), and
    `StageError` for a fault in a stage.
    """
    with lock_folder(job.out_dir):
        folder = claim(job, overwrite=overwrite)
        plan = Plan(job.setup, folder, job.channels, job.seed, job.keep_rejects)
        try:
            known = finished_units(folder)
            end = End.read(folder)
            # The input was read to its end, no file of it was changed since, and all units are
            # done. Standard input has no files, and what broke off is read again.
            if (
                end is not None
                and job.source.paths
                and end.error is None
                and end.mtimes == _mtimes(job.source)
                and all(unit in known for unit in range(end.units))
            ):
                tally = Tally(job.limit)
                for unit in range(end.units):
                    tally.add(known[unit])
            else:
                plan.open()
                hidden = None if progress is None else not progress
                with progress_bar(desc=job.name, hidden=hidden, unit_scale=True, leave=True) as bar:
                    driver = _Driver(job, folder, known, bar, cluster)
                    tally, end = driver.work(plan, workers)
        finally:
            plan.close()
            # Stopped and killed workers, of earlier runs too, and a full disk leave half files.
            remove_temporaries(folder)
        yield tally.result(job, folder, end)


@dataclass(slots=True)
class _Batch:
    """Units submitted together, without those done already."""

    units: list[Unit]
    submission: Submission


class _Driver:
    """Leads the units of a source through an executor, up to the end or to a limit."""

    def __init__(
        self,
        job: Job,
        folder: Path,
        known: Mapping[int, Receipt],
        bar: tqdm[Any],
        cluster: Cluster | None,
    ) -> None:
        self._job = job
        self._folder = folder
        self._known = known
        self._bar = bar
        self._cluster = cluster
        self._tally = Tally(job.limit)
        self._in_flight: list[_Batch] = []
        self._again: deque[list[Unit]] = deque()
        self._deaths: Counter[int] = Counter()
        self._seen = 0

    def work(self, plan: Plan, workers: int) -> tuple[Tally, End | None]:
        """Do the unfinished units.

        The end is None if the limit came first; otherwise it is also written beside the shards.
        Raises DataError if a known unit was made from other input.
        """
        source, broke_off = self._job.source, list[DataError]()
        executor: Executor
        if self._cluster is not None:
            worker, most = UnitWorker(plan, workers), self._cluster.tasks
            logs = self._job.work_dir / "logs"
            executor = self._cluster.start(self._job.name, logs, workers)
        else:
            size = min(workers, source.most_workers)
            # One unit waits, so that no worker idles while the source cuts the next.
            worker, most = UnitWorker(plan), size + (size > 1)
            executor = InlineExecutor() if size == 1 else LocalExecutor(size)
        try:
            with closing(until_broken(source.units(self._known), broke_off)) as units:
                batches = self._batches(units, most)
                while True:
                    with executor.batch():
                        # A worker that dies takes along what others do at the time. What it took
                        # is tried one by one, so that the unit at fault is known.
                        room = 1 if self._again and self._cluster is None else most
                        while len(self._in_flight) < room and not self._tally.reached:
                            batch = self._again.popleft() if self._again else next(batches, None)
                            if batch is None:
                                break
                            self._in_flight.append(_Batch(batch, executor.submit(worker, batch)))
                    if self._tally.reached or not self._in_flight:
                        break
                    self._gather()
        finally:
            # Also where all is done: a limit is reached while later units are still in flight.
            executor.close()
        if self._tally.reached:
            return self._tally, None
        end = End(self._seen, _mtimes(source), broke_off[0] if broke_off else None)
        end.write(self._folder)
        return self._tally, end

    def _batches(self, units: Iterable[Unit], tasks: int) -> Iterator[list[Unit]]:
        """Group the unfinished units; finished ones are taken on the way.

        Here each goes by itself. A task of a cluster gets more from round to round, so that it
        works for minutes where there is much to do, and others have something too where not.
        """
        batch: list[Unit] = []
        given, carried = 0, 0
        for self._seen, unit in enumerate(units, 1):
            self._show()
            if unit.index in self._known:
                if self._known[unit.index].input != unit.summed():
                    raise DataError(
                        f"the input changed since unit {unit.index} was done",
                        path=self._folder,
                        remedy="--overwrite starts anew, --out names another folder",
                    )
                self._tally.add(self._known[unit.index])
                if self._tally.reached:
                    return
                continue
            batch.append(unit)
            if self._cluster is not None:
                carried += len(pickle.dumps(unit.payload))
            most = 1 if self._cluster is None else min(2 << given // tasks, _BATCH)
            if len(batch) >= most or carried >= _BATCH_BYTES:
                yield batch
                batch, given, carried = [], given + 1, 0
        if batch:
            yield batch

    def _gather(self) -> None:
        """Wait until a batch has ended, or the limit is reached within one."""
        look = time.monotonic() + _LOOK
        while not (ended := [one for one in self._in_flight if one.submission.done()]):
            time.sleep(_POLL)
            if self._cluster is not None and time.monotonic() > look:
                look = time.monotonic() + _LOOK
                for batch in self._in_flight:
                    self._take_receipts(batch)
                if self._tally.reached:
                    return
        for batch in ended:
            self._in_flight.remove(batch)
            self._take(batch)
        bar = self._bar
        if not bar.disable and time.time() > bar.start_t + (bar.delay or 0):
            bar.set_postfix_str(f"{self._tally.done:,} units done")

    def _take(self, batch: _Batch) -> None:
        """Take the finished units of a batch, by their receipts, and submit the others again."""
        death: Exception | str = "a task ended well, and its receipts are not here"
        patience = _PATIENCE
        try:
            answer: BatchResult = batch.submission.result()
        except Exception as error:  # whatever an engine raises
            answer, patience = BatchResult(None, {}), 0.0
            death = "a worker was killed" if isinstance(error, BrokenExecutor) else error
        # Receipts last: they say that the other files are whole.
        for name in sorted(answer.files, key=lambda name: name.endswith(".json")):
            write_whole(self._folder / Path(name).name, answer.files[name])
        self._take_receipts(batch)
        if answer.error is not None:
            raise answer.error
        until = time.monotonic() + patience
        while batch.units and time.monotonic() < until:
            time.sleep(_POLL)
            self._take_receipts(batch)
        if not batch.units:
            return
        # A batch is done in order: its first unit without a receipt is the one it died of.
        first = batch.units[0].index
        self._deaths[first] += 1
        _log.info("unit %d: %s", first, death)
        if self._deaths[first] == _TRIES:
            raise DataError(
                f"{brief(death)} at unit {first}, and again when it was tried once more",
                remedy="most often memory ran out: use fewer --workers; run it again to resume",
            )
        self._again.append(batch.units)

    def _take_receipts(self, batch: _Batch) -> None:
        for unit in list(batch.units):
            receipt = finished_unit(self._folder, unit.index)
            if receipt is not None:
                self._tally.add(receipt)
                batch.units.remove(unit)

    def _show(self) -> None:
        if self._bar.disable:
            return
        state = self._job.source.progress()
        if state is None:
            self._bar.unit, done = " units", self._seen
        else:
            self._bar.unit, self._bar.total, done = state.unit, state.total, state.done
        self._bar.update(done - self._bar.n)


class Tally:
    """Receipts by unit, and how far they reach from the first without a gap.

    Only that prefix is ever a result: with several workers a later unit may be done before an
    earlier one, and a limit must not depend on which was faster.
    """

    def __init__(self, limit: Limit | None) -> None:
        self._limit = limit
        self._receipts: dict[int, Receipt] = {}
        self._prefix = 0
        self._records = 0

    @property
    def reached(self) -> bool:
        """Whether the prefix holds as many records as were asked for."""
        return self._limit is not None and self._records >= self._limit.records

    @property
    def done(self) -> int:
        """How many units are done, in the prefix or not."""
        return len(self._receipts)

    def add(self, receipt: Receipt) -> None:
        """Take a receipt, in any order."""
        self._receipts[receipt.unit] = receipt
        _log.info("unit %d is done", receipt.unit)
        while not self.reached and self._prefix in self._receipts:
            if self._limit is not None:
                file = self._receipts[self._prefix].files.get(self._limit.channel)
                self._records += 0 if file is None else file.records
            self._prefix += 1

    def result(self, job: Job, folder: Path, end: End | None) -> RunResult:
        """Return the units of the prefix, and the first error of the input in it."""
        receipts = tuple(self._receipts[unit] for unit in range(self._prefix))
        damage = next((receipt.damage for receipt in receipts if receipt.damage), None)
        # With more workers the source is read further before the limit shows; what it broke off
        # with behind the limit is not part of this result.
        error = None if end is None or self.reached else end.error
        return RunResult(job, folder, receipts, damage or error)


def until_broken(units: Iterator[T], broke_off: list[DataError]) -> Generator[T]:
    """The units, or pages, up to where the input breaks off; the error goes into the list.

    A generator of its own, so that an error from a stage is never taken for one of the source.
    """
    try:
        yield from units
    except DataError as error:
        broke_off.append(error)


def claim(job: Job, *, overwrite: bool) -> Path:
    """Make the folder for the job's shards, unless another build is there.

    Raises UsageError if the output folder holds a corpus made otherwise, one made with a wider
    limit, unfinished work of another build, or files that no build made. With `overwrite` all work
    is removed, and the manifest too, so that a corpus half replaced cannot be taken for a finished
    one.
    """
    finished, own = job.out_dir / manifest.NAME, job.fingerprint
    if not overwrite:
        _refuse_corpus(finished, own, job.most_records)
    claim_folder(job.out_dir, job.files, overwrite=overwrite)
    if overwrite:
        finished.unlink(missing_ok=True)
        shutil.rmtree(job.work_dir, ignore_errors=True)
    for path in sorted(job.work_dir.glob(f"*/{PARTS}")):
        if {file.name for file in path.parent.iterdir()} <= {PARTS, END}:
            continue  # an input that was refused at once left nothing worth keeping
        if path.parent.name != own.digest:
            try:
                parts = json.loads(path.read_text(encoding="utf-8"))
            except ValueError:
                parts = {}
            reasons = differences(parts, own.parts)
            raise _refusal("unfinished work of another build", path.parent, reasons)
    folder = job.work_dir / own.digest
    ensure_folder(folder)
    own.write(folder)
    return folder


def _refuse_corpus(finished: Path, own: Fingerprint, limit: int | None) -> None:
    try:
        build = json.loads(finished.read_text(encoding="utf-8"))["build"]
        parts, there = build["parts"], build["limit"]
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):
        raise _refusal("a corpus that no builder made", finished, ()) from None
    if parts != own.parts:
        raise _refusal("a finished corpus", finished, differences(parts, own.parts))
    if limit is not None and (there is None or there > limit):
        wider = "no limit" if there is None else f"--limit {there}"
        raise _refusal("a finished corpus", finished, [f"it was built with {wider}"])


def _refusal(what: str, path: Path, reasons: Iterable[str]) -> UsageError:
    # Another input has other units, and that is no reason of its own.
    reasons = [one for one in reasons if not one.startswith("shard_size")]
    shown = "; ".join(reasons[:_SHOWN_DIFFERENCES])
    if len(reasons) > _SHOWN_DIFFERENCES:
        shown += f"; and {len(reasons) - _SHOWN_DIFFERENCES} more"
    return UsageError(
        f"the output folder holds {what}" + (f": {shown}" if shown else ""),
        path=path,
        remedy="--overwrite replaces it, --out names another folder",
    )


def _mtimes(source: UnitSource) -> tuple[int, ...]:
    """When the files of a source were last written, in nanoseconds."""
    return tuple(path.stat().st_mtime_ns for path in source.paths)


@contextmanager
def orderly_end(out_dir: Path) -> Iterator[None]:
    """Explain an end by a signal or a full disk in one line, with the remedy."""
    main = threading.current_thread() is threading.main_thread()
    # SIGTERM as Ctrl-C, also where a program of the user's calls.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler) if main else None
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(
            "stopped; what was finished is kept",
            path=out_dir,
            remedy=_RESUME,
        ) from None
    except OSError as error:
        if not is_disk_full(error):
            raise
        there = next(path for path in (out_dir, *out_dir.parents) if path.exists())
        free = shutil.disk_usage(there).free / 1e6
        raise DataError(
            f"the disk is full: {free:,.0f} MB left",
            path=out_dir,
            remedy=f"make room; what was finished is kept, and {_RESUME}",
        ) from error
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)
