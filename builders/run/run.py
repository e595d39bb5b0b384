"""Run a job: submit its units to an executor, gather receipts, and stop in order.

Only the driver knows order, resume, limit and progress. It does not trust an engine's answers: a
unit is done when its receipt is on the disk. A unit whose worker died is tried once more. However a
run ends, the same call resumes from the receipts.
"""

from __future__ import annotations

import logging
import pickle
import shutil
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from tqdm import tqdm

from corefmill.builders.run import executors
from corefmill.builders.run.executors import Cluster, Executor, InlineExecutor, LocalExecutor
from corefmill.builders.run.job import (
    PARTS,
    Fingerprint,
    Job,
    Limit,
    RunResult,
    describe_differences,
)
from corefmill.builders.run.shards import (
    END,
    Receipt,
    SourceEnd,
    read_receipt,
    read_receipts,
    receipt_path,
    remove_temporaries,
)
from corefmill.builders.run.stages import UNANSWERED, Unit, UnitSource
from corefmill.builders.run.units import BatchResult, Plan, UnitWorker, is_disk_full
from corefmill.corpora import manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.files.ownership import claim_folder, lock_folder
from corefmill.corpora.files.terminal import progress_bar
from corefmill.corpora.files.writing import ensure_folder, write_whole

T = TypeVar("T")

_POLL = 0.01  # seconds between two checks whether a call has ended
_LOOK = 2.0  # seconds between two looks for receipts of unfinished batches
_PATIENCE = 30.0  # seconds until another machine's receipt is visible here
_BATCH = 64  # units of a cluster's task, at most: some minutes
_BATCH_BYTES = 16 << 20  # most bytes of payload in a batch
_TRIES = 2  # tries of a unit whose worker dies
_SHOWN_DIFFERENCES = 4
_RESUME = "the same command, without --overwrite, resumes"

_log = logging.getLogger(__name__)


class Interrupted(CorefmillError):
    """The end of a run by Ctrl-C or SIGTERM; the command line exits with `exit_code`."""

    exit_code = 130


Runner: TypeAlias = Callable[[Job], AbstractContextManager[RunResult]]
"""`run` with all arguments but the job filled in, for the passes before a build."""


@contextmanager
def run(
    job: Job,
    *,
    workers: int = 1,
    cluster: Cluster | None = None,
    progress: bool | None = None,
    overwrite: bool = False,
) -> Iterator[RunResult]:
    """Run the unfinished units of a job, and lock the job's folder inside the block.

    Units are run by `workers` processes here (fewer for a small input), or by the tasks of a
    `cluster` with `workers` processes each. The same inputs, options and seed give the same records
    in the same order anywhere, however often a run was killed. Units with questions that a service
    did not answer are run again. `progress` None shows progress on a terminal only; `overwrite`
    removes unfinished work and a corpus in the folder.

    Raises `UsageError` if the folder is in use or holds another build, `DataError` if the input has
    changed or a worker died (finished units are kept and the same call resumes), and `StageError`
    for a fault in a stage.
    """
    with lock_folder(job.out_dir):
        mtimes = _read_mtimes(job.source)
        folder = claim_work_folder(job, overwrite=overwrite)
        plan = Plan(job.setup, folder, job.channels, job.seed, job.keep_rejects)
        try:
            known = read_receipts(folder)
            for unit, receipt in [*known.items()]:
                if receipt.counts.get(UNANSWERED):
                    receipt_path(folder, unit).unlink()
                    del known[unit]
            end = SourceEnd.read(folder)
            # Nothing to do if the input was read to its end, no file of it has changed, and all
            # units are done. Standard input, and an input that broke off, are read again.
            if (
                end is not None
                and job.source.paths
                and end.error is None
                and end.mtimes == mtimes
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
                    tally, end = driver.do_units(plan, workers, mtimes)
        finally:
            plan.close()
            # Stopped and killed workers, of earlier runs too, and a full disk leave half files.
            remove_temporaries(folder)
        yield tally.make_result(job, folder, end)


@dataclass(slots=True)
class _Batch:
    """Unfinished units submitted together, and their submission."""

    units: list[Unit]
    submission: executors.Submission


class _Driver:
    """Runs the units of a source by an executor, up to the end or to the limit."""

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

    def do_units(
        self, plan: Plan, workers: int, mtimes: tuple[int, ...]
    ) -> tuple[Tally, SourceEnd | None]:
        """Run the unfinished units; return the receipts and the end of the source.

        The end is None if the limit was reached first; otherwise it is also written to the folder.
        Raises DataError if a finished unit was made from other input, or if a file has another time
        of change than in `mtimes`, or another size than in the job's fingerprint.
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
            with closing(read_until_broken(source.units(self._known), broke_off)) as units:
                batches = self._group_units(units, most)
                while True:
                    with executor.batch():
                        # A dying worker ends all calls in flight. Their units are retried one by
                        # one, so that the unit at fault is known.
                        room = 1 if self._again and self._cluster is None else most
                        while len(self._in_flight) < room and not self._tally.reached:
                            batch = self._again.popleft() if self._again else next(batches, None)
                            if batch is None:
                                break
                            self._in_flight.append(_Batch(batch, executor.submit(worker, batch)))
                    if self._tally.reached or not self._in_flight:
                        break
                    self._wait_for_batch()
        finally:
            # Also after the last unit: a limit is reached while later units are in flight.
            executor.close()
        _refuse_changed(self._job, mtimes)
        if self._tally.reached:
            return self._tally, None
        end = SourceEnd(self._seen, mtimes, broke_off[0] if broke_off else None)
        end.write(self._folder)
        return self._tally, end

    def _group_units(self, units: Iterable[Unit], tasks: int) -> Iterator[list[Unit]]:
        """Group the unfinished units into batches; count the finished ones on the way.

        On this machine a batch is one unit. On a cluster batches grow from round to round: with
        many units a task works for minutes, with few units all tasks have some.
        """
        batch: list[Unit] = []
        given, carried = 0, 0
        for self._seen, unit in enumerate(units, 1):
            self._update_bar()
            if unit.index in self._known:
                if self._known[unit.index].input != unit.compute_digest():
                    raise DataError(
                        f"the input changed since part {unit.index} of it was done",
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

    def _wait_for_batch(self) -> None:
        """Wait until a batch has ended, or until receipts of unfinished batches reach the limit."""
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
            self._end_batch(batch)
        bar = self._bar
        if not bar.disable and time.time() > bar.start_t + (bar.delay or 0):
            bar.set_postfix_str(f"{self._tally.done:,} units done")

    def _end_batch(self, batch: _Batch) -> None:
        """Count the units of an ended batch that have receipts; queue the others again.

        Raises `DataError` for a unit whose worker died at every try, and any error of a stage.
        """
        death: Exception | str = "a worker ended without an error, but its results are missing"
        patience = _PATIENCE
        try:
            answer: BatchResult = batch.submission.result()
        except Exception as error:  # whatever an engine raises
            answer, patience = BatchResult(None, {}), 0.0
            death = "a worker was killed" if isinstance(error, BrokenExecutor) else error
        # Receipts last, since a receipt makes the other files count as whole.
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
        # A batch is run in order: its first unit without a receipt is the one at fault.
        first = batch.units[0].index
        self._deaths[first] += 1
        _log.info("part %d of the input: %s", first, death)
        if self._deaths[first] == _TRIES:
            why = executors.shorten_message(death)
            raise DataError(
                f"{why} at part {first} of the input, and again at a second try",
                remedy="most often memory ran out: use fewer --workers; the same command resumes",
            )
        self._again.append(batch.units)

    def _take_receipts(self, batch: _Batch) -> None:
        """Count the units of a batch with receipts by now."""
        for unit in list(batch.units):
            receipt = read_receipt(self._folder, unit.index)
            if receipt is not None:
                self._tally.add(receipt)
                batch.units.remove(unit)

    def _update_bar(self) -> None:
        """Show how far the source was read."""
        if self._bar.disable:
            return
        state = self._job.source.progress()
        if state is None:
            self._bar.unit, done = " units", self._seen
        else:
            self._bar.unit, self._bar.total, done = state.unit, state.total, state.done
        self._bar.update(done - self._bar.n)


class Tally:
    """Collects receipts by unit, and the prefix of units done without a gap from the first.

    Only the prefix makes a result: with several workers a later unit may be done before an earlier
    one, and a limit must not depend on the faster worker.
    """

    def __init__(self, limit: Limit | None) -> None:
        self._limit = limit
        self._receipts: dict[int, Receipt] = {}
        self._prefix = 0
        self._records = 0

    @property
    def reached(self) -> bool:
        """Whether the prefix has as many records as the limit."""
        return self._limit is not None and self._records >= self._limit.records

    @property
    def done(self) -> int:
        """Number of units done, in the prefix or not."""
        return len(self._receipts)

    def add(self, receipt: Receipt) -> None:
        """Add a receipt, in any order, and extend the prefix."""
        self._receipts[receipt.unit] = receipt
        _log.info("part %d of the input is done", receipt.unit)
        while not self.reached and self._prefix in self._receipts:
            if self._limit is not None:
                file = self._receipts[self._prefix].files.get(self._limit.channel)
                self._records += 0 if file is None else file.records
            self._prefix += 1

    def make_result(self, job: Job, folder: Path, end: SourceEnd | None) -> RunResult:
        """Make the result of the prefix's units, with the first error of the input there."""
        receipts = tuple(self._receipts[unit] for unit in range(self._prefix))
        damage = next((receipt.damage for receipt in receipts if receipt.damage), None)
        # More workers read the source further before the limit is reached: an error behind the
        # limit is not part of the result.
        error = None if end is None or self.reached else end.error
        return RunResult(job, folder, receipts, damage or error)


def read_until_broken(units: Iterator[T], broke_off: list[DataError]) -> Generator[T]:
    """Yield units, or pages, up to a `DataError` of the input; append the error to `broke_off`.

    Wraps the source alone, so that an error from a stage is never taken for one of the source.
    """
    try:
        yield from units
    except DataError as error:
        broke_off.append(error)


def claim_work_folder(job: Job, *, overwrite: bool) -> Path:
    """Make the folder for the job's shards, unless the output folder holds another build.

    Raises UsageError for a corpus with another fingerprint or a wider limit, unfinished work of
    another build, or files that no build made. `overwrite` removes all work, and the manifest too,
    so that a half-replaced corpus cannot be taken for a finished one.
    """
    finished, own = job.out_dir / manifest.NAME, job.fingerprint
    written = {(job.out_dir / name).resolve() for name in job.files}
    for path in job.source.paths:
        if isinstance(path, Path) and path.resolve() in written:
            raise UsageError(
                "the input is a file that the new corpus would overwrite",
                path=path,
                remedy="name another folder with --out",
            )
    if not overwrite:
        _refuse_corpus(finished, own, job.most_records)
    claim_folder(job.out_dir, job.files, overwrite=overwrite)
    if overwrite:
        finished.unlink(missing_ok=True)
        shutil.rmtree(job.work_dir, ignore_errors=True)
    for path in sorted(job.work_dir.glob(f"*/{PARTS}")):
        if {file.name for file in path.parent.iterdir()} <= {PARTS, END}:
            continue  # nothing was done yet, as after a refused input
        if path.parent.name != own.digest:
            try:
                parts = disk.read_record(path)
            except DataError:
                parts = {}
            reasons = describe_differences(parts, own.parts)
            raise _make_refusal("unfinished work of another build", path.parent, reasons)
    folder = job.work_dir / own.digest
    ensure_folder(folder)
    own.write(folder)
    return folder


def _refuse_corpus(finished: Path, own: Fingerprint, limit: int | None) -> None:
    """Raise UsageError for a finished corpus of other settings, given by its manifest."""
    try:
        build = disk.read_record(finished, disk.MOST)["build"]
        parts, there = build["parts"], build["limit"]
    except FileNotFoundError:
        return
    except (DataError, KeyError, TypeError):
        raise _make_refusal("a corpus that no builder made", finished, ()) from None
    if parts != own.parts:
        raise _make_refusal("a finished corpus", finished, describe_differences(parts, own.parts))
    if limit is not None and (there is None or there > limit):
        wider = "no limit" if there is None else f"--limit {there}"
        raise _make_refusal("a finished corpus", finished, [f"it was built with {wider}"])


def _make_refusal(what: str, path: Path, reasons: Iterable[str]) -> UsageError:
    """Make the error for an output folder with another build, and name the differences."""
    # A different shard size only follows from a different input.
    reasons = [one for one in reasons if not one.startswith("shard_size")]
    shown = "; ".join(reasons[:_SHOWN_DIFFERENCES])
    if len(reasons) > _SHOWN_DIFFERENCES:
        shown += f"; and {len(reasons) - _SHOWN_DIFFERENCES} more"
    return UsageError(
        f"the output folder holds {what}" + (f": {shown}" if shown else ""),
        path=path,
        remedy="--overwrite replaces it, --out names another folder",
    )


def _read_mtimes(source: UnitSource) -> tuple[int, ...]:
    """Read the modification times of a source's files, in nanoseconds."""
    return tuple(path.stat().st_mtime_ns for path in source.paths)


def _refuse_changed(job: Job, mtimes: Sequence[int]) -> None:
    """Raise DataError for a file that has grown, was cut or was written to while it was read.

    Sizes are compared with those in the fingerprint, which the manifest repeats.
    """
    described = job.fingerprint.parts["inputs"]
    for path, before, time_before in zip(job.source.paths, described, mtimes, strict=True):
        try:
            now = path.stat()
        except FileNotFoundError:
            change = "is gone"
        else:
            if (now.st_size, now.st_mtime_ns) == (before["size"], time_before):
                continue
            change = f"had {before['size']:,} bytes at first, now {now.st_size:,}"
        raise DataError(
            f"the file changed while it was read: it {change}",
            path=path,
            remedy="give the same command again, with --overwrite, once nothing writes to it",
        )


@contextmanager
def orderly_end(out_dir: Path) -> Iterator[None]:
    """Turn a signal, or the error of a full disk, inside the block into a one-line error."""
    main = threading.current_thread() is threading.main_thread()
    # SIGTERM acts as Ctrl-C, also in a user's program that calls corefmill.
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
