"""Last pass: finds what the cuts left behind, such as "( )", " ," and double spaces."""

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from corefmill.builders.wiki.markup.marks import CUTS, LOST
from corefmill.builders.wiki.markup.records import Span

_SPOT = re.compile(rf"[{CUTS}]++|  ++")
_MARKS = re.compile(rf"[{CUTS}]++")
_REST = re.compile(rf"[ ,;:{CUTS}]*+")
_OPENING = '([–—-/"“«„‘ '
_CLOSING = ' .,;:!?)]"”»’'


def count_lost(text: str) -> int:
    """How many of the cuts in `text` took words out of a sentence.

    A note hangs on the word before it and is followed by no letter: it took none.
    """
    lost = 0
    for match in _MARKS.finditer(text):
        before = text[match.start() - 1 : match.start()]
        after = text[match.end() : match.end() + 1]
        hangs = before and before not in _OPENING and after in _CLOSING
        if not hangs:
            lost += match[0].count(LOST)
    return lost


def spans_to_remove(text: str) -> list[Span]:
    """Disjoint spans, in order, without which `text` has no marks and reads smoothly."""
    removed: list[Span] = []
    first = done = len(text) - len(text.lstrip(" "))
    if done:
        removed.append((0, done))
    for match in _SPOT.finditer(text):
        start, end = match.span()
        if end <= done:
            continue
        start = max(start, done)
        if text[start] == " " and text[end : end + 1] not in CUTS:
            removed.append((start + 1, end))
            done = end
            continue
        # The marks with all spaces and lesser punctuation around them.
        while start > done and text[start - 1] in " ,;:":
            start -= 1
        rest = _REST.match(text, end)
        assert rest is not None
        end = rest.end()
        before = text[start - 1] if start > max(first, done) else ""
        after = text[end : end + 1]
        if before and before in "([" and after and after in ")]":
            start, end = _around_brackets(text, start, end, done)
            removed.append((start, end))
        elif start <= first or before in ("(", "[") or after in (")", "]"):
            removed.append((start, end))
        else:
            _keep_one_of_each(text, start, end, removed)
        done = end
    kept = len(text.rstrip(" "))
    if kept < len(text) and done <= kept:
        removed.append((kept, len(text)))
    return removed


def _around_brackets(text: str, start: int, end: int, floor: int) -> Span:
    """Widen to the empty brackets, and to one of the spaces around them."""
    while start > floor and text[start - 1] in "([" and text[end : end + 1] in (")", "]"):
        start -= 1
        end += 1
    if start > floor and text[start - 1] == " ":
        start -= 1
    elif text[end : end + 1] == " ":
        end += 1
    return start, end


def _keep_one_of_each(text: str, start: int, end: int, removed: list[Span]) -> None:
    """Keep the first punctuation of [start, end) and the last space after it, remove the rest."""
    after = text[end : end + 1]
    mark = next((i for i in range(start, end) if text[i] in ",;:"), -1)
    if after and after in ".!?":
        mark = -1
    space = text.rfind(" ", max(mark + 1, start), end)
    if after == "" or after in ".!?":
        space = -1
    for keep in (mark, space):
        if keep >= 0:
            if keep > start:
                removed.append((start, keep))
            start = keep + 1
    if end > start:
        removed.append((start, end))


def shift(removed: list[Span]) -> Callable[[int], int]:
    """The function from an offset in a text to the offset after `removed` has gone from it."""
    starts = [start for start, _ in removed]
    gone = [0, *accumulate(end - start for start, end in removed)]

    def shifted(offset: int) -> int:
        number = bisect_right(starts, offset)
        if number and offset < removed[number - 1][1]:
            return starts[number - 1] - gone[number - 1]
        return offset - gone[number]

    return shifted
