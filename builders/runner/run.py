"""Runs a job on this machine: the lock, the bar, and an orderly end whatever happens."""

from __future__ import annotations

import json
import shutil
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from corefmill.builders.runner.drive import Tally, mtimes, work_through
from corefmill.builders.runner.fingerprint import PARTS, Fingerprint, differences
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.leases import refuse_tasks
from corefmill.builders.runner.memory import give_back
from corefmill.builders.runner.shards import END, End, Receipt, finished_units, remove_temporaries
from corefmill.builders.runner.stages import UnitSource
from corefmill.builders.runner.workers import InlinePool, ProcessPool, is_disk_full
from corefmill.corpora import manifest
from corefmill.corpora.atomic import ensure_folder
from corefmill.corpora.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.lock import locked
from corefmill.corpora.ownership import claim_folder
from corefmill.corpora.progress import progress_bar

_SHOWN_DIFFERENCES = 4
_RESUME = "the same command, without --overwrite, resumes"


class Interrupted(CorefmillError):
    """Ctrl-C or SIGTERM; the command line prints it and exits with `exit_code`."""

    exit_code = 130


@contextmanager
def run(
    job: Job,
    *,
    workers: int = 1,
    progress: bool | None = None,
    overwrite: bool = False,
) -> Iterator[RunResult]:
    """Do what is left of the job with `workers` processes, fewer where the input is too small for
    so many, and hold its folder inside the block.

    The same inputs, options and seed give the same records in the same order with any number of
    workers, however often a run was killed. `progress` None shows any on a terminal only;
    `overwrite` starts anew, whatever the folder holds.

    Raises UsageError if the folder is in use or holds another build, DataError if the input is
    not what it was, a worker died or the disk is full (what was finished is kept and the same
    call resumes), Interrupted on Ctrl-C or SIGTERM, StageError for a fault in a stage. All but
    the last two also arise from the block itself.
    """
    if workers < 1:
        raise UsageError(f"{workers} workers cannot work", remedy="--workers 1 or more")
    with orderly_end(job.out_dir), locked(job.out_dir):
        folder = claim(job, overwrite=overwrite)
        try:
            plan = job.plan(folder)
            worth = min(workers, job.source.most_workers)
            pool = InlinePool(plan) if worth == 1 else ProcessPool(plan, worth)
            remove_temporaries(folder)
            known = finished_units(folder)
            end = End.read(folder)
            if end is None or not is_current(end, job.source) or _missing(end, known):
                hidden = None if progress is None else not progress
                with progress_bar(
                    desc=job.name, hidden=hidden, unit_scale=True, leave=True
                ) as shown:
                    tally, end = work_through(
                        job.source, folder, pool, known, limit=job.limit, bar=shown
                    )
            else:
                tally = Tally(job.limit, known, end.units)
            give_back()  # a pipeline, mostly
            yield tally.result(job, folder, end)
        finally:
            # Killed workers, or a full disk, leave theirs.
            remove_temporaries(folder)


def claim(job: Job, *, overwrite: bool, beside_tasks: bool = False) -> Path:
    """The folder for the job's shards, made if need be, after a look at what is there.

    Raises UsageError if the output folder holds a corpus made otherwise, one made with a wider
    limit, unfinished work of another build, or files that no build made; and where tasks of a
    cluster are at work in it, but for one of them (`beside_tasks`). With `overwrite` all work is
    removed, and the manifest too, so that a corpus half replaced cannot be taken for a finished
    one.
    """
    if not beside_tasks:
        refuse_tasks(job.work_dir)
    finished, own = job.out_dir / manifest.NAME, job.fingerprint
    if not overwrite:
        _refuse_corpus(finished, own, job.most_records)
    claim_folder(job.out_dir, job.files, overwrite=overwrite)
    if overwrite:
        finished.unlink(missing_ok=True)
        shutil.rmtree(job.work_dir, ignore_errors=True)
    for path, parts in _works(job.work_dir):
        if path.name != own.digest:
            raise _refusal("unfinished work of another build", path, differences(parts, own.parts))
    folder = job.work_dir / own.digest
    ensure_folder(folder)
    own.write(folder)
    return folder


def _works(work_dir: Path) -> Iterator[tuple[Path, Any]]:
    for path in sorted(work_dir.glob(f"*/{PARTS}")):
        if {file.name for file in path.parent.iterdir()} <= {PARTS, END}:
            continue  # an input that was refused at once left nothing worth keeping
        try:
            yield path.parent, json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            yield path.parent, {}


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


def _missing(end: End, known: Mapping[int, Receipt]) -> list[int]:
    return [unit for unit in range(end.units) if unit not in known]


def is_current(end: End, source: UnitSource) -> bool:
    """Whether no file was changed since its end was reached; never so for standard input.

    An input that broke off is read again: an option that changes no bytes (--trust-lang) may help.
    """
    return bool(source.paths) and end.error is None and end.mtimes == mtimes(source)


_minded: set[int] = set()
"""The threads that are inside `orderly_end`."""


@contextmanager
def orderly_end(out_dir: Path) -> Iterator[None]:
    """Say in one line, with the remedy, what a signal or a full disk put an end to.

    Within another such block it leaves that to the outer one, whose folder is what the user named.
    """
    thread = threading.get_ident()
    if thread in _minded:
        yield
        return
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _as_interrupt) if main else None
    _minded.add(thread)
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
        _minded.discard(thread)
        if main:
            signal.signal(signal.SIGTERM, before)


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
