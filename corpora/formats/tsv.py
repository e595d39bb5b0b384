"""Tables of columns parted by tabs, with a header: no quotes, no escapes, one row a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.atomic import replacing
from corefmill.corpora.errors import DataError

Row = tuple[int, list[str]]
"""The line (from 1) of a row, and its cells."""


def read(path: Path, *headers: Sequence[str]) -> Iterator[Row]:
    """Streams the header's row and then the others, each with as many cells.

    Raises `DataError` where the header is none of `headers`, or a row has other cells than it.
    """
    width = 0
    for number, line in lines.read(path):
        lines.check_row(line, path, number)
        cells = line.split("\t")
        if not width:
            if cells not in [list(header) for header in headers]:
                wanted = " or ".join(" ".join(header) for header in headers)
                raise DataError(
                    f"the header is {' '.join(cells)[:200]!r}",
                    path=path,
                    line=number,
                    remedy=f"columns parted by tabs were expected: {wanted}",
                )
            width = len(cells)
        elif len(cells) != width:
            raise DataError(
                f"{len(cells)} columns where the header has {width}",
                path=path,
                line=number,
                remedy="columns are parted by single tabs, and no line is empty",
            )
        yield number, cells
    if not width:
        raise DataError("an empty file, without the header", path=path)


def write(path: Path, header: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> int:
    """Writes the header and the rows, whole or not at all, and returns the number of rows.

    A row comes with the id of its example, which the `DataError` names that is raised for a cell
    with a tab, a line end or a NUL in it.
    """
    count = 0
    with replacing(path) as out:
        out.write("\t".join(header).encode() + b"\n")
        for name, cells in rows:
            out.write(line_of(name, cells, path))
            count += 1
    return count


def line_of(name: str, cells: Sequence[str], path: Path) -> bytes:
    """One row of example `name` as its line; raises as `write` does."""
    if any(sign in cell for cell in cells for sign in "\t\n\r\0"):
        raise cannot_carry(name, "a tab, a line end or a NUL stands in it", path)
    return "\t".join(cells).encode() + b"\n"


def cannot_carry(name: str, why: str, path: Path) -> DataError:
    """The error of a writer whose format has no place for something in the example."""
    return DataError(
        f"example {name}: {why}",
        path=path,
        remedy="the format cannot carry it; leave the example out",
    )
