"""Read and write CSV for spreadsheets, without formulas and without loss.

1. A spreadsheet takes a cell for a formula that begins with = + - @, tab or CR, also after blanks,
   and also in full width. Such a cell, if it is no number, gets an apostrophe in front, which
   makes a spreadsheet take it for text. Reading takes it off.
2. Control codes but tab and LF, and lone surrogates, are written as \u001b, four digits each. A
   cell in which such an escape stands has its own backslashes doubled.
3. So whatever the text, what was written is what is read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import TextIO

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import replacing

LONGEST = 1 << 20
"""Characters of a cell."""
_LONGEST_ROW = 1 << 22
"""Characters of a row, over all its lines."""
_CELLS = 1000
"""Cells of a row."""

# Apostrophes in front are let through, so that the reader knows its own from the text's.
_FORMULA = re.compile(r"(?![-+]?[0-9]+(?:\.[0-9]+)?\Z)'*\s*[=+\-@\t\r＝＋－＠]")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPE = re.compile(r"\\u[0-9a-f]{4}")
_ESCAPED = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


def cell(text: str) -> str:
    """Escape a text for a cell, against formulas and control codes (rules 1 and 2)."""
    if _UNSEEN.search(text) or _ESCAPE.search(text):
        text = text.replace("\\", "\\\\")
        text = _UNSEEN.sub(lambda code: f"\\u{ord(code[0]):04x}", text)
    return f"'{text}" if _FORMULA.match(text) else text


def parse_cell(written: str) -> str:
    """Restore the text of a cell escaped by `cell`."""
    if written.startswith("'") and _FORMULA.match(written, 1):
        written = written[1:]
    if _ESCAPE.search(written):
        return _ESCAPED.sub(lambda code: chr(int(code[1], 16)) if code[1] else "\\", written)
    return written


def write(
    path: Path, rows: Iterable[Sequence[object]], *, end: str = "\r\n", mark: bool = False
) -> None:
    """Write a table whole or not at all, its texts as cells and its numbers as they are.

    The `mark` at the beginning makes spreadsheets read it as UTF-8.
    """
    with replacing(path) as out:
        text = TextIOWrapper(out, "utf-8-sig" if mark else "utf-8", newline="")
        writer = csv.writer(text, lineterminator=end)
        for row in rows:
            writer.writerow([cell(one) if isinstance(one, str) else one for one in row])
        text.detach()  # `replacing` closes what is below it


def read(path: Path, delimiters: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Stream the rows of a CSV file as texts, each with the number of its last line.

    Of the `delimiters` that is taken which the first line has most of. Raises `DataError` where
    there is no such file, or it is not CSV in UTF-8 with cells and rows of a bearable length.
    """
    rows = None
    with TextIOWrapper(disk.open_file(path), encoding="utf-8-sig", newline="") as file:
        lines = _Lines(file)
        try:
            head = next(lines, "")
            # Spreadsheets write what their country writes.
            delimiter = max(delimiters, key=head.count)
            rows = csv.reader(chain([head], lines), delimiter=delimiter, strict=True)
            while True:
                # The limit on cells is the process's: it must hold for no other reader.
                before = csv.field_size_limit(LONGEST)
                try:
                    row = next(rows, None)
                finally:
                    csv.field_size_limit(before)
                if row is None:
                    return
                if len(row) > _CELLS:
                    raise csv.Error(f"a row of over {_CELLS:,} cells")
                lines.left = _LONGEST_ROW
                yield rows.line_num, [parse_cell(one) for one in row]
        except csv.Error as error:
            line = rows.line_num if rows is not None else 1
            raise DataError(f"not CSV: {error}", path=path, line=line) from None
        except UnicodeDecodeError:
            remedy = "save it from the spreadsheet as CSV in UTF-8"
            raise DataError("not UTF-8", path=path, remedy=remedy) from None


class _Lines:
    """The lines of a file; one row may take so many characters as are `left`."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.left = _LONGEST_ROW

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        """Read a line of the row. Raises `csv.Error` beyond the characters `left`."""
        line = self._file.readline(self.left + 1)
        if not line:
            raise StopIteration
        self.left -= len(line)
        if self.left < 0:
            raise csv.Error(f"a row of over {_LONGEST_ROW:,} characters")
        return line
