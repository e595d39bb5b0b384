"""Runs stages over units, in this process or in several, and says which unit a death concerns."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from corefmill.builders.runner import clock
from corefmill.builders.runner.shards import REJECTS, Receipt, ShardWriter, clock_path
from corefmill.builders.runner.stages import Context, Setup, Stage, Unit, chained
from corefmill.corpora.cycles import leave_out_what_is_loaded
from corefmill.corpora.errors import CorefmillError, DataError
from corefmill.corpora.printable import guard_streams

# Threads and spaCy do not survive a fork, so each worker is a fresh interpreter.
_PROCESSES = multiprocessing.get_context("spawn")
_PATIENCE = 5.0  # seconds that a worker gets to end after it was asked to
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_BATCH = 64  # records that are written together
_NAME = "corefmill worker "
WRITING = "writing shards"

T = TypeVar("T")

Watch: TypeAlias = Callable[[Iterator[Any]], Iterator[Any]]
"""What the items of the first stage go through, to be counted."""


class StageError(RuntimeError):
    """A stage failed in a way that is the program's fault; names the unit, the file and line.

    Raised in the parent; the worker's own traceback is attached as a note.
    """


@dataclass(frozen=True, slots=True)
class Plan:
    """What a worker must know to turn units into shards."""

    setup: Setup
    folder: Path
    channels: tuple[str, ...]
    seed: int
    keep_rejects: bool


class Pool(Protocol):
    """Takes units and gives back receipts, in any order."""

    @property
    def in_flight(self) -> int:
        """Units submitted whose receipt was not yet received."""

    @property
    def full(self) -> bool:
        """Whether to `receive` before the next `submit`, so that memory stays flat."""

    @property
    def made(self) -> int:
        """How many items the first stage has made so far, of the units in flight too."""

    @property
    def failed(self) -> int | None:
        """The unit of which `receive` or `submit` raised an error, where it is one's."""

    def submit(self, unit: Unit) -> None:
        """Hand over a unit; may start a process, does not wait for one."""

    def receive(self) -> Receipt | None:
        """Wait for the next news: a receipt, or None for news of no interest to the caller.

        Raises the stage's own CorefmillError, DataError for a worker that died or ran out of
        memory, OSError for what the system refuses, StageError for anything else.
        """

    def close(self) -> None:
        """Stop at once, whatever is in flight."""


def worker_number() -> int:
    """Which worker of its run this process is, from 0, by which they share what is no file, such as
    GPUs; on a cluster of all its workers, those of a task in a row. 0 too where the work is done
    without others."""
    name = multiprocessing.current_process().name
    return int(name.removeprefix(_NAME)) if name.startswith(_NAME) else 0


def is_disk_full(error: BaseException) -> bool:
    """Whether the error says that a disk, or the user's share of it, is full."""
    return isinstance(error, OSError) and error.errno in _DISK_FULL


class InlinePool:
    """The stages in this process: no start-up and no copying, for one worker."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._stages: Sequence[Stage] | None = None
        self._pending: deque[Unit] = deque()
        self._made = [0]
        self.failed: int | None = None

    @property
    def in_flight(self) -> int:
        return len(self._pending)

    @property
    def made(self) -> int:
        return sum(self._made)

    @property
    def full(self) -> bool:
        return bool(self._pending)

    def submit(self, unit: Unit) -> None:
        self._pending.append(unit)

    def receive(self) -> Receipt | None:
        unit = self._pending.popleft()
        if self._stages is None:
            try:
                self._stages = self._plan.setup()
            except Exception as error:
                raise _portable(error, None) from error
        done = _attempt(unit, self._stages, self._plan, partial(_counted, self._made, 0))
        if isinstance(done, Exception):
            self.failed = unit.index
            raise done
        return done

    def close(self) -> None:
        self._pending.clear()
        self._stages = None


class ProcessPool:
    """The stages in `size` processes, started as units come, each given one unit at a time.

    At most `size` + 1 payloads are held: one in each worker and one that waits, so that no worker
    idles while the source cuts the next. Their numbers begin at `first`.
    """

    def __init__(self, plan: Plan, size: int, first: int = 0) -> None:
        self._plan = plan
        self._size = size
        self._first = first
        self._pending: deque[Unit] = deque()
        self._workers: dict[Connection, _Worker] = {}
        self._made = _PROCESSES.RawArray("Q", size)  # each worker writes its own
        self.failed: int | None = None

    @property
    def made(self) -> int:
        return sum(self._made)

    @property
    def in_flight(self) -> int:
        return len(self._pending) + sum(w.unit is not None for w in self._workers.values())

    @property
    def full(self) -> bool:
        return self.in_flight > self._size

    def submit(self, unit: Unit) -> None:
        self._pending.append(unit)
        free = sum(worker.unit is None for worker in self._workers.values())
        if len(self._pending) > free and len(self._workers) < self._size:
            number = len(self._workers)
            worker = _start(self._plan, self._first + number, partial(_counted, self._made, number))
            self._workers[worker.pipe] = worker
        self._hand_out()

    def receive(self) -> Receipt | None:
        # An idle worker has nothing to say unless it died, which matters as much.
        pipe = wait(list(self._workers))[0]
        assert isinstance(pipe, Connection)
        worker = self._workers[pipe]
        try:
            news = pipe.recv()
        except (EOFError, OSError):
            self.failed = worker.unit
            raise worker.death() from None
        if isinstance(news, Exception):
            self.failed = worker.unit
            raise news
        worker.ready, worker.unit = True, None
        self._hand_out()
        return news if isinstance(news, Receipt) else None

    def close(self) -> None:
        for worker in self._workers.values():
            worker.process.terminate()
        for worker in self._workers.values():
            worker.process.join(_PATIENCE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.pipe.close()
        self._workers.clear()
        self._pending.clear()

    def _hand_out(self) -> None:
        for worker in self._workers.values():
            if self._pending and worker.ready and worker.unit is None:
                unit = self._pending.popleft()
                worker.unit = unit.index
                try:
                    worker.pipe.send(unit)
                except OSError:
                    self.failed = worker.unit
                    raise worker.death() from None


@dataclass(slots=True)
class _Worker:
    """A process, our end of its pipe, and the unit it has; `ready` once its stages are built."""

    process: BaseProcess
    pipe: Connection
    ready: bool = False
    unit: int | None = None

    def death(self) -> DataError:
        self.process.join(_PATIENCE)
        code = self.process.exitcode
        cause = "died" if code is None else f"ended with code {code}"
        if code is not None and code < 0:
            cause = f"was killed by {signal.Signals(-code).name}"
        where = "while idle" if self.unit is None else f"at unit {self.unit}"
        if not self.ready:
            where = "while it loaded its stages"
        return DataError(
            f"a worker process {cause} {where}",
            remedy="most often memory ran out: use fewer --workers; run it again to resume",
        )


def _counted(counts: Any, slot: int, items: Iterator[T]) -> Iterator[T]:
    for item in items:
        counts[slot] += 1
        yield item


def run_unit(
    unit: Unit,
    stages: Sequence[Stage],
    plan: Plan,
    watch: Watch = iter,
) -> Receipt:
    """Send one unit through the stages and write its shard. Raises what a stage raises."""
    with ShardWriter(plan.folder, unit.index) as shard:

        def keep(reject: Any) -> None:
            shard.write(REJECTS, reject)

        context = Context(unit.index, plan.seed, keep if plan.keep_rejects else None)
        context.clock.add(unit.spent)
        records = chained(stages, unit.payload, context, WRITING, watch)
        # In batches, since the clock would take longer than the writing of one record.
        while (batch := list(islice(records, _BATCH))) or context.outs:
            with context.clock.stage(WRITING, len(context.outs)):
                for channel, record in (*context.outs, *batch):
                    if channel not in plan.channels:
                        known = ", ".join(plan.channels)
                        raise ValueError(f"no channel {channel!r}; there are {known}")
                    shard.write(channel, record)
                context.outs.clear()
        context.rejects.update(unit.rejects)
        with context.clock.stage(WRITING):
            shard.finish()
        # Before the receipt: what a kill leaves without one is done again, and timed again.
        seconds = clock_path(plan.folder, unit.index)
        seconds.write_text(clock.dumps(context.clock.spent), encoding="utf-8")
        return shard.commit(
            unit.summed(), counts=context.counts, rejects=context.rejects, damage=context.damage
        )


def _start(plan: Plan, number: int, watch: Watch) -> _Worker:
    ours, theirs = _PROCESSES.Pipe()
    process = _PROCESSES.Process(
        target=_serve, args=(theirs, plan, watch), name=f"{_NAME}{number}", daemon=True
    )
    # Ctrl-C goes to the whole group, but only the parent decides. Blocked here rather than in
    # the worker, the signal cannot hit it while it is still importing. The tracker first: the
    # start of a process starts it if need be, and that unblocks the signal again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    theirs.close()
    return _Worker(process, ours)


def _serve(pipe: Connection, plan: Plan, watch: Watch) -> None:
    """The life of a worker: build the stages, then take units until the parent is gone."""
    threading.Thread(target=_die_with_parent, daemon=True).start()
    guard_streams()
    done: Receipt | Exception | None = None
    stages: Sequence[Stage] = ()
    try:
        stages = plan.setup()
        leave_out_what_is_loaded()
    except Exception as error:
        done = _portable(error, None)
    # Either call fails when the parent is gone, and then nobody waits for it.
    with suppress(EOFError, ConnectionError):
        while True:
            pipe.send(done)
            done = _attempt(pipe.recv(), stages, plan, watch)


def _attempt(unit: Unit, stages: Sequence[Stage], plan: Plan, watch: Watch) -> Receipt | Exception:
    try:
        return run_unit(unit, stages, plan, watch)
    except Exception as error:
        return _portable(error, unit.index)


def _die_with_parent() -> None:
    """A worker must not write on beside the run that takes over after a kill -9."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _portable(error: Exception, unit: int | None) -> Exception:
    """The same error in a form that crosses a process border and says where it arose."""
    if isinstance(error, CorefmillError):
        return error
    if isinstance(error, OSError) and error.errno is not None:
        return OSError(error.errno, error.strerror, error.filename)
    where = "while loading the stages" if unit is None else f"at unit {unit}"
    if isinstance(error, MemoryError):
        return DataError(
            f"memory ran out {where}",
            remedy="use fewer --workers; run it again to resume",
        )
    frame = traceback.extract_tb(error.__traceback__)[-1]
    failure = StageError(
        f"{type(error).__name__} {where}: {error} ({frame.filename}:{frame.lineno})"
    )
    failure.add_note("".join(traceback.format_exception(error)))
    return failure
