"""Tables of columns separated by tabs, with a header: no quotes, no escapes, one row a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.atomic import replacing
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.form import Located, located
from corefmill.corpora.records import MaskedExample


def read(path: Path, *headers: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Streams the header's row and then the others, each with its line (from 1).

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
                    remedy=f"columns separated by tabs were expected: {wanted}",
                )
            width = len(cells)
        elif len(cells) != width:
            raise DataError(
                f"{len(cells)} columns where the header has {width}",
                path=path,
                line=number,
                remedy="columns are separated by single tabs, and no line is empty",
            )
        yield number, cells
    if not width:
        raise DataError("an empty file, without the header", path=path)


def examples(
    path: Path, example: Callable[[list[str]], MaskedExample], *headers: Sequence[str]
) -> Located:
    """Streams the examples of a table's rows; raises as `read` does, and for what is no example."""
    rows = read(path, *headers)
    next(rows)
    yield from located(rows, example, path)


def write(
    path: Path,
    header: Sequence[str],
    examples: Iterable[MaskedExample],
    rows: Callable[[MaskedExample], Iterable[Sequence[str]]],
) -> int:
    """Writes the header and each example's rows, whole or not at all; returns how many examples.

    Raises `DataError` that names the example where `rows` raises `ValueError`, and for a cell with
    a tab, a line end or a NUL in it.
    """
    count = 0
    with replacing(path) as out:
        out.write("\t".join(header).encode() + b"\n")
        for example in examples:
            try:
                made = list(rows(example))
            except ValueError as error:
                raise cannot_carry(example.id, str(error), path) from None
            out.writelines(line_of(example.id, cells, path) for cells in made)
            count += 1
    return count


def line_of(name: str, cells: Sequence[str], path: Path) -> bytes:
    """One row of example `name` as its line; raises as `write` does."""
    if any(character in cell for cell in cells for character in "\t\n\r\0"):
        raise cannot_carry(name, "a tab, a line end or a NUL stands in it", path)
    return "\t".join(cells).encode() + b"\n"


def cannot_carry(name: str, why: str, path: Path) -> DataError:
    """The error of a writer whose format has no place for something in the example."""
    return DataError(
        f"example {name}: {why}",
        path=path,
        remedy="the format cannot carry it; leave the example out",
    )
