"""The same job on a cluster, through datatrove's Slurm and Ray executors.

Rank r of W does the units whose index leaves r when divided by W, into the same shards and
receipts that a run on one machine writes, on a file system that all nodes share. So a cluster
may go on where one machine stopped, with any W, and the other way round.

What datatrove leaves open, and what is done about it here:
- It marks a rank as complete whatever the options or the number of ranks were. Its folder lies
  inside the fingerprint's and is named by executor and world size, and a mark that the receipts
  do not bear out is removed before each start.
- Its Ray executor returns as if all were well when a rank fails, and waits for ever for memory
  that no node has, or for a rank whose process was killed. Memory is checked first, units run in
  a process of their own whose death is seen, and the result is refused unless every unit is there.
- Started within a Slurm array, it takes itself for one of its own tasks. That is refused.
- A dependent Slurm job waits for ever when the first has failed. Ours is cancelled.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from corefmill.builders.runner.drive import work_through
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.run import claim, collect, orderly_end
from corefmill.builders.runner.shards import End, finished_units, remove_temporaries
from corefmill.builders.runner.workers import ProcessPool
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.lock import locked

_PATIENCE = 30  # seconds that a cluster gets to answer
_LONGEST = 200  # characters of what Ray says

# Writes the corpus from the shards. It must pickle: a function of a module, or a partial of one.
Finish: TypeAlias = Callable[[RunResult], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ray:
    """How to run on Ray, a processor a task. `address` None starts Ray on this machine with
    `local_cpus` processors; memory is in GB."""

    tasks: int
    address: str | None = None
    local_cpus: int | None = None
    object_store_gb: float = 0.1
    mem_per_cpu_gb: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slurm:
    """How to run on Slurm, in its own words, a processor a task.

    The environment that runs now is put on the PATH of each task, so the nodes must see it at the
    same path. `sbatch_args` are added as they are ({"account": "me"}).
    """

    tasks: int
    time: str
    partition: str
    mem_per_cpu_gb: int = 4
    sbatch_args: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Submitted:
    """The Slurm jobs that do the units and finish the corpus, and where their logs lie.

    `work_job` is None if every rank had already finished.
    """

    work_job: str | None
    finish_job: str
    folder: Path


@contextmanager
def run_on_ray(job: Job, how: Ray, *, overwrite: bool = False) -> Iterator[RunResult]:
    """As `run`, with the ranks on Ray; waits for them, and holds the folder inside the block.

    All units are done, and of a job with a limit the result has as many as in a run here.

    Raises UsageError if the extra is not installed or Ray has not what a task asks for, DataError
    if a task failed, whatever in, besides what `run` raises of the folder.
    """
    _require("datatrove", "ray")
    from datatrove.executor.ray import RayPipelineExecutor

    class Executor(RayPipelineExecutor):  # type: ignore[misc]
        def _run_for_rank(self, *where: Any, **named: Any) -> Any:
            """Each rank writes its log into a temporary folder of its own.

            datatrove takes one name for all runs of all users of a machine.
            """
            with TemporaryDirectory() as folder:
                before, tempfile.tempdir = tempfile.tempdir, folder
                try:
                    return super()._run_for_rank(*where, **named)
                finally:
                    tempfile.tempdir = before

    with orderly_end(job.out_dir), locked(job.out_dir):
        work = _prepare(job, "ray", how.tasks, overwrite=overwrite)
        with _ray(how), _quiet_datatrove():
            executor = Executor(
                pipeline=[work],
                tasks=how.tasks,
                mem_per_cpu_gb=how.mem_per_cpu_gb,
                logging_dir=str(work.logs),
            )
            executor.run()
        if failed := executor.get_incomplete_ranks():
            raise DataError(
                f"{len(failed)} of {how.tasks} tasks failed",
                path=work.logs / "logs" / f"task_{failed[0]:05d}.log",
                remedy="that file says why; what was finished is kept, run it again to resume",
            )
    with collect(job) as result:
        yield result


def submit_to_slurm(job: Job, finish: Finish, how: Slurm) -> Submitted:
    """Queue an array of `how.tasks` tasks, and one task after it that calls `finish`.

    Nothing runs here; `collect` gives the result to whoever would rather finish by hand. Call it
    again with the same job to do what failed. Raises UsageError if the extra or Slurm is missing,
    sbatch refuses, or this is itself a Slurm task.
    """
    _require("datatrove")
    if "SLURM_ARRAY_TASK_ID" in os.environ:
        raise UsageError("this is a Slurm task itself", remedy="submit from a login node")
    if shutil.which("sbatch") is None:
        raise UsageError("sbatch is not on the PATH", remedy="submit from a login node")
    from datatrove.executor.slurm import SlurmPipelineExecutor

    def executor(step: Any, tasks: int, logs: Path, **more: Any) -> SlurmPipelineExecutor:
        return SlurmPipelineExecutor(
            pipeline=[step],
            tasks=tasks,
            time=how.time,
            partition=how.partition,
            mem_per_cpu_gb=how.mem_per_cpu_gb,
            qos="",
            env_command=f'export PATH="{Path(sys.executable).parent}:$PATH"',
            logging_dir=str(logs),
            sbatch_args={**how.sbatch_args, "kill-on-invalid-dep": "yes"},
            **more,
        )

    with orderly_end(job.out_dir), locked(job.out_dir):
        work = _prepare(job, "slurm", how.tasks)
    first = executor(work, how.tasks, work.logs, job_name=job.name)
    second = executor(
        _FinishStep(work.job, finish),
        1,
        work.logs / "finish",
        job_name=f"{job.name}-finish",
        depends=first,
        # The corpus may have been removed since; finishing twice gives the same bytes.
        skip_completed=False,
    )
    try:
        with _quiet_datatrove():
            second.run()
    except subprocess.CalledProcessError as error:
        said = error.output.decode(errors="replace").strip()
        raise UsageError(
            f"sbatch ended with code {error.returncode}: {said}", remedy="correct the Slurm options"
        ) from error
    return Submitted(None if first.job_id == -1 else first.job_id, second.job_id, work.logs)


@dataclass(frozen=True, repr=False)
class _RankStep:
    """What datatrove calls in each task. Not a PipelineStep: records never pass through it."""

    job: Job
    folder: Path
    logs: Path

    def __repr__(self) -> str:
        return f"{self.job.name} into {self.folder}"

    def __call__(self, data: object, rank: int = 0, world_size: int = 1) -> None:
        """Do the units of a rank. What is raised here leaves the rank unmarked."""

        def owned(unit: int) -> bool:
            return unit % world_size == rank

        remove_temporaries(self.folder, owned)
        try:
            # A process of its own: when the kernel kills a rank's process,
            # datatrove on Ray waits for ever; when it kills ours, that is an error. It goes by the
            # rank, for tasks of one node that all called themselves 0 would share one GPU.
            work_through(
                self.job.source,
                self.folder,
                ProcessPool(self.job.plan(self.folder), 1, first=rank),
                finished_units(self.folder, owned),
                owned=owned,
            )
        finally:
            remove_temporaries(self.folder, owned)


@dataclass(frozen=True, repr=False)
class _FinishStep:
    """The one task after the others: refuses unless all units are there."""

    job: Job
    finish: Finish

    def __repr__(self) -> str:
        return f"{self.job.name}: finish"

    def __call__(self, data: object, rank: int = 0, world_size: int = 1) -> None:
        with collect(self.job) as result:
            self.finish(result)


def _prepare(job: Job, executor: str, tasks: int, *, overwrite: bool = False) -> _RankStep:
    if tasks < 1:
        raise UsageError("there are no tasks", remedy="ask for 1 or more")
    if not job.source.paths:
        raise UsageError("standard input cannot be shared between tasks", remedy="name a file")
    for path in (job.out_dir, *job.source.paths):
        if not path.is_absolute():
            raise UsageError(
                "tasks start in folders of their own", path=path, remedy="name it from the root"
            )
    folder = claim(job, overwrite=overwrite)
    logs = folder / f"{executor}-{tasks:05d}"
    _remove_stale_marks(folder, logs, tasks)
    return _RankStep(job, folder, logs)


def _remove_stale_marks(folder: Path, logs: Path, tasks: int) -> None:
    """A rank is complete if the source was read to its end and all its units are there."""
    end = End.read(folder)
    known = finished_units(folder)
    for mark in sorted(logs.glob("completions/*")):
        rank = int(mark.name)
        if end is None or any(unit not in known for unit in range(rank, end.units, tasks)):
            mark.unlink()


def _require(*packages: str) -> None:
    for package in packages:
        try:
            __import__(package)
        except ImportError as error:
            raise UsageError(
                f"{package} is not installed", remedy="pip install 'corefmill[cluster]'"
            ) from error


@contextmanager
def _ray(how: Ray) -> Iterator[None]:
    """Ray, as it is if it runs in this process already; ends what it started."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    started = not ray.is_initialized()
    ends = signal.getsignal(signal.SIGTERM)
    if started and how.address is None:
        ray.init(
            num_cpus=how.local_cpus,
            object_store_memory=int(how.object_store_gb * 1e9),
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.WARNING,
        )
    elif started:
        _answers(str(how.address))
        ray.init(address=how.address, log_to_driver=False, logging_level=logging.WARNING)
    if started and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, ends)  # Ray's own would end us as if all were well
    try:
        nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call, unused-ignore]
        _check_resources(nodes, how)
        yield
    finally:
        if started:
            ray.shutdown()


def _answers(address: str) -> None:
    """Raises UsageError unless a Ray cluster is there.

    Asked in a process of its own, which can be ended: Ray tries for minutes where nobody answers.
    """
    ask = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False)"
    remedy = "--ray-address names a cluster that runs, such as HOST:6379"
    try:
        asked = subprocess.run(
            [sys.executable, "-c", ask, address],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"no Ray cluster answers at {address!r} within {_PATIENCE} seconds", remedy=remedy
        ) from None
    if asked.returncode:
        said = asked.stderr.decode(errors="replace").strip().splitlines() or ["it does not say why"]
        raise UsageError(f"no Ray cluster at {address!r}: {said[-1][:_LONGEST]}", remedy=remedy)


def _check_resources(nodes: list[dict[str, Any]], how: Ray) -> None:
    offers = [node["Resources"] for node in nodes if node["Alive"]]
    if not any(
        offer.get("CPU", 0) >= 1 and offer.get("memory", 0) >= how.mem_per_cpu_gb * 2**30
        for offer in offers
    ):
        most = max((offer.get("memory", 0) / 2**30 for offer in offers), default=0)
        cpus = max((offer.get("CPU", 0) for offer in offers), default=0)
        raise UsageError(
            f"no Ray node has a processor and {how.mem_per_cpu_gb:g} GB for a task; "
            f"the most on one node is {cpus:g} and {most:.1f} GB",
            remedy="ask for less per task",
        )


@contextmanager
def _quiet_datatrove() -> Iterator[None]:
    """Its log lines go to the ranks' files; here they would bury ours."""
    from datatrove.utils.logging import logger

    logger.disable("datatrove")
    try:
        yield
    finally:
        logger.enable("datatrove")
