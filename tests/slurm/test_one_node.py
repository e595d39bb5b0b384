"""Builds on a real Slurm of one node, which `make slurm-test` installs, starts and stops."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from corefmill.builders.runner import clock
from corefmill.builders.runner.cluster import JobRecord, logs_of
from corefmill.builders.runner.slurm import states
from corefmill.corpora import manifest
from corefmill.corpora.remote_folder import local_of
from tests.builders.runner.test_run import NUMBERS, lines
from tests.builders.runner.toy_task import CORPUS, here, job_of, leases_of, ready
from tests.commands import ROOT, command, json_result
from tests.corefmill.dumps import contents
from tests.object_server import ObjectServer
from tests.waiting import wait_until

# Never a site's own Slurm: a test takes its node down.
if shutil.which("slurmctld") is None or "SLURM_TEST" not in os.environ:
    pytest.skip("needs a Slurm: make slurm-test starts one", allow_module_level=True)

LONG = [*NUMBERS, *map(str, range(100, 160))]
ON = ("--executor", "slurm", "--mem-per-cpu", "2", "--time", "10")


def call(*words: str | Path, check: bool = True) -> str:
    return subprocess.run(
        list(map(str, words)), check=check, capture_output=True, text=True, timeout=60
    ).stdout.strip()


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks are to find this tree's modules."""
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT}/tools/more_pipelines")


def toy_array(path: Path, out: Path, tasks: int, seconds: float = 0.3) -> str:
    """Submits the toy build, whose tasks take each other for dead in two seconds; its number."""
    ready(job_of(path, out, seconds=seconds))
    program = f"{sys.executable} -m tests.builders.runner.toy_task"
    return call(
        *("sbatch", "--parsable", f"--array=0-{tasks - 1}", "--requeue", f"--chdir={ROOT}"),
        *("--mem-per-cpu=500M", "--open-mode=append", f"--output={logs_of(out)}/%a.log"),
        f"--wrap=exec {program} {path} {out} $SLURM_ARRAY_TASK_ID 1 {seconds}",
    )


def at_work(out: Path) -> dict[int, int]:
    """The processes of tasks that work on units, by task."""
    found = (re.search(r"task (\d+), process (\d+)", who) for who in leases_of(out)[-1].tasks)
    return {int(one[1]): int(one[2]) for one in found if one}


def in_hand(out: Path, tasks: int) -> Callable[[], bool]:
    """Whether all of so many tasks have a unit of the build itself in hand, and some are done."""

    def ready() -> bool:
        done = list((out / ".corefmill/work").glob("*/[0-9]*.json"))
        if len(leases_of(out)) < 2 or len(done) < 2 * tasks:
            return False
        held = [lease.who for lease in leases_of(out)[-1].held]
        return all(any(f"task {task}," in who for who in held) for task in range(tasks))

    return ready


def ended(job: str) -> bool:
    return states(job) == {}


def test_a_worker_and_a_task_are_killed_and_the_others_finish(tmp_path: Path) -> None:
    path, out = lines(tmp_path, LONG), tmp_path / "out"
    job = toy_array(path, out, 4)
    wait_until(in_hand(out, 4), "four tasks are at work")
    pids = at_work(out)
    os.kill(pids[1], signal.SIGKILL)
    workers = partial(call, "pgrep", "-P", str(pids[2]), "-f", "spawn_main", check=False)
    wait_until(lambda: bool(workers()), "the third has a worker")
    os.kill(int(workers().split()[0]), signal.SIGKILL)
    wait_until(lambda: ended(job), "the array has ended")
    assert (out / CORPUS).read_text() == here(path, tmp_path / "here", seconds=0.0)
    said = (logs_of(out) / "2.log").read_text()
    assert re.search(r"a worker process was killed by SIGKILL at unit \d+", said)


def test_a_node_goes_down_and_comes_back(tmp_path: Path) -> None:
    path, out = lines(tmp_path, LONG), tmp_path / "out"
    job = toy_array(path, out, 2)
    wait_until(in_hand(out, 2), "two tasks are at work")
    node = f"nodename={call('hostname', '-s')}"
    call("scontrol", "update", node, "state=down", "reason=test")
    try:
        wait_until(lambda: set(states(job) or ()) == {"PENDING"}, "the tasks wait again")
        # What comes back before its jobs have ended is taken out of service.
        wait_until(lambda: call("pgrep", "-c", "slurmstepd", check=False) == "0", "all is over")
    finally:
        call("scontrol", "update", node, "state=resume")
    # Slurm lets what it queued again wait for two minutes.
    for task in (0, 1):
        call("scontrol", "update", f"jobid={job}_{task}", "starttime=now")
    wait_until(lambda: ended(job), "the array has ended")
    assert (out / CORPUS).read_text() == here(path, tmp_path / "here", seconds=0.0)


def without_logs(folder: Path) -> dict[str, bytes]:
    return {name: text for name, text in contents(folder).items() if ".corefmill" not in name}


@pytest.mark.parametrize(
    "line",
    [
        ("wikicrem", "--lang", "en"),
        ("wikicrem", "--lang", "en", "--nlp", "wiki", "--limit", "5", "--without", "enumerated"),
        ("wec", "--lang", "en,it", "--links", "sample"),
    ],
    ids=" ".join,
)
def test_the_bytes_of_one_machine(tmp_path: Path, line: tuple[str, ...]) -> None:
    """In a folder with an odd name; also with passes before the build, and with a limit."""
    folder = tmp_path / "it's $HOME"
    folder.mkdir()
    words = (*line, "--dump", "sample", "--quiet", "--out")
    for more in (
        ("here", "--workers", "1"),
        ("there", *ON, "--tasks", "3", "--cpus-per-task", "2"),
    ):
        done = command("build", *words, *more, cwd=folder)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    job = job_sent(folder / "there")
    wait_until(lambda: ended(job), "the array has ended")
    logs = "".join(log.read_text() for log in logs_of(folder / "there").glob("*.log"))
    assert (folder / "there" / manifest.NAME).exists(), logs
    assert without_logs(folder / "there") == without_logs(folder / "here")


def test_tasks_that_share_a_store_alone(tmp_path: Path, store: ObjectServer) -> None:
    pytest.importorskip("obstore", reason="needs the extra cloud")
    words = ("build", "wec", "--lang", "en", "--dump", "sample", "--quiet", "--out")
    there = "s3://bucket/there"
    for out in ("here", there):
        more = (*ON, "--tasks", "3") if out == there else ("--workers", "1")
        done = command(*words, out, *more, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    job = job_sent(tmp_path / local_of(there))
    wait_until(lambda: ended(job), "the array has ended")
    logs = "".join(log.read_text() for log in Path("/tmp").glob(f"{job}_*.log"))
    assert f"there/{manifest.NAME}" in store.stored, logs
    made = {
        name.removeprefix("there/"): text
        for name, text in store.stored.items()
        if "/." not in name and not name.endswith(clock.FILE)
    }
    assert made == without_logs(tmp_path / "here")


def job_sent(out: Path) -> str:
    """Slurm's number of the job that was sent for an output folder."""
    record = JobRecord.read(out)
    assert record is not None and record.job is not None
    return record.job


def test_a_build_is_not_begun_twice_and_can_be_cancelled(tmp_path: Path) -> None:
    words = ("wikicrem", "--lang", "en", "--dump", "sample", "--out", "there", "--tasks", "1", *ON)
    first = command("build", *words, "--env-command", "sleep 100", "--json", cwd=tmp_path)
    job = json_result(first.stdout)["job"]
    again = command("build", *words, cwd=tmp_path)
    assert f"Slurm job {job} is doing this already" in again.stderr
    call("scancel", job)
    wait_until(lambda: ended(job), "it has ended")
    assert command("build", *words, "--quiet", cwd=tmp_path).returncode == 0
    wait_until((tmp_path / "there" / manifest.NAME).exists, "the corpus is there")
