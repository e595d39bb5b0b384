"""Long texts cut into pieces that an engine can take whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s")


def cut(line: str, most: int) -> list[str]:
    """A line in pieces of at most `most` code points: after a sentence's end, else at a blank, else
    anywhere. An empty line has none."""
    pieces = []
    start = 0
    while len(line) - start > most:
        stop = start + most
        ends = [match.end() for match in _SENTENCE_END.finditer(line, start, stop)]
        at = ends[-1] if ends else line.rfind(" ", start, stop) + 1 or stop
        pieces.append(line[start:at].rstrip())
        start = at
    return [piece for piece in [*pieces, line[start:]] if piece]


def by_pieces(
    lines: Sequence[str], most: int, translate: Callable[[list[str]], Sequence[str]]
) -> list[str]:
    """What `translate` makes of the pieces of all lines, joined again by line."""
    pieces = [cut(line, most) for line in lines]
    found = iter(translate([piece for line in pieces for piece in line]))
    return [" ".join(islice(found, len(line))) for line in pieces]
