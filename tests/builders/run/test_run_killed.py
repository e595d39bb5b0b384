"""The runner killed from outside, in processes of its own."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from corefmill.builders.run.run import run
from corefmill.corpora.files.ownership import LOCK, private
from tests.builders.run.test_run import lines, tree
from tests.builders.run.toy_build import reached, toy_job
from tests.waiting import PATIENCE, lives, running, wait_until

ROOT = Path(__file__).parents[3]
SECONDS = 0.02  # per line
FREE = 36  # units of 40


def gated(folder: Path) -> tuple[Path, Path]:
    """A file of 40 units, of which the last four are done only once the gate is opened, and the
    gate: whatever the machine does besides, a build of it is not over before."""
    gate = folder / "gate"
    numbers = [str(number) for number in range(1, 2 * FREE + 1)]
    return lines(folder, numbers + [f"GATE {gate}"] * 8), gate


def start(path: Path, out: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    return running(
        *(sys.executable, "-m", "tests.builders.run.toy_build"),
        *(path, out, "2", str(SECONDS)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finished(out: Path) -> int:
    return len(list(out.rglob("0*.json")))


def wait_for_units(out: Path, more: int, process: subprocess.Popen[str]) -> None:
    goal = min(finished(out) + more, FREE)
    wait_until(lambda: finished(out) >= goal, f"{goal} units are done", process=process)


def test_kill_9_three_times_and_resume(tmp_path: Path) -> None:
    path, gate = gated(tmp_path)
    out = tmp_path / "out"
    chance = random.Random()
    for _ in range(3):
        with start(path, out) as process:
            wait_for_units(out, 2, process)
            time.sleep(chance.random() * 4 * SECONDS)
            process.kill()
            process.wait(PATIENCE)
            assert 0 < finished(out) < 40
    gate.touch()
    # The workers of the killed run die on their own; nothing here depends on when.
    with start(path, out) as final:
        stdout, stderr = final.communicate(timeout=PATIENCE)
    assert (final.returncode, stdout.strip(), stderr) == (0, "80", "")
    with run(toy_job(path, tmp_path / "whole", seconds=0.0)):
        pass
    assert tree(out) == tree(tmp_path / "whole")


def test_workers_die_with_a_killed_parent(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    path = lines(tmp_path, [f"GATE {gate}"] * 4)
    with start(path, tmp_path / "out") as process:
        wait_until(reached(gate).exists, "a worker is amid its first unit", process=process)
        process.kill()
        process.wait(PATIENCE)
        wait_until(lambda: not lives(process), "the workers of a killed process die, too", 60)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)]
)
def test_a_signal_ends_in_order(tmp_path: Path, number: signal.Signals) -> None:
    path, _ = gated(tmp_path)
    out = tmp_path / "out"
    with start(path, out) as process:
        wait_for_units(out, 3, process)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as Ctrl-C does: the workers get it, too
        else:
            process.send_signal(number)
        _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert stderr == (
        f"{out}: stopped; what was finished is kept "
        "(the same command, without --overwrite, resumes)\n"
    )
    assert 3 <= finished(out) < 40
    assert not list(out.rglob("*.tmp"))
    assert not (private(out) / LOCK).exists()
