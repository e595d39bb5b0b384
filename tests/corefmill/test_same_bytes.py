"""One input gives one corpus, byte for byte: killed at random moments, with any workers."""

from __future__ import annotations

import gzip
import random
import re
import shutil
import time
from pathlib import Path

import pytest

from tests.builders.wiki.dump.dump_writer import dump
from tests.commands import command, script
from tests.corefmill.dumps import CORPUS, contents, sample_pages
from tests.corefmill.test_build_wec import CORPUS as EVENT_CORPUS
from tests.waiting import running, wait_until
from tools.world.dump import write

COMMAND = ("--dump", "part*.xml.gz", "--out", "out", "--quiet")
FILES = {"wikicrem": CORPUS, "wec": EVENT_CORPUS}
SHARD = ".corefmill/work/*/[0-9]*.json"
MOMENTS = {
    "wikicrem": [("2", SHARD, 1.0), ("1", SHARD, 0.25), ("2", "*train.jsonl*", 0.05)],
    "wec": [
        ("1", f".corefmill/passes/en/first/{SHARD}", 0.05),
        ("2", ".corefmill/passes/en/events.sqlite", 0.05),
        ("2", SHARD, 0.1),
        ("1", "*train.json*", 0.02),
    ],
}
"""When a build is killed: its workers, a pattern of files that grow, most seconds after that."""


@pytest.fixture(scope="module", params=FILES)
def builder(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def parts(builder: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dump in parts, each a unit of work; a page of persons stands in all of them.
    Packed by gzip, so that nobody knows how little it is, and all the workers start."""
    folder = tmp_path_factory.mktemp("parts")
    if builder == "wikicrem":
        first, *pages = sample_pages()[:43]
        found = [dump([first, *pages[number::6]]) for number in range(6)]
    else:
        write(folder / "world.xml", None, lang="en", countries=2, seed=3)
        head, *own = re.split(rb"(?=  <page>)", (folder / "world.xml").read_bytes())
        last, end, rest = own[-1].partition(b"</page>\n")
        own[-1] = last + end
        found = [b"".join([head, *own[number::4], rest]) for number in range(4)]
        (folder / "world.xml").unlink()
    for number, part in enumerate(found, 1):
        (folder / f"part{number}.xml.gz").write_bytes(gzip.compress(part))
    return folder


@pytest.fixture(scope="module")
def whole(builder: str, parts: Path) -> dict[str, bytes]:
    """The corpus that one uninterrupted worker makes of it."""
    done = command("build", builder, *COMMAND, "--out", "whole", "--workers", "1", cwd=parts)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return contents(parts / "whole")


def test_any_number_of_workers(builder: str, parts: Path, whole: dict[str, bytes]) -> None:
    done = command("build", builder, *COMMAND, "--out", "by-3", "--workers", "3", cwd=parts)
    assert done.returncode == 0, done.stderr
    assert contents(parts / "by-3") == whole
    assert set(whole) == FILES[builder]


@pytest.mark.thorough  # tests/builders/run/test_run_killed.py kills and interrupts a small build
def test_killed_in_every_pass_and_resumed(
    builder: str, parts: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    for path in parts.glob("part*.xml.gz"):
        shutil.copy(path, tmp_path)
    out, chance = tmp_path / "out", random.Random(20)
    for _ in range(10):
        for workers, pattern, seconds in MOMENTS[builder]:
            before = len(list(out.glob(pattern)))
            call = (script("build"), builder, *COMMAND, "--workers", workers)
            with running(*call, cwd=tmp_path) as process:
                wait_until(
                    lambda before=before, pattern=pattern, process=process: (  # type: ignore[misc]
                        len(list(out.glob(pattern))) > before or process.poll() is not None
                    ),
                    "the command is to be killed",
                )
                time.sleep(chance.random() * seconds)
        if not (out / "manifest.json").exists():
            break
        shutil.rmtree(out)  # it was faster than the kill
    else:
        pytest.fail("the command was never caught midway")
    done = command("build", builder, *COMMAND, "--workers", "2", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert contents(out) == whole
