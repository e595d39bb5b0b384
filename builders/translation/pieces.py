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
    while len(line) > most:
        ends = [match.end() for match in _SENTENCE_END.finditer(line, 0, most)]
        at = ends[-1] if ends else line.rfind(" ", 0, most) + 1 or most
        pieces.append(line[:at].rstrip())
        line = line[at:]
    return [piece for piece in [*pieces, line] if piece]


def by_pieces(
    lines: Sequence[str], most: int, translate: Callable[[list[str]], Sequence[str]]
) -> list[str]:
    """What `translate` makes of the pieces of all lines, joined again by line."""
    pieces = [cut(line, most) for line in lines]
    found = iter(translate([piece for line in pieces for piece in line]))
    return [" ".join(islice(found, len(line))) for line in pieces]
