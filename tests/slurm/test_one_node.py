"""Builds on a real Slurm of one node, which `make slurm-test` installs, starts and stops."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from corefmill.builders.run.executors import Cluster
from corefmill.builders.run.run import run
from tests.builders.run.test_run import NUMBERS, lines, tree
from tests.builders.run.toy_build import toy_job
from tests.commands import ROOT, command
from tests.corefmill.dumps import contents
from tests.waiting import PATIENCE, running, wait_until

# Never a site's own Slurm.
if shutil.which("slurmctld") is None or "SLURM_TEST" not in os.environ:
    pytest.skip("needs a Slurm: make slurm-test starts one", allow_module_level=True)

LONG = [*NUMBERS, *map(str, range(100, 300))]
ON = {"mem": "500M", "time": "10"}
PROGRAM = (
    "import sys; from pathlib import Path;"
    "from tests.slurm.test_one_node import on_slurm;"
    "on_slurm(*map(Path, sys.argv[1:]))"
)


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks are to find this tree's modules."""
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{os.environ.get('PYTHONPATH', '')}")


def on_slurm(path: Path, out: Path) -> None:
    job = toy_job(path, out, seconds=0.1)
    with run(job, cluster=Cluster(engine="slurm", tasks=3, slurm=ON)):
        pass


def jobs() -> list[str]:
    """The numbers of the tasks that run."""
    asked = ["squeue", "--noheader", "--array", "--states=RUNNING", "--format=%A"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()


def test_a_cancelled_task_a_killed_one_and_a_killed_driver(tmp_path: Path) -> None:
    path, out = lines(tmp_path, LONG), tmp_path / "out"
    driver = (sys.executable, "-c", PROGRAM, str(path), str(out))

    def done() -> int:
        return len(list(out.rglob("0*.json")))

    with running(*driver, cwd=ROOT, stderr=subprocess.PIPE) as first:
        wait_until(lambda: len(jobs()) >= 3 and done() > 3, "three tasks work", process=first)
        *_, other, one = sorted(jobs(), key=int)  # the last to begin; others may be ending
        subprocess.run(["scancel", one], check=True)
        listed = ["scontrol", "listpids", other]
        found = subprocess.run(listed, check=True, capture_output=True, text=True).stdout
        for line in found.splitlines()[1:]:
            os.kill(int(line.split()[0]), signal.SIGKILL)
        before = done()
        wait_until(lambda: done() > before + 8, "the others go on", process=first)
        first.send_signal(signal.SIGKILL)
        first.wait(PATIENCE)
    with running(*driver, cwd=ROOT, stderr=subprocess.PIPE) as second:
        _, said = second.communicate(timeout=600)
    assert second.returncode == 0, said
    with run(toy_job(path, tmp_path / "whole")):
        pass
    made = {name: content for name, content in tree(out).items() if "/logs/" not in name}
    assert made == tree(tmp_path / "whole")


def test_the_bytes_of_one_machine(tmp_path: Path) -> None:
    """In a folder with an odd name, with passes before the build."""
    folder = tmp_path / "it's $HOME"
    folder.mkdir()
    words = ("wec", "--lang", "en", "--dump", "sample", "--quiet", "--out")
    slurm = [word for key, value in ON.items() for word in ("--slurm", f"{key}={value}")]
    for more in (("here", "--workers", "1"), ("there", "--executor", "slurm", *slurm)):
        done = command("build", *words, *more, cwd=folder)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert contents(folder / "there") == contents(folder / "here")
