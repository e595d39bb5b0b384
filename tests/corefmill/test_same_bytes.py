"""One input gives one corpus, byte for byte: killed at random moments, with any workers."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders.wiki.dump.dump_writer import dump
from tests.commands import script
from tests.corefmill.dumps import CORPUS, contents, sample_pages, wikicrem
from tests.waiting import PATIENCE, Running, running, wait_until

PARTS = 6
COMMAND = ("--dump", "part*.xml.gz", "--out", "out", "--quiet")
SHARD = ".corefmill/work/*/[0-9]*.json"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dump in parts, each a unit of work; a page stands in two of them. Packed by
    gzip, so that nobody knows how little it is, and all the workers start."""
    folder = tmp_path_factory.mktemp("parts")
    pages = sample_pages()[:43]
    for number in range(PARTS):
        own = [pages[0], *pages[1 + number :: PARTS]]
        (folder / f"part{number + 1}.xml.gz").write_bytes(gzip.compress(dump(own)))
    return folder


@pytest.fixture(scope="module")
def whole(parts: Path) -> dict[str, bytes]:
    """The corpus that one uninterrupted worker makes of it."""
    done = wikicrem(*COMMAND, "--out", "whole", cwd=parts)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return contents(parts / "whole")


def test_any_number_of_workers(parts: Path, whole: dict[str, bytes]) -> None:
    done = wikicrem(*COMMAND, "--out", "by-3", "--workers", "3", cwd=parts)
    assert done.returncode == 0, done.stderr
    assert contents(parts / "by-3") == whole
    assert set(whole) == CORPUS


def start(folder: Path, workers: str, **options: object) -> Running:
    """The command in a process group of its own."""
    build = script("build")
    return running(build, "wikicrem", *COMMAND, "--workers", workers, cwd=folder, **options)


def kill_midway(folder: Path, workers: str, seconds: float, due: Callable[[], bool]) -> None:
    """kill -9 for the command and its workers, some seconds after it is `due`."""
    with start(folder, workers) as process:
        # The command may have ended before; the caller sees that by what lies there, and tries
        # again.
        wait_until(lambda: due() or process.poll() is not None, "the command is to be killed")
        time.sleep(seconds)


@pytest.mark.thorough  # tests/builders/run/test_run_killed.py kills a small build
def test_killed_three_times_and_resumed(
    parts: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    for path in parts.glob("part*.xml.gz"):
        shutil.copy(path, tmp_path)
    out = tmp_path / "out"
    chance = random.Random(20)

    def shards() -> int:
        return len(list(out.glob(SHARD)))

    def another_shard(before: int) -> bool:
        return shards() > before

    def writing() -> bool:
        return any(out.glob("*train.jsonl*"))

    for _ in range(10):
        # Before the first unit or amid the units; amid the units; while the corpus is written.
        kill_midway(tmp_path, "2", chance.random() * 4, lambda: True)
        before = shards()
        kill_midway(tmp_path, "1", chance.random() / 4, lambda before=before: another_shard(before))  # type: ignore[misc]
        kill_midway(tmp_path, "2", chance.random() / 20, writing)
        if shards() == PARTS and not (out / "manifest.json").exists():
            break
        shutil.rmtree(out)  # it was faster than the kill
    else:
        pytest.fail("the command was never caught midway")
    done = wikicrem(*COMMAND, "--workers", "2", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert contents(out) == whole


@pytest.mark.thorough
def test_ctrl_c_keeps_what_was_finished(parts: Path, tmp_path: Path) -> None:
    for path in parts.glob("part*.xml.gz"):
        shutil.copy(path, tmp_path)
    with start(tmp_path, "2", stderr=subprocess.PIPE) as process:
        wait_until(lambda: any(tmp_path.glob(f"out/{SHARD}")), "a unit is done", process=process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it, too
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert said == (
        f"build: {tmp_path / 'out'}: stopped; what was finished is kept"
        " (the same command, without --overwrite, resumes)\n"
    )
    assert list(tmp_path.glob(f"out/{SHARD}"))
