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

import numpy as np

Layout = str | list[str]
_LAYOUT = re.compile(r"=\d{1,6}|[lrs]\d{1,6}( [lrs]\d{1,6})*|\d{1,6}( \d{1,6})*")


def layout(lines: Sequence[str], table: Sequence[Sequence[str]]) -> Layout:
    """The layout of the lines, whose cells are those of the table, blanks between them."""
    text = "".join(f"{line}\n" for line in lines)
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    filled = (codes != ord(" ")) & (codes != ord("\n"))
    borders = np.flatnonzero(filled[1:] != filled[:-1]) + 1
    if filled[0]:
        borders = np.concatenate(([0], borders))
    begins = np.concatenate(([0], np.flatnonzero(codes == ord("\n"))[:-1] + 1))
    # Where each row's cells start and end.
    starts = borders[::2].reshape(len(lines), -1) - begins[:, None]
    ends = borders[1::2].reshape(len(lines), -1) - begins[:, None]
    between = starts[:, 1:] - ends[:, :-1]
    if not starts[:, 0].any() and between.size and (between == between[0, 0]).all():
        return f"={between[0, 0]}"
    left, right = (starts == starts[0]).all(axis=0), (ends == ends[0]).all(axis=0)
    columns: list[str] = []
    for number in range(starts.shape[1]):
        if left[number]:
            columns.append(f"l{starts[0, number]}")
        elif right[number]:
            columns.append(f"r{ends[0, number]}")
        else:
            stars = {
                int(start) + _star(row[number])
                for start, row in zip(starts[:, number], table, strict=True)
            }
            if len(stars) > 1:
                gaps = np.column_stack((starts[:, 0], between))
                return [" ".join(map(str, row)) for row in gaps.tolist()]
            columns.append(f"s{min(stars)}")
    return " ".join(columns)


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
