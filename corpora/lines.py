"""Read the lines of a text file that anyone may have written: decoded, numbered, bounded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corefmill.corpora import disk
from corefmill.corpora.errors import DataError

LONGEST = 64 * 1024 * 1024
"""Bytes a line may have at most, unless a reader says otherwise."""

MOST_CELLS = 100_000
"""Cells of a row: CoNLL-2012 has one for each predicate of a sentence, the widest."""

LONGEST_SENTENCE = 16 << 20
"""Characters of a sentence's rows together."""

_PIECE = 1 << 20


def raw(path: Path, longest: int = LONGEST) -> Iterator[tuple[int, bytes]]:
    """Stream (number from 1, line with its end) as the bytes that stand there.

    Raises `DataError` for what cannot be read, and for a line of more than `longest` bytes.
    """
    with disk.opened(path) as file:
        number = 0
        while True:
            try:
                line = file.readline(longest + 1)
            except OSError as error:  # a folder, a broken disk
                raise DataError(f"cannot be read: {error.strerror}", path=path) from None
            if not line:
                return
            number += 1
            if len(line) > longest:
                raise DataError(
                    f"a line of over {longest // 2**20} MiB",
                    path=path,
                    line=number,
                    remedy="no record is that long: is this the right format?",
                )
            yield number, line


def read(
    path: Path, longest: int = LONGEST, *, sentences: bool = False
) -> Iterator[tuple[int, str]]:
    """Stream (number from 1, line without its end); a byte order mark and CR LF are taken off.

    Only LF ends a line: the other ends that Python knows may stand in a text. `sentences` is for
    CoNLL's tables, a token a row and an empty line after each sentence, whose size is bounded too.
    Raises `DataError` for a line that is no UTF-8, holds a NUL, or is longer than `longest` bytes.
    """
    size = 0
    for number, line in raw(path, longest):
        if number == 1:
            disk.refuse_utf_16(line, path)
        if b"\x00" in line:
            raise DataError("a NUL byte: not a text file", path=path, line=number)
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"not UTF-8 at byte {error.start + 1} of the line",
                path=path,
                line=number,
                remedy="convert the file to UTF-8",
            ) from None
        if sentences:
            size = 0 if not text or text.isspace() else size + len(text)
            if size > LONGEST_SENTENCE:
                raise DataError(
                    f"a sentence of over {LONGEST_SENTENCE >> 20} Mi characters",
                    path=path,
                    line=number,
                    remedy="an empty line ends a sentence: is this the right format?",
                )
            check_row(text, path, number)
        yield number, text.removesuffix("\n").removesuffix("\r")


def blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Stream the lines between empty ones, with the number of the first of them.

    Blocks and errors are those of `read` with `sentences`, several times as fast: a whole piece of
    the file is checked at once, and line by line only where something is odd.
    """
    number, rest = 1, b""
    with disk.opened(path) as file:
        while True:
            try:
                chunk = file.read(_PIECE)
                data = rest + chunk
                end = data.rfind(b"\n\n") + 2 if chunk else len(data)
                end = 0 if chunk and end == 1 else end  # no sentence ends here
                text = data[:end].decode("utf-8")
            except (OSError, UnicodeDecodeError):
                break
            rest = data[end:]
            if any(odd in text for odd in "\0\r\ufeff") or len(rest) > LONGEST_SENTENCE:
                break
            for block in text.split("\n\n") if text else ():
                found = block.split("\n")
                held = [line for line in found if line]
                if len(block) > MOST_CELLS or any(map(str.isspace, held)):
                    return (yield from _blocks(path, number))
                if held:
                    yield number + next(n for n, line in enumerate(found) if line), held
                number += len(found) + 1
            number -= 2 if text.endswith("\n\n") else 0
            if not chunk:
                return
    yield from _blocks(path, number)


def _blocks(path: Path, first: int) -> Iterator[tuple[int, list[str]]]:
    """The same line by line, from the line `first` on."""
    start, held = 0, list[str]()
    for number, line in read(path, sentences=True):
        if number < first:
            continue
        if line.strip():
            start = number if not held else start
            held.append(line)
        elif held:
            yield start, held
            held = []
    if held:
        yield start, held


def check_row(line: str, path: Path, number: int) -> None:
    """Raise `DataError` for a row of more than `MOST_CELLS` cells.

    Called before a row is cut: a cell takes fifty bytes of memory, a tab one on the disk.
    """
    if len(line) > MOST_CELLS and line.count("\t") + line.count(" ") > MOST_CELLS:
        raise DataError(
            f"a row of over {MOST_CELLS:,} cells",
            path=path,
            line=number,
            remedy="no table is that wide: is this the right format?",
        )
