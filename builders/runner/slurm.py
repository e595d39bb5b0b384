"""A build on Slurm: one array of equal tasks, each of which runs the user's command as a task.

A task whose node fails is queued again by Slurm, and what it had in hand others take over. No job
depends on another one: the tasks themselves go from one pass to the next, and one of them writes
the corpus. Nothing but `sbatch` runs on the machine that submits.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.builders.runner.cluster import TASK, JobRecord, logs_of
from corefmill.builders.runner.job import Job
from corefmill.corpora.errors import UsageError

_MOST = 1000
"""Tasks of an array, which a Slurm takes that was not set up for more."""

_PATIENCE = 60
"""Seconds that Slurm's commands get to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slurm:
    """What is asked of Slurm, in its own words; `env_command` is run in a shell before a task."""

    tasks: int
    time: str
    cpus_per_task: int = 1
    mem_per_cpu_gb: int = 4
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    max_parallel: int | None = None
    env_command: str | None = None

    def script(self, name: str, logs: Path, command: Sequence[str]) -> str:
        """What sbatch is given for an array whose tasks run `command`, arguments of corefmill.

        The Python that runs now is called by its path, so the nodes must see it there. Raises
        UsageError for what would end a line of the script.
        """
        parallel = "" if self.max_parallel is None else f"%{self.max_parallel}"
        options = {
            "job-name": f"corefmill-{name}",
            "array": f"0-{self.tasks - 1}{parallel}",
            "nodes": "1",
            "ntasks": "1",
            "cpus-per-task": str(self.cpus_per_task),
            "mem-per-cpu": f"{self.mem_per_cpu_gb}G",
            "time": self.time,
            "partition": self.partition,
            "account": self.account,
            "qos": self.qos,
            "chdir": str(Path.cwd()),
            "output": f"{str(logs).replace('%', '%%')}/%A_%a.log",
            "open-mode": "append",
        }
        lines = [f"{key}={shlex.quote(value)}" for key, value in options.items() if value]
        for line in lines:
            if not line.isprintable():
                raise UsageError(f"Slurm cannot be given --{line!r}", remedy="use plain characters")
        paths = {"PATH": str(Path(sys.executable).parent), "PYTHONPATH": _python_path()}
        return "\n".join(
            [
                "#!/bin/bash",
                *(f"#SBATCH --{line}" for line in (*lines, "requeue")),
                *([self.env_command] if self.env_command else []),
                *(
                    f'export {key}={shlex.quote(value)}"${{{key}:+:${key}}}"'
                    for key, value in paths.items()
                    if value
                ),
                f'export {TASK}="$SLURM_ARRAY_TASK_ID"',
                # In the shell's place, so that it is what Slurm's signals come to.
                f"exec {shlex.join([sys.executable, '-P', '-m', 'corefmill', *command])}",
                "",
            ]
        )


def refuse_impossible(how: Slurm) -> None:
    """Raises UsageError where nothing can be submitted here, or not so, before anything is done."""
    if how.tasks > _MOST:
        raise UsageError(
            f"--tasks {how.tasks}: Slurm's arrays have at most {_MOST:,}",
            remedy="give each more processors by --cpus-per-task",
        )
    _require("sbatch")


def refuse_queued(out_dir: Path) -> None:
    """Raises UsageError where a job of Slurm's for this folder is waiting or at work."""
    record = JobRecord.read(out_dir)
    if record is not None and record.job is not None and (there := states(record.job)):
        raise UsageError(
            f"Slurm job {record.job} is doing this already: {shown(there)}",
            path=out_dir,
            remedy=f"wait for it, or end it with `scancel {record.job}`",
        )


def submit(job: Job, command: Sequence[str], how: Slurm, logs: Path | None = None) -> JobRecord:
    """Queues the array, for a folder that was got ready. Raises UsageError where it cannot.

    `logs` is where on its node a task's log is written, the folder for logs beside the work if it
    is not given.
    """
    script = logs_of(job.out_dir) / "task.sh"
    text = how.script(job.name, logs or script.parent, command)
    script.write_text(text, encoding="utf-8")
    said = _call("sbatch", "--parsable", str(script))
    if said.returncode:
        raise UsageError(
            f"sbatch ended with code {said.returncode}: {said.stdout.strip()}",
            remedy="correct the Slurm options",
        )
    # Among warnings of the site's; behind a semicolon is the cluster's name.
    numbers = re.findall(r"^(\d+)(?:;.*)?$", said.stdout, re.MULTILINE)
    if not numbers:
        raise UsageError(
            f"sbatch gives no number of a job: {said.stdout.strip()!r}",
            remedy="look with squeue whether it was queued",
        )
    number = numbers[-1]
    record = JobRecord(executor="slurm", tasks=how.tasks, job=number)
    record.write(job.out_dir)
    return record


def states(number: str) -> Counter[str] | None:
    """How many tasks of a job wait and run, by Slurm's word for it; None where it does not say."""
    if shutil.which("squeue") is None:
        return None
    said = _call("squeue", "--noheader", "--array", "--format=%T", f"--jobs={number}")
    if not said.returncode:
        return Counter(said.stdout.split())
    # A job that ended some time ago is an error to squeue; any other error says nothing of it.
    return Counter() if "invalid job id" in said.stdout.lower() else None


def shown(there: Counter[str]) -> str:
    """The states in words."""
    return ", ".join(f"{count} {state.lower()}" for state, count in sorted(there.items()))


def _require(program: str) -> None:
    if shutil.which(program) is None:
        raise UsageError(f"{program} is not on the PATH", remedy="call it on a login node")


def _call(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"{command[0]} does not answer within {_PATIENCE} seconds", remedy="try again later"
        ) from None


def _python_path() -> str:
    """Where this process looks for modules by the user's wish, as tasks that start elsewhere find
    it."""
    return ":".join(str(Path(part).absolute()) for part in _parts(os.environ.get("PYTHONPATH")))


def _parts(paths: str | None) -> list[str]:
    return [part for part in (paths or "").split(":") if part]
