"""Checks GAP's tables row by row: the string at each offset, and the labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.check.finding import Finding, shown

_COLUMNS = 11
_TRUTH = {"TRUE": True, "FALSE": False}


def gap(path: Path) -> Iterator[Finding]:
    """The findings of a file with or without its head; one that has no labels is a system's."""
    for number, raw in lines.raw(path):
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace")
        if number == 1 and line.rstrip("\r\n").partition("\t")[0] == "ID":
            continue
        columns = line.count("\t") + 1  # before they are cut: there may be millions
        if columns != _COLUMNS:
            yield Finding("E207", path, number, f"{columns} columns, and not {_COLUMNS}")
            continue
        yield from _row(line.rstrip("\r\n").split("\t"), path, number)


def _row(cells: list[str], path: Path, number: int) -> Iterator[Finding]:
    text = cells[1]
    for what, name, offset in (
        ("the pronoun", cells[2], cells[3]),
        ("A", cells[4], cells[5]),
        ("B", cells[7], cells[8]),
    ):
        if not re.fullmatch("[0-9]{1,9}", offset):
            yield Finding("E202", path, number, f"the offset of {what} is {shown(offset)}")
        elif (there := text[int(offset) : int(offset) + len(name)]) != name or not name:
            yield Finding(
                "E301", path, number, f"{what} is {shown(name)}, at {offset} stands {shown(there)}"
            )
    right = [_TRUTH.get(cells[column].strip().upper()) for column in (6, 9)]
    if None in right:
        yield Finding("E202", path, number, f"labels {cells[6]!r} and {cells[9]!r}")
    elif all(right):
        yield Finding("E506", path, number, f"{shown(cells[4])} and {shown(cells[7])} are right")
