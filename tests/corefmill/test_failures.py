"""What the system or a library refuses is one line that names the file and a remedy."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from corefmill.cli.failures import explain_error


def raised(act: Callable[[], object]) -> BaseException:
    """The error of a call."""
    with pytest.raises(Exception) as caught:
        act()
    return caught.value


def test_the_system_is_quoted() -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "f")
    assert str(explain_error(error)) == "f: No space left on device"


class SafetensorError(Exception):
    """As the library's, which need not be here."""


DuckDbError = type("OutOfMemoryException", (Exception,), {"__module__": "_duckdb"})
DuckDbFileError = type("IOException", (Exception,), {"__module__": "_duckdb"})


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            SafetensorError("Error while serializing: I/O error: oh (os error 28)"),
            "Error while serializing: I/O error",
        ),
        (ValueError('Os { code: 28, kind: StorageFull, message: "" }'), "Os {"),
        (
            DuckDbFileError('Could not write file "/a/d": No space left on device'),
            'Could not write file "/a/d"',
        ),
        (DuckDbFileError("what?"), "what?"),
        (DuckDbError("set by the 'max_temp_directory_size' setting"), "set by"),
        (DuckDbError("could not allocate block"), "could not"),
        (MemoryError(), "memory ran out (give it less at once"),
        (EOFError(), "an input ends too early: nothing is left of it (get it again, whole)"),
        (OSError("x is no model\nthat is known"), "x is no model that is known"),
    ],
)
def test_libraries_that_have_errors_of_their_own(error: Exception, said: str) -> None:
    assert str(explain_error(error)).startswith(said)


def test_a_database_that_cannot_be_opened(tmp_path: Path) -> None:
    error = raised(lambda: sqlite3.connect(tmp_path / "no" / "x").execute("select 1"))
    assert str(explain_error(error)) == "unable to open database file"
    assert explain_error(raised(lambda: sqlite3.connect(":memory:").execute("nonsense"))) is None


def test_a_fault_of_the_program_is_none_of_these() -> None:
    for error in (TypeError("x"), KeyError("x"), RuntimeError("")):
        assert explain_error(error) is None
