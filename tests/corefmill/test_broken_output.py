"""Where a corpus cannot be written: one clear line, and what was finished is kept."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corefmill.dumps import contents, error_line, small, wikicrem


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 100 kB, empty."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk to fill")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = _mount("-t", "tmpfs", "-o", "size=100k", "none", str(folder))
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def _mount(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)


def test_a_full_disk(disk: Path, tmp_path: Path) -> None:
    common = ("--dump", small(tmp_path), "--quiet", "--out")
    out = disk / "out"
    said = error_line(wikicrem(*common, out, cwd=tmp_path))
    assert said == (
        f"{out}: the disk is full: 0 MB left (make room; what was finished is kept,"
        " and the same command, without --overwrite, resumes)"
    )
    assert not list(out.rglob("*.tmp"))
    assert _mount("-o", "remount,size=20m", str(disk)).returncode == 0
    for folder in (out, tmp_path / "elsewhere"):
        assert wikicrem(*common, folder, cwd=tmp_path).returncode == 0
    assert contents(out) == contents(tmp_path / "elsewhere")


def test_a_disk_that_is_only_read(disk: Path, tmp_path: Path) -> None:
    assert _mount("-o", "remount,ro", str(disk)).returncode == 0
    done = wikicrem("--dump", small(tmp_path), "--quiet", "--out", disk / "out", cwd=tmp_path)
    assert error_line(done) == (
        f"{disk / 'out'}: cannot be written to: Read-only file system"
        " (name another folder with --out)"
    )


def test_a_folder_of_somebody_else(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write into any folder")
    theirs = tmp_path / "theirs"
    theirs.mkdir(0o555)
    done = wikicrem("--dump", small(tmp_path), "--quiet", "--out", theirs / "out", cwd=tmp_path)
    assert "cannot be written to: Permission denied" in error_line(done)


@pytest.mark.parametrize(
    ("below", "said"), [("", "this is a file"), ("/out", "cannot be written to: ")]
)
def test_a_file_where_the_folder_should_be(tmp_path: Path, below: str, said: str) -> None:
    dump = small(tmp_path)
    done = wikicrem("--dump", dump, "--quiet", "--out", f"{dump}{below}", cwd=tmp_path)
    assert error_line(done).startswith(f"{dump}{below}: {said}")
