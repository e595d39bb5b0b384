"""Stands between a command and the files below a folder: tells of every operation, or refuses it.

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
from typing import Any, Protocol
from unittest import mock

_UNNEEDED = {"unlink", "rmdir", "rename"}
"""What a full disk still does."""


class Watch(Protocol):
    """What is told of the operations."""

    def before(self, kind: str, path: str) -> None:
        """Raises OSError where it is to fail."""

    def after(self, kind: str, path: str) -> None:
        """It was done."""


class Count:
    """Lets all pass, and remembers what it was."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def before(self, kind: str, path: str) -> None:
        self.seen.append(kind)

    def after(self, kind: str, path: str) -> None:
        pass


class Fault(Count):
    """The operation `at` (from 0) fails with an error number; from there on all, if it `lasts`."""

    def __init__(self, at: int, number: int, *, lasts: bool) -> None:
        super().__init__()
        self._at, self._number, self.lasts = at, number, lasts

    def __str__(self) -> str:
        since = "from operation" if self.lasts else "operation"
        return f"{errno.errorcode[self._number]} {since} {self._at} ({self._kind()})"

    def leaves_drafts(self) -> bool:
        """Whether it keeps a command from removing what is not whole."""
        return self.lasts or self._kind() in ("unlink", "rmdir")

    def _kind(self) -> str:
        return self.seen[self._at] if self._at < len(self.seen) else "never reached"

    def before(self, kind: str, path: str) -> None:
        super().before(kind, path)
        now = len(self.seen) - 1
        full = self._number == errno.ENOSPC and kind in _UNNEEDED
        if now == self._at or (self.lasts and now > self._at and not full):
            raise OSError(self._number, os.strerror(self._number), path)


class Disk:
    """Holds for as long as its block runs."""

    def __init__(self, root: Path, watch: Watch) -> None:
        self._root, self._watch = str(root), watch
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
            self._patch(os, name, self._told(kind, getattr(os, name)))
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
        """The whole path of a name or descriptor, None where it is none of ours."""
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
        self._watch.before(kind, path)
        result = do()
        self._watch.after(kind, path)
        return result

    def _told(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def told(path: Any, *rest: Any, **more: Any) -> Any:
            there = self._inside(path, more.get("dir_fd"))
            if there is None:
                return real(path, *rest, **more)
            return self._done(kind, there, lambda: real(path, *rest, **more))

        return told

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
        """As `open`, with a file below that tells of its writes."""
        there = self._inside(file) if set(mode) & set("wax+") else None
        if there is None:
            return self._real_open(
                file, mode, buffering, encoding, errors, newline, closefd, opener
            )
        plain = "".join(letter for letter in mode if letter not in "bt")
        raw = self._done("open", there, lambda: _File(file, plain, closefd, opener))
        raw.tell_of = lambda do: self._done("write", there, do)
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

    tell_of: Callable[[Callable[[], int]], int]

    def write(self, data: Any) -> int:  # type: ignore[override]
        real = super().write
        try:
            return self.tell_of(lambda: real(data) or 0)
        except OSError:
            real(memoryview(data)[: len(data) // 2])
            raise
