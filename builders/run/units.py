"""Run units in a worker: pass them through the stages and write their shards and receipts."""

from __future__ import annotations

import ctypes
import errno
import secrets
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corefmill.builders.run.executors import LocalExecutor
from corefmill.builders.run.shards import REJECTS, Receipt, ShardWriter, read_receipt
from corefmill.builders.run.stages import Context, Setup, Stage, Unit, run_stages
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import CorefmillError, DataError
from corefmill.corpora.files.writing import write_whole

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_BATCH = 64  # records that are written together
_TOKEN = "token"
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


class StageError(RuntimeError):
    """An unexpected exception in a stage; the message has the unit, the file and the line.

    Raised in the driver; the worker's traceback is attached as a note.
    """


@dataclass(frozen=True, slots=True)
class Plan:
    """A worker's instructions for making shards of units.

    `token` is written to the folder while the driver runs. By the token a worker on another machine
    knows whether its folder of the same name is the driver's.
    """

    setup: Setup
    folder: Path
    channels: tuple[str, ...]
    seed: int
    keep_rejects: bool
    token: str = field(default_factory=secrets.token_hex)

    def open(self) -> None:
        """Write the token to the folder."""
        write_whole(self.folder / _TOKEN, self.token)

    def close(self) -> None:
        """Remove the token, and drop the stages loaded in this process."""
        (self.folder / _TOKEN).unlink(missing_ok=True)
        _loaded.clear()

    def is_shared(self) -> bool:
        """Tell whether the folder here is the driver's, by the token."""
        try:
            return disk.read_plain(self.folder / _TOKEN) == self.token.encode()
        except (OSError, DataError):
            return False


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of a batch: its error, and its units' files if the folder is not shared."""

    error: Exception | None
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class UnitWorker:
    """The function submitted to an executor: runs a batch of units in `workers` processes."""

    plan: Plan
    workers: int = 1

    def __call__(self, units: Sequence[Unit]) -> BatchResult:
        """Run the units; errors of stages are returned, since engines would change them."""
        if self.plan.is_shared():
            return BatchResult(self._run_units(units), {})
        with TemporaryDirectory(prefix="corefmill-") as scratch:
            plan = replace(self.plan, folder=Path(scratch))
            plan.open()
            error = replace(self, plan=plan)._run_units(units)
            files = {path.name: path.read_bytes() for path in sorted(plan.folder.iterdir())}
            del files[_TOKEN]
            return BatchResult(error, files)

    def checkpoint(self, units: Sequence[Unit]) -> Any:
        """Let a job requeued by Slurm go on with the same units; those with receipts are done."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, units)

    def _run_units(self, units: Sequence[Unit]) -> Exception | None:
        """Run the units without receipts; return the first error."""
        left = [unit for unit in units if read_receipt(self.plan.folder, unit.index) is None]
        if self.workers > 1:  # in processes of the task's own
            pool = LocalExecutor(self.workers)
            try:
                answers = [pool.submit(replace(self, workers=1), [unit]) for unit in left]
                return next((error for one in answers if (error := one.result().error)), None)
            finally:
                pool.close()
        for unit in left:
            where = "while loading the stages"
            try:
                if self.plan.token not in _loaded:
                    _loaded.clear()  # before the next are loaded
                    _keep_freed_memory()
                    _loaded[self.plan.token] = self.plan.setup()
                where = f"at part {unit.index} of the input"
                run_unit(unit, _loaded[self.plan.token], self.plan)
            except Exception as error:
                return _make_portable(error, where)
        return None


_loaded: dict[str, Sequence[Stage]] = {}
"""The stages loaded in this process, by the token of their plan."""


def _keep_freed_memory() -> None:
    """Let glibc keep freed memory instead of returning it after each layer of a network.

    Returned pages are zeroed before reuse, which takes a tenth of the time of finding names. Other
    C libraries have no such thresholds.
    """
    with suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, 32 << 20)
        mallopt(_TRIM_THRESHOLD, 256 << 20)


def run_unit(unit: Unit, stages: Sequence[Stage], plan: Plan) -> Receipt:
    """Pass one unit through the stages and write its shard; errors of stages are raised."""
    with ShardWriter(plan.folder, unit.index) as shard:

        def keep(reject: Any) -> None:
            shard.write(REJECTS, reject)

        context = Context(unit.index, plan.seed, keep if plan.keep_rejects else None)
        records = run_stages(stages, unit.payload, context)
        while (batch := list(islice(records, _BATCH))) or context.outs:
            for channel, record in (*context.outs, *batch):
                if channel not in plan.channels:
                    known = ", ".join(plan.channels)
                    raise ValueError(f"no channel {channel!r} of the job, which has {known}")
                shard.write(channel, record)
            context.outs.clear()
        context.rejects.update(unit.rejects)
        return shard.commit(
            unit.compute_digest(),
            counts=context.counts,
            rejects=context.rejects,
            damage=context.damage,
        )


def is_disk_full(error: BaseException) -> bool:
    """Tell whether an error means a full disk, or a full quota."""
    return isinstance(error, OSError) and error.errno in _DISK_FULL


def _make_portable(error: Exception, where: str) -> Exception:
    """Convert a worker's error to one fit to pickle, with the place of its origin."""
    if isinstance(error, CorefmillError):
        return error
    if isinstance(error, OSError) and error.errno is not None:
        return OSError(error.errno, error.strerror, error.filename)
    if isinstance(error, MemoryError):
        return DataError(
            f"memory ran out {where}",
            remedy="use fewer --workers; the same command resumes",
        )
    frame = traceback.extract_tb(error.__traceback__)[-1]
    failure = StageError(
        f"{type(error).__name__} {where}: {error} ({frame.filename}:{frame.lineno})"
    )
    failure.add_note("".join(traceback.format_exception(error)))
    return failure
