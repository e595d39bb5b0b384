"""The lines of a text file that anyone may have written: decoded, numbered, bounded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corpora.errors import DataError

LONGEST = 64 * 1024 * 1024
"""Bytes a line may have at most, unless a reader says otherwise."""


def read(path: Path, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """Streams (number from 1, line without its end); a byte order mark and CR LF are taken off.

    Only LF ends a line: the other ends that Python knows may stand in a text. Raises `DataError`
    for a line that is no UTF-8, holds a NUL, or is longer than `longest` bytes.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=path) from None
    with file:
        number = 0
        while True:
            try:
                raw = file.readline(longest + 1)
            except OSError as error:  # a folder, a broken disk
                raise DataError(f"cannot be read: {error.strerror}", path=path) from None
            if not raw:
                return
            number += 1
            if len(raw) > longest:
                raise DataError(
                    f"a line of over {longest // 2**20} MiB",
                    path=path,
                    line=number,
                    remedy="no record is that long: is this the right format?",
                )
            if b"\x00" in raw:
                raise DataError("a NUL byte: not a text file", path=path, line=number)
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"not UTF-8 at byte {error.start + 1} of the line",
                    path=path,
                    line=number,
                    remedy="convert the file to UTF-8",
                ) from None
            yield number, line.removesuffix("\n").removesuffix("\r")
