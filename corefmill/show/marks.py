"""Puts the mentions of a text into brackets that nest, whatever the mentions do.

Mentions overlap, lie in each other and have gaps. A bracket that would cross another is closed
before it and opened again behind it, so that a mention is one bracket or several, each of them
within or outside of any other: what a page's elements and a reader's eye need.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from corefmill.corpora.records import Span

MOST_MARKS = 100
"""Mentions of one passage that are marked. When all of them cross, the brackets are as many as the
square of this."""


class Sort(Enum):
    """What a mark is; the values are classes of the page."""

    MENTION = "mention"
    TARGET = "target"
    """The name or pronoun that is masked."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mention in a text.

    `cluster` is its number in the record, from 1, or 0 where it is of none. `parts` are its pieces
    in characters: several where it is discontinuous; a piece without characters, [n, n), is a zero
    mention, which stands before the character n.
    """

    cluster: int
    parts: tuple[Span, ...]
    sort: Sort = Sort.MENTION


@dataclass(frozen=True, slots=True)
class Bracket:
    """An opening or closing bracket of a mark, the index of which in its passage is `number`.

    `outer` says that the mention begins, or ends, here; else it goes on in another bracket.
    """

    number: int
    mark: Mark
    opens: bool
    outer: bool


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A text, or what is shown of one, with its mentions.

    `before` and `after` count the characters that are left out there, `unmarked` the mentions that
    have no bracket because there are too many.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    lang: str = ""
    before: int = 0
    after: int = 0
    unmarked: int = 0

    def cut(self, most: int, focus: int = 0) -> MarkedPassage:
        """At most so many characters of it, those around the character `focus`, at word borders
        where there are any near."""
        size = len(self.text)
        if size > most:
            start = min(max(0, focus - most // 2), size - most)
            end = start + most
            if start and (blank := self.text.find(" ", start, start + 40)) >= 0:
                start = blank + 1
            if end < size and (blank := self.text.rfind(" ", end - 40, end)) >= 0:
                end = blank
            clipped = (_clipped(mark, start, end) for mark in self.marks)
            marks = tuple(mark for mark in clipped if mark.parts)
            return replace(
                self,
                text=self.text[start:end],
                marks=marks[:MOST_MARKS],
                before=start,
                after=size - end,
                unmarked=max(0, len(marks) - MOST_MARKS),
            )
        if len(self.marks) > MOST_MARKS:
            left = len(self.marks) - MOST_MARKS
            return replace(self, marks=self.marks[:MOST_MARKS], unmarked=left)
        return self


def _clipped(mark: Mark, start: int, end: int) -> Mark:
    parts = tuple(
        (max(left, start) - start, min(right, end) - start)
        for left, right in mark.parts
        if (left < end and right > start) or start < left == right < end
    )
    return replace(mark, parts=parts)


def bracketed(passage: MarkedPassage) -> Iterator[str | Bracket]:
    """The text with its brackets in order: they nest, and the strings joined are the text."""
    text = passage.text
    opening: dict[int, list[tuple[int, int]]] = defaultdict(list)  # by start: (end, number)
    last: dict[int, int] = {}
    first: dict[int, int] = {}
    for number, mark in enumerate(passage.marks):
        for start, end in _joined(mark.parts):
            opening[start].append((end, number))
            first.setdefault(number, start)
            last[number] = end
    ends = {end for pieces in opening.values() for end, _ in pieces}
    stack: list[tuple[int, int]] = []  # (end, number), the innermost last
    position = 0
    for border in sorted({*opening, *ends}):
        if border > position:
            yield text[position:border]
            position = border
        again: list[tuple[int, int]] = []
        while any(end == border for end, _ in stack):
            end, number = stack.pop()
            if end > border:
                again.append((end, number))
            mark = passage.marks[number]
            yield Bracket(number, mark, False, end == border == last[number])
        begun = sorted(opening.get(border, ()), key=lambda piece: (-piece[0], piece[1]))
        for end, number in begun:
            if end == border:
                mark = passage.marks[number]
                yield Bracket(number, mark, True, border == first[number])
                yield Bracket(number, mark, False, border == last[number])
        longer = [(end, number, True) for end, number in begun if end > border]
        longer += [(end, number, False) for end, number in again]
        for end, number, new in sorted(longer, key=lambda piece: (-piece[0], piece[1])):
            outer = new and border == first[number]
            yield Bracket(number, passage.marks[number], True, outer)
            stack.append((end, number))
    if position < len(text):
        yield text[position:]


def _joined(parts: Iterable[Span]) -> list[Span]:
    """The pieces in order; those that overlap or touch are one."""
    joined: list[Span] = []
    for start, end in sorted(parts):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def in_text(text: str, tokens: Sequence[str]) -> list[Span] | None:
    """Where each token stands in its text, one after the other; None where one does not."""
    spans: list[Span] = []
    position = 0
    for token in tokens:
        start = text.find(token, position)
        if start < 0:
            return None
        position = start + len(token)
        spans.append((start, position))
    return spans


def characters(spans: Sequence[Span], start: int, end: int) -> Span:
    """The characters of the tokens [start, end); those of none where start equals end.

    A zero mention behind the last token stands at the end of the text.
    """
    if start == end:
        at = spans[start][0] if start < len(spans) else (spans[-1][1] if spans else 0)
        return (at, at)
    return (spans[start][0], spans[end - 1][1])
