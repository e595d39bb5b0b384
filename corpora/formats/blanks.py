"""How the columns of a table stand that are kept apart by blanks, so that it is written the same.

A sentence's layout is one of:
1. `=3`: between any two cells stand three blanks;
2. one word a column: `l0` the cells begin at 0 (left-aligned), `r25` they end at 25
   (right-aligned), `s31` their star stands at 31, or their last character where they have none
   (the parse bits and arguments of OntoNotes);
3. where neither holds, the number of blanks before each cell, one string a row: `0 3 4 1`.

Blanks at a row's end are not kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Layout = str | list[str]
_LAYOUT = re.compile(r"=\d{1,6}|[lrs]\d{1,6}( [lrs]\d{1,6})*|\d{1,6}( \d{1,6})*")


def layout(lines: Sequence[str], table: Sequence[Sequence[str]]) -> Layout:
    """The layout of the lines, whose cells are those of the table."""
    starts: list[list[int]] = []
    for line, cells in zip(lines, table, strict=True):
        row, at = [], 0
        for cell in cells:
            at = line.index(cell, at)
            row.append(at)
            at += len(cell)
        starts.append(row)
    gaps = [_gaps(row, cells) for row, cells in zip(starts, table, strict=True)]
    between = {gap for row in gaps for gap in row[1:]}
    if len(between) == 1 and not any(row[0] for row in gaps):
        return f"={between.pop()}"
    columns = [
        _edge(column, cells)
        for column, cells in zip(zip(*starts, strict=True), zip(*table, strict=True), strict=True)
    ]
    if all(columns):
        return " ".join(columns)
    return [" ".join(map(str, row)) for row in gaps]


def _gaps(starts: Sequence[int], cells: Sequence[str]) -> list[int]:
    """The blanks before each cell."""
    ends = [0, *(start + len(cell) for start, cell in zip(starts, cells, strict=True))]
    return [start - end for start, end in zip(starts, ends, strict=False)]


def _edge(starts: Sequence[int], cells: Sequence[str]) -> str:
    """What the cells of a column have in common; empty if nothing."""
    if len(set(starts)) == 1:
        return f"l{starts[0]}"
    ends = {start + len(cell) for start, cell in zip(starts, cells, strict=True)}
    if len(ends) == 1:
        return f"r{ends.pop()}"
    stars = {start + _star(cell) for start, cell in zip(starts, cells, strict=True)}
    return f"s{stars.pop()}" if len(stars) == 1 else ""


def _star(cell: str) -> int:
    star = cell.find("*")
    return len(cell) - 1 if star < 0 else star


def lines(table: Sequence[Sequence[str]], layout: Layout) -> list[str]:
    """The rows as lines. A cell that has outgrown its column moves what follows to the right.

    Raises `ValueError` for a layout that is none, or has other columns than the table.
    """
    if not all(map(_LAYOUT.fullmatch, [layout] if isinstance(layout, str) else layout)):
        raise ValueError("its layout is none")
    if isinstance(layout, str) and layout.startswith("="):
        between = " " * max(1, int(layout[1:]))
        return [between.join(cells) for cells in table]
    if isinstance(layout, str):
        edges = [(edge[0], int(edge[1:])) for edge in layout.split(" ")]
        return [_placed(cells, edges) for cells in table]
    return [
        "".join(" " * int(gap) + cell for gap, cell in zip(row.split(" "), cells, strict=True))
        for row, cells in zip(layout, table, strict=True)
    ]


def _placed(cells: Sequence[str], edges: Sequence[tuple[str, int]]) -> str:
    line = ""
    for cell, (kind, place) in zip(cells, edges, strict=True):
        start = place if kind == "l" else place - (len(cell) if kind == "r" else _star(cell))
        line = line.ljust(max(start, len(line) + 1 if line else 0)) + cell
    return line
