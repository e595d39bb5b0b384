"""What the system or a library refuses is one line that names the file and a remedy."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from corefmill.cli.failures import explained


def raised(act: Callable[[], object]) -> BaseException:
    """The error of a call."""
    with pytest.raises(Exception) as caught:
        act()
    return caught.value


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "f: the disk is full (make room there, then give the same command again)"),
        (errno.EROFS, "f: the file system can only be read (name a place elsewhere)"),
        (errno.EACCES, "f: permission denied (change the permissions, or name another place)"),
        (errno.ENAMETOOLONG, "f: the name is too long (name a shorter one)"),
        (errno.EISDIR, "f: this is a folder (name a file)"),
        (errno.EMFILE, "f: too many files are open (raise the limit that `ulimit -n` shows)"),
        (errno.EADDRINUSE, "f: Address already in use"),
    ],
)
def test_by_its_number(number: int, said: str) -> None:
    assert str(explained(OSError(number, os.strerror(number), "f"))) == said


def test_what_is_not_whole_yet_is_called_by_its_name_to_be() -> None:
    for name in ("a/.c.jsonl.17.tmp", "a/.c.jsonl.17.tmp/.c.jsonl.17.tmp"):
        error = OSError(errno.ENOSPC, "No space left on device", name)
        assert str(explained(error)).startswith("a/c.jsonl: the disk is full")


def test_a_failed_write_names_its_file(tmp_path: Path) -> None:
    def write() -> None:
        (tmp_path / "in").touch()
        with Path("/dev/full").open("wb", buffering=0) as full, (tmp_path / "in").open("rb") as it:
            full.write(it.read() + b"x")

    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    assert str(explained(raised(write))).startswith("/dev/full: the disk is full")


def test_the_working_directory_was_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(os, "getcwd", gone)
    error = FileNotFoundError(errno.ENOENT, "No such file or directory", "x")
    assert str(explained(error)) == (
        "the working directory was removed (change to another, then try again)"
    )


class SafetensorError(Exception):
    """As the library's, which need not be here."""


DuckDbError = type("OutOfMemoryException", (Exception,), {"__module__": "_duckdb"})
DuckDbFileError = type("IOException", (Exception,), {"__module__": "_duckdb"})


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            SafetensorError("Error while serializing: I/O error: oh (os error 28)"),
            "the disk is full: Error while serializing",
        ),
        (ValueError('Os { code: 28, kind: StorageFull, message: "" }'), "the disk is full: Os {"),
        (
            DuckDbFileError('Could not write file "/a/d": No space left on device'),
            'the disk is full: Could not write file "/a/d"',
        ),
        (DuckDbFileError("what?"), "what? (see that"),
        (DuckDbError("set by the 'max_temp_directory_size' setting"), "the disk is full: set by"),
        (DuckDbError("could not allocate block"), "memory ran out: could not"),
        (MemoryError(), "memory ran out (give it less at once"),
        (EOFError(), "an input ends too early: nothing is left of it (get it again, whole)"),
        (OSError("x is no model\nthat is known"), "x is no model that is known"),
    ],
)
def test_libraries_that_have_errors_of_their_own(error: Exception, said: str) -> None:
    assert str(explained(error)).startswith(said)


def test_a_library_that_does_not_name_its_file(tmp_path: Path) -> None:
    def save(path: Path) -> None:
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    said = str(explained(raised(lambda: save(tmp_path / "model.safetensors"))))
    assert said.startswith(f"{tmp_path / 'model.safetensors'}: the disk is full: I/O error")


def test_a_database_that_cannot_be_opened(tmp_path: Path) -> None:
    error = raised(lambda: sqlite3.connect(tmp_path / "no" / "x").execute("select 1"))
    assert str(explained(error)).startswith(
        f"{tmp_path}: cannot be opened: unable to open database file (see that"
    )
    assert explained(raised(lambda: sqlite3.connect(":memory:").execute("nonsense"))) is None


def test_a_fault_of_the_program_is_none_of_these() -> None:
    for error in (TypeError("x"), KeyError("x"), RuntimeError("")):
        assert explained(error) is None
