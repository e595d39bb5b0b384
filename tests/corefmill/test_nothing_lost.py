"""What a build finds in its output folder: nobody's file is lost, and a corpus that is there is
the one that would be built."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from corefmill import corpora
from corefmill.corpora import manifest
from tests.commands import command
from tests.corefmill.dumps import contents, error_line

TALES = Path(corpora.__file__).parent / "sample/tales/en.txt"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A text of three MiB and more, of which a fingerprint reads a part."""
    path = tmp_path / "tale.txt"
    path.write_bytes(TALES.read_bytes() + b"\n\n" + (b"* " * 70 + b"*\n") * 25_000)
    return path


def build(text: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return command(
        "build", "knowref", "--text", text, "--out", text.parent / "out", "--workers", "1", *options
    )


def test_what_is_found_again_is_compared(text: Path) -> None:
    assert build(text).returncode == 0
    out = text.parent / "out"
    before = contents(out)

    # A file that lost its end is made again.
    train = next(path for path in out.glob("*.jsonl") if path.stat().st_size)
    train.write_bytes(train.read_bytes()[:-1])
    done = build(text)
    assert done.returncode == 0
    assert f"{train} was changed after the build: building it again." in done.stdout
    assert contents(out) == before

    # So is one that is gone.
    train.unlink()
    assert build(text, "--quiet").returncode == 0
    assert contents(out) == before

    # A file that was touched, and not changed, is read whole once.
    text.touch()
    assert build(text, "--quiet").returncode == 0
    assert (out / "manifest.json").stat().st_mtime_ns > text.stat().st_mtime_ns
    assert contents(out) == before


def test_a_change_in_the_middle_is_noticed(text: Path) -> None:
    assert build(text, "--quiet").returncode == 0
    out = text.parent / "out"
    before, stat = contents(out), text.stat()
    size = len(text.read_bytes())
    with text.open("r+b") as file:
        file.seek(size // 2 + (1 << 15))
        file.write(b"X")
    os.utime(text, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # as a copy does that keeps times
    fingerprint = manifest.read(out).build["parts"]["inputs"]
    said = error_line(build(text, "--quiet"))
    assert "the input was changed after the corpus in --out was built from it" in said
    assert contents(out) == before
    done = build(text, "--quiet", "--overwrite")
    assert done.returncode == 0
    assert manifest.read(out).build["parts"]["inputs"] == fingerprint  # which did not see it
