"""Refuse operations of a command on the files below a folder.

What Python itself does to files is seen here: opening for writing, each write that reaches the
system, fsync, making, renaming and removing. Libraries that write on their own (DuckDB, SQLite,
Tantivy, safetensors) are not; a limit on the size of files meets those.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any
from unittest import mock


class Fault:
    """The operation `at` (from 0) fails with an error number; from there on all, if it `lasts`.

    A single fault passes over removing: a command whose removing fails has to leave its drafts.
    """

    def __init__(self, at: int, number: int, *, lasts: bool) -> None:
        self._at, self._number, self.lasts = at, number, lasts
        self._seen = 0

    def check(self, kind: str, path: str) -> None:
        """Raise OSError where the operation is to fail."""
        removes = kind in ("unlink", "rmdir")
        if removes and not self.lasts:
            return
        now, self._seen = self._seen, self._seen + 1
        full = self._number == errno.ENOSPC and (removes or kind == "rename")
        if now == self._at or (self.lasts and now > self._at and not full):
            raise OSError(self._number, os.strerror(self._number), path)


class Disk:
    """Patches the file operations for as long as its block runs."""

    def __init__(self, root: Path, fault: Fault) -> None:
        self._root, self._fault = str(root), fault
        self._stack = ExitStack()

    def __enter__(self) -> Disk:
        self._real_open = io.open
        for module in (io, builtins):
            self._patch(module, "open", self._open)
        real = os.open

        def opened(path: Any, flags: int, *rest: Any, **more: Any) -> int:
            there = self._inside(path, more.get("dir_fd"))
            if there is None or not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                return real(path, flags, *rest, **more)
            return self._done("open", there, lambda: real(path, flags, *rest, **more))

        self._patch(os, "open", opened)
        for name, kind in (
            ("write", "write"),
            ("ftruncate", "write"),
            ("fsync", "fsync"),
            ("mkdir", "mkdir"),
            ("unlink", "unlink"),
            ("remove", "unlink"),
            ("rmdir", "rmdir"),
            ("rename", "rename"),
            ("replace", "rename"),
        ):
            self._patch(os, name, self._wrap(kind, getattr(os, name)))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _patch(self, module: Any, name: str, new: Any) -> None:
        self._stack.enter_context(mock.patch.object(module, name, new))

    def _inside(self, path: Any, dir_fd: int | None = None) -> str | None:
        """Find the whole path of a name or descriptor, None where it is outside."""
        try:
            if isinstance(path, int):
                whole = str(_of_descriptor(path))
            else:
                above = _of_descriptor(dir_fd) if dir_fd else Path()
                whole = os.path.abspath(above / os.fsdecode(path))  # noqa: PTH100 - links stay
        except (OSError, TypeError):  # nothing that has a place
            return None
        if isinstance(path, int) and not Path(whole).exists():
            return None  # another took its name
        return whole if f"{whole}{os.sep}".startswith(f"{self._root}{os.sep}") else None

    def _done(self, kind: str, path: str, do: Callable[[], Any]) -> Any:
        self._fault.check(kind, path)
        return do()

    def _wrap(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(path: Any, *rest: Any, **more: Any) -> Any:
            there = self._inside(path, more.get("dir_fd"))
            if there is None:
                return real(path, *rest, **more)
            return self._done(kind, there, lambda: real(path, *rest, **more))

        return wrapped

    def _open(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        """Open a file whose writes can fail."""
        there = self._inside(file) if set(mode) & set("wax+") else None
        if there is None:
            return self._real_open(
                file, mode, buffering, encoding, errors, newline, closefd, opener
            )
        plain = "".join(letter for letter in mode if letter not in "bt")
        raw = self._done("open", there, lambda: _File(file, plain, closefd, opener))
        raw.pass_on = lambda do: self._done("write", there, do)
        if buffering == 0:
            return raw
        kind = io.BufferedRandom if "+" in mode else io.BufferedWriter
        below = kind(raw, buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)
        if "b" in mode:
            return below
        text = io.TextIOWrapper(below, encoding, errors, newline, buffering == 1)
        text.mode = mode  # type: ignore[misc]
        return text


def _of_descriptor(number: int) -> Path:
    return Path(f"/proc/self/fd/{number}").readlink()


class _File(io.FileIO):
    """A write that fails has written half."""

    pass_on: Callable[[Callable[[], int]], int]

    def write(self, data: Any) -> int:  # type: ignore[override]
        real = super().write
        try:
            return self.pass_on(lambda: real(data) or 0)
        except OSError:
            real(memoryview(data)[: len(data) // 2])
            raise
