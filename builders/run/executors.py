"""Run the calls of a build in this process, in other processes of this machine, or on a cluster.

    executor.submit(function, *arguments) -> submission with done() and result()
    with executor.batch(): ...               submits the calls of the block together (a Slurm array)
    executor.close()                         ends at once, whatever is in flight

The engine schedules calls, retries them and notices dead workers. `result` raises the engine's
error for a call that did not finish. A function and its arguments must pickle.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

from corefmill.corpora.files.errors import UsageError, install_command
from corefmill.corpora.files.terminal import guard_streams

Function: TypeAlias = Callable[..., Any]

# Threads and spaCy do not survive a fork, so each worker is a fresh interpreter.
_PROCESSES = multiprocessing.get_context("spawn")

_SLURM_MINUTES = 24 * 60  # minutes of a task, unless --slurm time is given
_SQUEUE_EVERY = 10.0  # seconds between two looks at Slurm's queue
_SQUEUE_TRIES = 5  # looks in a row that may fail
_LOOK_EVERY = 1.0  # seconds between two looks for a task's result on a shared disk

_RAY_RETRIES = 3
_RAY_PATIENCE = 30  # seconds that a cluster gets to answer
_RAY_STORE = 100_000_000  # bytes of Ray's object store on this machine


class Submission(Protocol):
    """A call submitted to an executor."""

    def done(self) -> bool:
        """Tell whether the call has ended, well or not."""

    def result(self) -> Any:
        """Return the function's value; raise the engine's error for a failed call."""


class Executor(Protocol):
    """An engine for submitted calls."""

    def submit(self, function: Function, /, *arguments: Any) -> Submission:
        """Submit one call."""

    def batch(self) -> AbstractContextManager[None]:
        """Submit the calls of the block together, where the engine can."""
        return nullcontext()

    def close(self) -> None:
        """End all calls that are in flight at once."""
        return


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster of the engine `slurm` or `ray`, with at most `tasks` calls in flight.

    `slurm` are parameters for sbatch; `address` is a running Ray's, None to start Ray here.
    """

    engine: str
    tasks: int = 16
    slurm: Mapping[str, str] = field(default_factory=dict)
    address: str | None = None

    def start(self, name: str, logs: Path, workers: int) -> Executor:
        """Start the cluster's executor; each call gets `workers` processors."""
        if self.engine == "slurm":
            return SlurmExecutor(name, logs, self.tasks, workers, dict(self.slurm))
        return RayExecutor(self.address, workers)


class InlineExecutor(Executor):
    """Runs each call at once in this process, without start-up or copying."""

    def submit(self, function: Function, /, *arguments: Any) -> Submission:
        """Run the call, and keep its result or error."""
        call: Future[Any] = Future()
        try:
            call.set_result(function(*arguments))
        except Exception as error:
            call.set_exception(error)
        return call


class LocalExecutor(Executor):
    """Runs calls in `size` processes of this machine, each a fresh interpreter.

    If a process dies, every call in flight fails, and the next call starts another pool.
    """

    def __init__(self, size: int) -> None:
        # First, since the tracker's start unblocks SIGINT, which `submit` blocks for new workers.
        resource_tracker.ensure_running()
        self._size = size
        self._pool = self._open_pool()

    def submit(self, function: Function, /, *arguments: Any) -> Submission:
        """Queue the call for the next free worker."""
        # Ctrl-C goes to the whole process group, but only this process handles it. Workers inherit
        # the blocked signal, so that Ctrl-C cannot hit a worker that is still importing.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self._pool.submit(function, *arguments)
        except BrokenProcessPool:
            self._pool = self._open_pool()
            return self._pool.submit(function, *arguments)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def close(self) -> None:
        """Stop all workers, also in the middle of a call."""
        # Python 3.14 has kill_workers() for this.
        for process in [*(self._pool._processes or {}).values()]:
            process.terminate()
        self._pool.shutdown(cancel_futures=True)

    def _open_pool(self) -> ProcessPoolExecutor:
        """Open a pool whose workers are numbered from 0."""
        number = _PROCESSES.Value("i", 0)
        return ProcessPoolExecutor(self._size, _PROCESSES, _begin_worker, (number,))


_number = 0
"""The number of this worker process, by which workers share GPUs."""


def _begin_worker(next_number: Any) -> None:
    """Prepare a new worker process: its number, its streams, and its end with the parent."""
    global _number
    with next_number.get_lock():
        _number = next_number.value
        next_number.value += 1
    guard_streams()
    # After a kill -9 of the parent a worker must not go on writing beside the next run.
    parent = multiprocessing.parent_process()
    assert parent is not None

    def die_with_parent() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=die_with_parent, daemon=True).start()


def worker_number() -> int:
    """Return the number of this worker process, from 0; 0 in other processes."""
    return _number


class SlurmExecutor:
    """Runs calls as Slurm jobs, by submitit: preempted and timed-out jobs are requeued.

    `parameters` are sbatch's own (partition, time, mem, constraint ...), besides `setup`, a shell
    command to run first, and `cluster`: `local` runs the jobs in processes here, without Slurm.
    """

    def __init__(
        self, name: str, logs: Path, tasks: int, workers: int, parameters: dict[str, str]
    ) -> None:
        try:
            import submitit
        except ImportError as error:
            raise UsageError(
                "submitit is not installed", remedy=install_command("cluster")
            ) from error
        self._refused = submitit.core.utils.FailedJobError
        # submitit reads `4711;name`, the answer of a cluster of several, as no job.
        slurm: Any = submitit.SlurmExecutor
        slurm._get_job_id_from_submission_command = staticmethod(_find_job)
        cluster = parameters.pop("cluster", "slurm")
        for program in ("sbatch", "squeue") if cluster == "slurm" else ():
            if shutil.which(program) is None:
                said = f"{program} is not on the PATH"
                raise UsageError(said, remedy="run this on a Slurm login node")
        try:
            self._engine = submitit.AutoExecutor(folder=logs, cluster=cluster)
        except RuntimeError as error:  # submitit asks for srun, too
            raise UsageError(
                f"Slurm cannot be used: {error}", remedy="run this on a Slurm login node"
            ) from error
        setup = parameters.pop("setup", None)
        minutes = _parse_time_limit(parameters["time"]) if "time" in parameters else _SLURM_MINUTES
        self._engine.update_parameters(
            name=f"corefmill-{name}",
            timeout_min=minutes,
            cpus_per_task=workers,
            slurm_array_parallelism=tasks,
            slurm_setup=None if setup is None else [setup],
            slurm_additional_parameters={
                key.replace("-", "_"): value for key, value in parameters.items()
            },
        )
        self._queue = _SlurmQueue() if cluster == "slurm" else None
        self._submissions: list[_SlurmSubmission] = []

    def submit(self, function: Function, /, *arguments: Any) -> Submission:
        """Submit the call as a job, inside a `batch` block at the block's end."""
        submission = _SlurmSubmission(self._engine.submit(function, *arguments), self._queue)
        self._submissions.append(submission)
        return submission

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Submit the block's calls as one job array."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "No submission happened")
            try:
                with self._engine.batch():
                    yield
            except self._refused as error:
                said = shorten_message(error)
                raise UsageError(f"sbatch refused the jobs: {said}") from None

    def close(self) -> None:
        """Cancel the unfinished jobs."""
        for submission in self._submissions:
            submission.cancel()


_JOB = re.compile(r"Submitted batch job (\d+)(?: on cluster \S+)?|(\d+)(?:;\S+)?")
"""The line of sbatch with a job's number, without and with `--parsable`."""


def _find_job(output: str) -> str:
    """Return the job's number from the last such line of sbatch, as sites print lines of their own.

    Raises `UsageError` for output without one.
    """
    for line in reversed(output.splitlines()):
        if found := _JOB.fullmatch(line.strip()):
            return found[1] or found[2]
    raise UsageError(
        f"sbatch printed no number of a job: {shorten_message(output)}",
        remedy="look with `squeue --me` whether it is queued",
    )


class _SlurmQueue:
    """The jobs in Slurm's queue, by calls of squeue every `_SQUEUE_EVERY` seconds."""

    def __init__(self) -> None:
        self._looks: list[set[str]] = []
        self._next = 0.0
        self._failed = 0

    def is_gone(self, job: str, since: float) -> bool:
        """Tell whether a job submitted at `since` was missing from the queue twice in a row.

        Twice, since the result file of a job may appear a moment after its end. `sacct`, which
        submitit uses, needs accounting, which not every Slurm has. Raises `UsageError` where
        squeue fails `_SQUEUE_TRIES` times in a row.
        """
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _SQUEUE_EVERY
            asked = subprocess.run(
                ["squeue", "--me", "--noheader", "--array", "--format=%i"],
                capture_output=True,
                text=True,
                check=False,
            )
            self._failed = self._failed + 1 if asked.returncode else 0
            if self._failed == _SQUEUE_TRIES:
                said = shorten_message(asked.stderr or asked.stdout)
                raise UsageError(
                    f"squeue failed {self._failed} times in a row: {said}",
                    remedy="give the same command again when Slurm answers; it resumes",
                )
            if not self._failed:
                self._looks = [*self._looks[-1:], set(asked.stdout.split())]
        before = self._next - 2 * _SQUEUE_EVERY > since  # both looks came after it was submitted
        return before and len(self._looks) == 2 and not any(job in look for look in self._looks)


class _SlurmSubmission:
    """A call submitted as a job of submitit."""

    def __init__(self, job: Any, queue: _SlurmQueue | None) -> None:
        self._job = job
        self._queue = queue
        self._since = time.monotonic()
        self._next = 0.0
        self._done = False

    def done(self) -> bool:
        """Tell whether the job's result file exists, or the job has left Slurm's queue."""
        if not self._done and time.monotonic() >= self._next:
            self._next = time.monotonic() + _LOOK_EVERY
            if self._queue is None:
                self._done = self._job.done()
            else:
                self._done = self._job.paths.result_pickle.exists() or self._queue.is_gone(
                    self._job.job_id, self._since
                )
        return self._done

    def result(self) -> Any:
        """Read the result from the job's file."""
        if not self._job.paths.result_pickle.exists():
            raise RuntimeError(
                f"Slurm job {self._job.job_id} ended without a result, see {self._job.paths.stderr}"
            )
        return self._job.result()

    def cancel(self) -> None:
        """Cancel the job unless it has ended."""
        with suppress(Exception):  # never submitted, or ended just now
            if not self._job.paths.result_pickle.exists():
                self._job.cancel(check=False)


def _parse_time_limit(limit: str) -> int:
    """Convert a time limit as sbatch takes it (minutes, H:M:S, D-H:M) to minutes."""
    match = re.fullmatch(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?", limit)
    if match is None:
        raise UsageError(
            f"--slurm time={limit} is not a time limit", remedy="give one such as 12:00:00"
        )
    days, first, second = (int(part or 0) for part in match.groups()[:3])
    if match[1] is not None or match[4] is not None:  # days-hours:minutes, hours:minutes:seconds
        return max(1, (24 * days + first) * 60 + second)
    return max(1, first)  # minutes, minutes:seconds


class RayExecutor(Executor):
    """Runs calls as Ray tasks; Ray retries a call after its process or node died."""

    def __init__(self, address: str | None, workers: int) -> None:
        try:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            import ray
        except ImportError as error:
            raise UsageError("ray is not installed", remedy=install_command("cluster")) from error
        self._ray: Any = ray
        self._started = not ray.is_initialized()
        ends = signal.getsignal(signal.SIGTERM)
        if self._started:
            how: dict[str, Any] = {"address": address}
            if address is None:
                # A Ray of our own, also if another user's Ray runs here.
                how = {"address": "local", "include_dashboard": False}
                how["object_store_memory"] = _RAY_STORE
            elif address != "auto":
                _check_server(address)
            try:
                ray.init(log_to_driver=False, logging_level=logging.WARNING, **how)
            except Exception as error:  # a bare Exception if this machine is too busy
                raise UsageError(
                    f"Ray does not start: {shorten_message(error)}", remedy="--executor local"
                ) from error
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, ends)  # Ray's handler would exit with code 0
        try:
            most = max(node["Resources"].get("CPU", 0) for node in self._ray.nodes())
            if most < workers:
                raise UsageError(
                    f"no node of Ray has {workers} processors: the largest has {most:g}",
                    remedy="use fewer --workers",
                )
        except BaseException:
            self.close()
            raise
        self._remote = ray.remote(num_cpus=workers, max_retries=_RAY_RETRIES)(_call_function)
        self._function: tuple[Function, Any] | None = None

    def submit(self, function: Function, /, *arguments: Any) -> Submission:
        """Submit a task."""
        if self._function is None or self._function[0] is not function:
            self._function = (function, self._ray.put(function))
        return _RaySubmission(self._ray, self._remote.remote(self._function[1], *arguments))

    def close(self) -> None:
        """Disconnect from Ray, ending our tasks; stop a Ray started here."""
        if self._started:
            self._ray.shutdown()


def _call_function(function: Function, *arguments: Any) -> Any:
    return function(*arguments)


@dataclass(frozen=True, slots=True)
class _RaySubmission:
    """A call submitted as a Ray task."""

    ray: Any
    reference: Any

    def done(self) -> bool:
        return bool(self.ray.wait([self.reference], timeout=0)[0])

    def result(self) -> Any:
        return self.ray.get(self.reference)


def _check_server(address: str) -> None:
    """Raise `UsageError` unless a server answers at a Ray address: Ray would try for minutes."""
    parts = urlsplit(address if "://" in address else f"ray://{address}")
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 0), _RAY_PATIENCE):
            return
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Ray cluster answers at {address!r}: {error}",
            remedy="set RAY_ADDRESS to the address of a running cluster, such as HOST:6379",
        ) from None


def shorten_message(message: object) -> str:
    """Shorten an engine's error message to its last line."""
    lines = str(message).strip().splitlines()
    return lines[-1][:200] if lines else "no reason given"
