"""One dump gives one corpus of events, byte for byte: killed in every pass, with any workers."""

from __future__ import annotations

import gzip
import random
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import command, script
from tests.corefmill.dumps import contents
from tests.corefmill.test_build_wec import CORPUS
from tests.waiting import running, wait_until
from tools.world.dump import write

COMMAND = ("--dump", "part*.xml.gz", "--out", "out", "--quiet")
SHARD = "[0-9]*.json"
PARTS = 4


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world in parts, each a unit of work. Packed by gzip, so that nobody knows how
    little it is, and all the workers start."""
    folder = tmp_path_factory.mktemp("world")
    whole = folder / "world.xml"
    write(whole, None, lang="en", countries=2, seed=3)
    head, *pages, last = re.split(rb"(?=  <page>)", whole.read_bytes())
    page, end, rest = last.partition(b"</page>\n")
    pages.append(page + end)
    for number in range(PARTS):
        part = b"".join([head, *pages[number::PARTS], rest])
        (folder / f"part{number + 1}.xml.gz").write_bytes(gzip.compress(part))
    whole.unlink()
    return folder


@pytest.fixture(scope="module")
def whole(world: Path) -> dict[str, bytes]:
    """The corpus that one uninterrupted worker makes of it."""
    done = command("build", "wec", *COMMAND, "--out", "whole", "--workers", "1", cwd=world)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return contents(world / "whole")


def test_any_number_of_workers(world: Path, whole: dict[str, bytes]) -> None:
    done = command("build", "wec", *COMMAND, "--out", "by-3", "--workers", "3", cwd=world)
    assert done.returncode == 0, done.stderr
    assert contents(world / "by-3") == whole
    assert set(whole) == CORPUS


def kill_midway(folder: Path, workers: str, seconds: float, due: Callable[[], bool]) -> None:
    """kill -9 for the command and its workers, some seconds after it is `due`."""
    with running(script("build"), "wec", *COMMAND, "--workers", workers, cwd=folder) as process:
        # The command may have ended before; the caller sees that by what lies there, and tries
        # again.
        wait_until(lambda: due() or process.poll() is not None, "the command is to be killed")
        time.sleep(seconds)


@pytest.mark.thorough
def test_killed_in_every_pass_and_resumed(
    world: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    for path in world.glob("part*.xml.gz"):
        shutil.copy(path, tmp_path)
    out = tmp_path / "out"
    chance = random.Random(5)

    def scanned() -> bool:
        return any(out.glob(f".corefmill/passes/en/first/.corefmill/work/*/{SHARD}"))

    def joined() -> bool:
        return (out / ".corefmill/passes/en/events.sqlite").exists()

    def mined() -> bool:
        return any(out.glob(f".corefmill/work/*/{SHARD}"))

    def writing() -> bool:
        return any(out.glob("*train.json*"))

    for _ in range(10):
        kill_midway(tmp_path, "1", chance.random() / 20, scanned)
        kill_midway(tmp_path, "2", chance.random() / 20, joined)
        kill_midway(tmp_path, "2", chance.random() / 10, mined)
        kill_midway(tmp_path, "1", chance.random() / 50, writing)
        if not (out / "manifest.json").exists():
            break
        shutil.rmtree(out)  # it was faster than the kill
    else:
        pytest.fail("the command was never caught midway")
    done = command("build", "wec", *COMMAND, "--workers", "2", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert contents(out) == whole
