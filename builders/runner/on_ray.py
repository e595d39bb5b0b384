"""A build on Ray: equal tasks, each of which pulls units as those of any cluster do.

A task whose process or node dies Ray starts again, up to three times; what it had in hand others
take over meanwhile. The process that waits here does none of the work, and ends when the corpus is
there, when no task is left, or when no node is left that could run one.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from corefmill.builders.runner.job import Job
from corefmill.builders.runner.workplace import SharedFolder, Workplace
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.installation import install_command

_PATIENCE = 30  # seconds that a cluster gets to answer, and between two looks at its nodes
_LONGEST = 200  # characters of what Ray says
_RETRIES = 3
_POLL = 1.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ray:
    """How to run on Ray. `address` None starts Ray on this machine with `local_cpus` processors;
    memory is in GB."""

    tasks: int
    address: str | None = None
    local_cpus: int | None = None
    object_store_gb: float = 0.1
    cpus_per_task: int = 1
    mem_per_cpu_gb: float = 2.0

    @property
    def task_gb(self) -> float:
        """The memory of a task."""
        return self.cpus_per_task * self.mem_per_cpu_gb


def run_on_ray(
    job: Job, pull: Callable[[int], None], how: Ray, place: Workplace | None = None
) -> None:
    """Has `how.tasks` tasks call `pull` with their numbers, and waits until the corpus is there.

    `pull` must pickle: a function of a module, or a partial of one. `place` is what the tasks
    share, the job's folder if it is not given. Raises UsageError if the extra is not installed or
    Ray has not what a task asks for, DataError if the corpus was not finished, with what a task
    said of why.
    """
    place = place or SharedFolder()
    try:
        import ray
    except ImportError as error:
        raise UsageError("ray is not installed", remedy=install_command("cluster")) from error
    with _ray(how):
        task = ray.remote(
            num_cpus=how.cpus_per_task,
            memory=int(how.task_gb * 2**30),
            max_retries=_RETRIES,
        )(_said)
        tasks = {task.remote(pull, number): number for number in range(how.tasks)}
        failed = []
        looked = time.monotonic()
        while tasks and not place.is_over(job):
            for ended in ray.wait(list(tasks), timeout=_POLL)[0]:
                number = tasks.pop(ended)
                try:
                    said = ray.get(ended)
                except ray.exceptions.RayError as error:  # its process died, and Ray gave it up
                    said = f"task {number}: {_brief(str(error))}"
                if said:
                    failed.append(said)
            if time.monotonic() > looked + _PATIENCE:
                _check_resources(_nodes(), how)
                looked = time.monotonic()
        if tasks:
            # A late one, which found no processor before the work was done, ends by itself or with
            # Ray. To cancel one that is about to end may make Ray 2.60 end this process: "Tried to
            # complete task that was not pending".
            ray.wait(list(tasks), num_returns=len(tasks), timeout=place.seconds_to_leave)
    told = f"{len(failed)} of {how.tasks} tasks failed"
    if not place.is_whole(job):
        raise DataError(
            ": ".join([told, *failed[:1]]),
            path=job.out_dir,
            remedy="what was finished is kept, run it again to resume",
        )
    if failed:
        _log.warning("%s, and others did their work: %s", told, failed[0])


def _said(pull: Callable[[int], None], number: int) -> str | None:
    """What is wrong, in words: of errors some do not pickle."""
    try:
        pull(number)
    except Exception as error:
        return f"task {number}: {error}"
    return None


@contextmanager
def _ray(how: Ray) -> Iterator[None]:
    """Ray, as it is if it runs in this process already; ends what it started."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    started = not ray.is_initialized()
    ends = signal.getsignal(signal.SIGTERM)
    if started and how.address is None:
        ray.init(
            address="local",  # not one that somebody else has started here
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
        _check_resources(_nodes(), how)
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
        said = asked.stderr.decode(errors="replace").strip() or "it does not say why"
        raise UsageError(f"no Ray cluster at {address!r}: {_brief(said)}", remedy=remedy)


def _brief(said: str) -> str:
    """The last line of what Ray says."""
    return said.strip().splitlines()[-1][:_LONGEST]


def _nodes() -> list[dict[str, Any]]:
    import ray

    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call, unused-ignore]
    return nodes


def _check_resources(nodes: list[dict[str, Any]], how: Ray) -> None:
    offers = [node["Resources"] for node in nodes if node["Alive"]]
    if not any(
        offer.get("CPU", 0) >= how.cpus_per_task and offer.get("memory", 0) >= how.task_gb * 2**30
        for offer in offers
    ):
        most = max((offer.get("memory", 0) / 2**30 for offer in offers), default=0)
        cpus = max((offer.get("CPU", 0) for offer in offers), default=0)
        raise UsageError(
            f"no Ray node has {how.cpus_per_task} processors and {how.task_gb:g} GB for a task; "
            f"the most on one node is {cpus:g} and {most:.1f} GB",
            remedy="ask for less per task",
        )
