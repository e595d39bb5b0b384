"""The executors: the bytes of one machine, whatever makes the calls and whatever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.run import executors
from corefmill.builders.run.executors import Cluster, LocalExecutor, _parse_time_limit
from corefmill.builders.run.job import Job
from corefmill.builders.run.run import run
from corefmill.builders.run.stages import Stage
from corefmill.builders.run.units import BatchResult, Plan, UnitWorker
from corefmill.corpora.files.errors import DataError, UsageError
from tests.builders.run.test_run import NUMBERS, lines, texts, tree
from tests.builders.run.toy_build import setup, toy_job
from tests.commands import ROOT

SLURM = Cluster(engine="slurm", tasks=2, slurm={"cluster": "local"})


def dies_once(mark: Path) -> list[Stage]:
    """Stages whose first process is killed."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return setup()


@pytest.fixture
def whole(tmp_path: Path) -> tuple[Path, dict[str, bytes]]:
    """An input, and what one process makes of it."""
    path = lines(tmp_path, NUMBERS)
    with run(toy_job(path, tmp_path / "whole")):
        pass
    return path, tree(tmp_path / "whole")


def without_logs(job: Job) -> dict[str, bytes]:
    return {name: content for name, content in tree(job.out_dir).items() if "/logs/" not in name}


def test_slurm_gives_the_bytes_of_one_machine(
    tmp_path: Path, whole: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By submitit without Slurm; the first task is killed."""
    pytest.importorskip("submitit", reason="needs the extra cluster")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{os.environ.get('PYTHONPATH', '')}")
    job = toy_job(whole[0], tmp_path / "out", setup=partial(dies_once, tmp_path / "mark"))
    with run(job, cluster=SLURM):
        assert without_logs(job) == whole[1]


def test_ray_gives_the_bytes_of_one_machine(
    tmp_path: Path, whole: tuple[Path, dict[str, bytes]], ray_home: Path
) -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    # In a process of its own, which Ray ends where it finds a fault of its own.
    code = (
        "import sys; from functools import partial; from pathlib import Path;"
        "from corefmill.builders.run.executors import Cluster;"
        "from corefmill.builders.run.run import run;"
        "from tests.builders.run.test_executors import dies_once;"
        "from tests.builders.run.toy_build import toy_job;"
        "path, out, mark = map(Path, sys.argv[1:]);"
        "job = toy_job(path, out, setup=partial(dies_once, mark));"
        "run(job, cluster=Cluster(engine='ray', tasks=2)).__enter__()"
    )
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, "-c", code, whole[0], out, tmp_path / "mark"],
        cwd=ROOT,
        env={**os.environ, "HOME": str(ray_home)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert tree(out) == whole[1]


def test_without_a_common_folder_the_files_come_back(tmp_path: Path) -> None:
    job = toy_job(lines(tmp_path, NUMBERS), tmp_path / "out")
    plan = Plan(job.setup, tmp_path / "elsewhere", job.channels, job.seed, job.keep_rejects)
    answer: BatchResult = UnitWorker(plan)(list(job.source.units(())))
    assert answer.error is None and not plan.folder.exists()
    with run(job) as result:
        made = {path.name: path.read_bytes() for path in result.folder.glob("0*")}
    assert answer.files == made


def test_a_unit_whose_worker_died_is_tried_once_more(
    tmp_path: Path, whole: tuple[Path, dict[str, bytes]]
) -> None:
    job = toy_job(whole[0], tmp_path / "out", setup=partial(dies_once, tmp_path / "mark"))
    with run(job, workers=2):
        assert tree(job.out_dir) == whole[1]


def test_what_an_engine_hands_back_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def idle(worker: UnitWorker, units: Any) -> BatchResult:
        return BatchResult(None, {})

    monkeypatch.setattr(UnitWorker, "__call__", idle)
    monkeypatch.setattr("corefmill.builders.run.run._PATIENCE", 0.1)
    with pytest.raises(
        DataError, match="its results are missing at part 0 of the input, and again"
    ):
        texts(toy_job(lines(tmp_path, NUMBERS), tmp_path / "out"))


def test_a_closed_executor_ends_its_workers_at_once() -> None:
    executor = LocalExecutor(2)
    calls = [executor.submit(signal.pause) for _ in range(3)]
    first = executor.submit(os.getpid)
    until = time.monotonic() + 30
    while not all(call.running() for call in calls[:2]) and time.monotonic() < until:
        time.sleep(0.01)  # a call that no worker has begun would only be cancelled
    executor.close()
    for call in calls[:2]:
        with pytest.raises(BrokenExecutor):
            call.result()
    assert first.done()


@pytest.mark.parametrize(
    ("limit", "minutes"),
    [("90", 90), ("90:30", 90), ("12:30:00", 750), ("2-00:30", 2910), ("1-2:03:04", 1563)],
)
def test_time_limits_of_sbatch(limit: str, minutes: int) -> None:
    assert _parse_time_limit(limit) == minutes


def test_what_is_missing_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("submitit", reason="needs the extra cluster")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(executors, "_SQUEUE_EVERY", 0.0)
    monkeypatch.setattr(executors, "_LOOK_EVERY", 0.0)
    # Each row adds a program to those before it, or replaces one.
    banner = "echo Job 12 of 3000 is free; echo '--> Checking (abc)...OK'"
    programs = (
        ("", "", "sbatch is not on the PATH"),
        ("sbatch", "echo 12", "squeue is not on the PATH"),
        ("squeue", "echo no answer >&2; exit 1", 'Slurm cannot be used: Could not detect "srun"'),
        ("srun", "", "squeue failed 5 times in a row: no answer"),
        ("sbatch", f"{banner}; echo '4711;wice'; echo bye", "squeue failed 5 times"),
        ("squeue", "echo no; exit 1", "squeue failed 5 times in a row: no"),
        ("sbatch", f"{banner}; echo Submitted batch job 600 on cluster s", "squeue failed 5 times"),
        ("sbatch", banner, r"printed no number of a job: --> Checking \(abc\)...OK"),
        ("sbatch", "echo invalid account >&2; exit 1", "refused the jobs: invalid account"),
    )
    for number, (name, says, message) in enumerate(programs):
        if name:
            (tmp_path / name).write_text(f"#!/bin/sh\n{says}\n")
            (tmp_path / name).chmod(0o755)
        job = toy_job(lines(tmp_path, NUMBERS), tmp_path / f"out{number}")
        with pytest.raises(UsageError, match=message):
            texts(job, cluster=Cluster(engine="slurm"))
    with pytest.raises(UsageError, match="not a time limit"):
        _parse_time_limit("soon")
