"""What of a text fits a page: a window around the mark, its control codes shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corefmill.annotate.questions import AnnotationItem, Mark
from corefmill.corpora.printable import printable

WIDTH = 4_000
"""Characters of a text that are shown at once. Each takes at most six bytes as HTML, so that a page
stays far below 100 KB whatever the text."""
_BEFORE = 1_500
"""Characters shown before a mark, where the text is longer than the window."""
_SHORT, LONG = 200, 800
"""Characters of a name, and of a fact such as the beginning of an event's article."""


@dataclass(frozen=True, slots=True)
class PassageWindow:
    """A part of a text: `pieces` are (class of the mark or "", text as it is shown).

    `earlier` and `later` are where the windows beside it begin, None at the ends of the text;
    `moved` says that the reader has left the window of the mark.
    """

    pieces: tuple[tuple[str, str], ...]
    earlier: int | None
    later: int | None
    moved: bool


def window(item: AnnotationItem, at: int | None = None) -> PassageWindow:
    """The part of the item's text that begins at `at`, or the one with its first mark."""
    text = item.text
    first = min((start for start, *_ in item.marks), default=0)
    home = max(0, min(first - _BEFORE, len(text) - WIDTH))
    start = home if at is None else max(0, min(at, len(text) - 1))
    end = min(len(text), start + WIDTH)
    return PassageWindow(
        tuple(_pieces(text, item.marks, start, end)),
        max(0, start - WIDTH) if start else None,
        end if end < len(text) else None,
        start != home,
    )


def marked(item: AnnotationItem) -> str:
    """The text with what is judged in [ ]; a mask says by itself what it is."""
    made, done = [], 0
    for start, end, style in item.marks:
        if style != "mask":
            made += [item.text[done:start], "[", item.text[start:end], "]"]
            done = end
    return "".join((*made, item.text[done:]))


def pieces(item: AnnotationItem) -> list[tuple[str, str]]:
    """Cut the whole text at its marks, each piece with the class of its mark or ""."""
    return _pieces(item.text, item.marks, 0, len(item.text))


def short(text: str, most: int = _SHORT) -> str:
    """A name or fact on one line, as it is shown."""
    line = " ".join(text.split())
    return printable(line if len(line) <= most else line[: most - 1] + "…")


def _pieces(text: str, marks: Sequence[Mark], start: int, end: int) -> list[tuple[str, str]]:
    found = []
    place = start
    for first, last, style in sorted(marks):
        first, last = max(first, place), min(last, end)
        if first >= last:
            continue
        if place < first:
            found.append(("", printable(text[place:first])))
        found.append((style, printable(text[first:last])))
        place = last
    if place < end:
        found.append(("", printable(text[place:end])))
    return found
