"""Reads the five-line form block by block, past blocks of a wrong length.

A block is whole when its fifth line is empty or the file ends. Where it is not, reading goes on
after the next empty line, unless the empty line alone is missing, which shows in another block
right behind.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corefmill.corpora import disk, lines
from corefmill.corpora.check.finding import Checked, Finding, shown
from corefmill.corpora.formats.candidates import masked_example
from corefmill.corpora.records import MASK

Line = tuple[int, str]

_LONGEST_BLOCK = 1000
"""Lines of a broken block that are passed over at once."""


@dataclass(frozen=True)
class Block:
    """Lines of a file that belong together; `fifth` says whether the empty line was there."""

    lines: list[str]
    first: int
    fifth: bool


def blocks(path: Path) -> Iterator[Block | Finding]:
    """The blocks of a file, and findings where one has a wrong length (E204)."""
    source = _lines(path)
    ahead: deque[Line] = deque()

    def look(count: int) -> list[str]:
        while len(ahead) < count and (following := next(source, None)):
            ahead.append(following)
        return [ahead[i][1] for i in range(min(count, len(ahead)))]

    def take(count: int) -> None:
        for _ in range(min(count, len(ahead))):
            ahead.popleft()

    while seen := look(9):
        first = ahead[0][0]
        # First, empty lines at the end of the file, which no reader takes.
        if not any(seen[:5]) and len(seen) <= 5:
            take(5)
        # Second, an empty line too many before a block.
        elif not seen[0]:
            take(1)
            yield Finding("E204", path, first, "an empty line where a passage was expected")
        # Third, the usual block: four lines and an empty one.
        elif all(seen[:4]) and len(seen) >= 5 and not seen[4]:
            take(5)
            yield Block(seen[:4], first, True)
        # Fourth, a block that makes sense with another right behind it, or at the end of the file.
        elif _whole(seen[:4]) and (len(seen) == 4 or _whole(seen[4:8])):
            take(4)
            yield Block(seen[:4], first, False)
        # Last, anything else, up to the next empty line.
        else:
            size = 0
            while look(size + 1)[size:] and ahead[size][1] and size <= _LONGEST_BLOCK:
                size += 1
            take(size + 1)
            why = f"a block of {size} lines and not four: {shown(seen[0])}"
            yield Finding("E204", path, first, why)


def _lines(path: Path) -> Iterator[Line]:
    """Lines as the published readers strip them; what is no UTF-8 has been found before."""
    for number, raw in lines.raw(path):
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace")
        yield number, line.strip()


def _whole(lines: list[str]) -> bool:
    """Whether these four lines make a block of sense."""
    if len(lines) < 4 or not all(lines[:4]):
        return False
    text, blank, names, answer = lines[:4]
    return blank in text and answer.casefold() in (
        name.strip().casefold() for name in names.split(",")
    )


def five_lines(path: Path, lang: str) -> Checked:
    """Findings of the form, and the examples of all blocks that make sense."""
    number = 0
    for block in blocks(path):
        if isinstance(block, Finding):
            yield block
            continue
        number += 1
        if not block.fifth:
            yield Finding("E203", path, block.first + 4, "the empty line after a block is missing")
        yield from _example(block, path, lang, number)


def _example(block: Block, path: Path, lang: str, number: int) -> Checked:
    text, blank, names, answer = block.lines
    first = block.first
    candidates = tuple(name.strip() for name in names.split(","))
    folded = [name.casefold() for name in candidates]
    broken = False
    if len(set(candidates)) < len(candidates) or len(candidates) < 2 or "" in candidates:
        yield Finding("E505", path, first + 2, f"candidates {shown(names)}")
        broken = True
    if answer.casefold() not in folded:
        yield Finding("E501", path, first + 3, f"answer {shown(answer)} is none of {shown(names)}")
        broken = True
    target = re.search(rf"(?<!\w){re.escape(blank)}(?!\w)", text)
    if target is None:
        yield Finding("E504", path, first + 1, f"{shown(blank)} does not stand in the passage")
        return
    if f" {blank} " not in f" {text}":
        around = text[max(0, target.start() - 12) : target.end() + 12]
        yield Finding("W507", path, first, f"{shown(blank)} is not set apart in {shown(around)}")
    if blank == MASK and text.count(MASK) > 1:
        yield Finding("W508", path, first, f"{MASK} stands {text.count(MASK)} times")
    if broken:
        return
    label = candidates.index(answer) if answer in candidates else folded.index(answer.casefold())
    yield (
        first,
        masked_example(
            f"{disk.shown(path.stem)}-{number}", lang, text, target.span(), candidates, label
        ),
    )
