"""The runner killed from outside, in processes of its own."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from builders.run import run
from corpora.ownership import LOCK, private
from tests.builders.test_run import lines, tree
from tests.builders.toy_build import toy_job

ROOT = Path(__file__).parents[2]
CONTENT = [str(number) for number in range(1, 81)]
SECONDS = 0.02  # per line


def start(path: Path, out: Path, workers: int, seconds: float = SECONDS) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.builders.toy_build", path, out, str(workers), str(seconds)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(out: Path) -> int:
    return len(list(out.rglob("0*.json")))


def wait_for_units(out: Path, more: int, process: subprocess.Popen[str]) -> None:
    goal = finished(out) + more
    while finished(out) < goal and process.poll() is None:
        time.sleep(0.005)


@pytest.mark.parametrize("workers", [1, 2])
def test_kill_9_three_times_and_resume(tmp_path: Path, workers: int) -> None:
    path = lines(tmp_path, CONTENT)
    with run(toy_job(path, tmp_path / "whole", seconds=0.0)):
        pass
    out = tmp_path / "out"
    chance = random.Random()
    for _ in range(3):
        process = start(path, out, workers)
        wait_for_units(out, 2, process)
        time.sleep(chance.random() * 4 * SECONDS)
        process.kill()
        process.wait()
        assert 0 < finished(out) < 40
    # The workers of the killed run die on their own; nothing here depends on when.
    final = start(path, out, workers)
    stdout, stderr = final.communicate(timeout=30)
    assert (final.returncode, stdout.strip(), stderr) == (0, "80", "")
    assert tree(out) == tree(tmp_path / "whole")


def test_workers_die_with_a_killed_parent(tmp_path: Path) -> None:
    path = lines(tmp_path, CONTENT)
    process = start(path, tmp_path / "out", 2, seconds=60)
    while not list(tmp_path.rglob("*.jsonl.*.tmp")) and process.poll() is None:
        time.sleep(0.005)  # until a worker is in the middle of its first unit
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            # The session is the process's own: signal 0 asks whether anyone of it still lives.
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("workers outlived their parent")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_in_order(tmp_path: Path, workers: int, number: signal.Signals) -> None:
    path = lines(tmp_path, CONTENT)
    out = tmp_path / "out"
    process = start(path, out, workers)
    wait_for_units(out, 3, process)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as Ctrl-C does: the workers get it, too
    else:
        process.send_signal(number)
    _, stderr = process.communicate(timeout=10)
    assert process.returncode == 130
    assert stderr == (
        f"{out}: stopped; what was finished is kept "
        "(the same command, without --overwrite, resumes)\n"
    )
    assert 3 <= finished(out) < 40
    assert not list(out.rglob("*.tmp"))
    assert not (private(out) / LOCK).exists()


def test_workers_leave_ctrl_c_to_their_parent(tmp_path: Path) -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("there is no /proc to find the workers in")
    path = lines(tmp_path, CONTENT[:20])
    process = start(path, tmp_path / "out", 2)
    wait_for_units(tmp_path / "out", 2, process)
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in listed:
        os.kill(int(child), signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert len(listed) >= 2
    assert (process.returncode, stdout.strip(), stderr) == (0, "20", "")


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    path = lines(tmp_path, CONTENT)
    out = tmp_path / "out"
    first = start(path, out, 1)
    wait_for_units(out, 1, first)
    second = start(path, out, 1)
    _, stderr = second.communicate(timeout=10)
    assert second.returncode == 2
    assert f"process {first.pid} on " in stderr
    first.communicate(timeout=30)
    assert first.returncode == 0
