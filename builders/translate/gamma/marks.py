"""Marks around mentions, written into an utterance and read out of its translation.

Chen et al. (2023, EasyProject) translate `<1>The man</1> saw <2>her</2>` and take the words
between the marks that come back. A mention has a number that the utterance holds nowhere else, so
that each mark says whose it is and what it opens or closes. Translators put blanks into marks and
around them, change the kind of their brackets and the script of their digits; all of that is read.
A mention whose marks come back in any other way is lost, with a reason: no span is guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from corefmill.corpora.records import Span


class MarkStyle(NamedTuple):
    """The opening and closing brackets around a numbered mention."""

    opening: str
    closing: str


STYLES = (MarkStyle("<{}>", "</{}>"), MarkStyle("[{}]", "[/{}]"))
"""In the order in which they are tried."""

_OPEN, _CLOSE, _SLASH = "<([{⟨⟪⟦«‹＜（［｛【〈《", ">)]}⟩⟫⟧»›＞）］｝】〉》", "/／⁄∕\\\\"
_MARK = re.compile(
    rf"[{re.escape(_OPEN)}]\s{{0,2}}([{_SLASH}]?)\s{{0,2}}(\d{{1,4}})\s{{0,2}}[{re.escape(_CLOSE)}]"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")
_LONGEST = 9
"""Most digits of a mark's number; longer numbers are not from us."""


class MarkLost(StrEnum):
    """The reason why a mention's marks give no span in the translation."""

    MISSING = "missing"
    DOUBLED = "doubled"
    CROSSED = "crossed"
    """It closes before it opens, or it and another hold a part of each other."""
    MOVED = "moved"
    """It lies in another mention than in the source, or no longer in one."""
    EMPTY = "empty"


class MarkedMention(NamedTuple):
    """A mention to be marked: its number, and its span in the source text."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MarkedReading:
    """A translation without marks, and each mention's span or the reason of its loss."""

    text: str
    spans: tuple[Span | MarkLost, ...]

    @property
    def lost(self) -> int:
        """How many mentions have no span."""
        return sum(isinstance(span, MarkLost) for span in self.spans)


def number_mentions(text: str, spans: Sequence[Span]) -> tuple[MarkedMention, ...]:
    """Give each mention the lowest number from 1 on that does not occur in the text."""
    held = set(_numbers(text))
    free = (number for number in range(1, len(spans) + len(held) + 1) if number not in held)
    return tuple(MarkedMention(next(free), start, end) for start, end in spans)


def _numbers(text: str) -> Iterator[int]:
    for found in _NUMBER.finditer(text):
        if len(found[0]) <= _LONGEST:
            yield int(found[0])


def _outer_first(mentions: Sequence[MarkedMention]) -> list[MarkedMention]:
    return sorted(mentions, key=lambda mention: (mention.start, -mention.end))


def add_marks(text: str, mentions: Sequence[MarkedMention], style: MarkStyle) -> str:
    """Write numbered marks around the mentions of a text, outer mentions first."""
    pieces: list[str] = []
    open_: list[MarkedMention] = []
    position = 0

    def write(to: int, mark: str) -> None:
        nonlocal position
        pieces.append(text[position:to] + mark)
        position = to

    for mention in _outer_first(mentions):
        while open_ and open_[-1].end <= mention.start:
            done = open_.pop()
            write(done.end, style.closing.format(done.number))
        write(mention.start, style.opening.format(mention.number))
        open_.append(mention)
    while open_:
        done = open_.pop()
        write(done.end, style.closing.format(done.number))
    return "".join(pieces) + text[position:]


class _Mark(NamedTuple):
    """A mark found in a translation, and its place in the text without marks."""

    number: int
    opens: bool
    at: int


def read(
    translation: str, mentions: Sequence[MarkedMention], enclitics: Collection[str] = ()
) -> MarkedReading | None:
    """Find the mentions in a marked translation; None if pieces of a broken mark are left.

    A mention is found only by exactly two marks. The `enclitics` of the target language stay joined
    to their verb: Manda<1>mi</1> is Mandami.
    """
    known = {mention.number for mention in mentions}
    text, marks = _without_marks(translation, known, enclitics)
    lost, halves = _find_unpaired(known, marks)
    if not halves.isdisjoint(_numbers(text)):
        return None
    whole = [mark for mark in marks if mark.number not in lost]
    order = {number: place for place, number in enumerate(n for n, opens, _ in whole if opens)}
    found, crossed = _pair_marks(whole)
    lost |= dict.fromkeys(sorted(crossed), MarkLost.CROSSED)
    for number, (start, end) in found.items():
        if number not in lost and not any(map(str.isalnum, text[start:end])):
            lost[number] = MarkLost.EMPTY
    kept = {n: found[n] for n in sorted(found, key=order.__getitem__) if n not in lost}
    lost |= dict.fromkeys(sorted(find_misplaced(mentions, kept)), MarkLost.MOVED)
    return MarkedReading(text, tuple(lost.get(n) or found[n] for n, _, _ in mentions))


def _find_unpaired(
    numbers: set[int], marks: Sequence[_Mark]
) -> tuple[dict[int, MarkLost], set[int]]:
    """Find mentions without exactly one opening and one closing mark."""
    opened = Counter(mark.number for mark in marks if mark.opens)
    closed = Counter(mark.number for mark in marks if not mark.opens)
    halves = {number for number in numbers if not (opened[number] and closed[number])}
    lost: dict[int, MarkLost] = {}
    for number in sorted(numbers):
        if opened[number] > 1 or closed[number] > 1:
            lost[number] = MarkLost.DOUBLED
        elif number in halves:
            lost[number] = MarkLost.MISSING
    return lost, halves


def find_misplaced(mentions: Sequence[MarkedMention], spans: Mapping[int, Span]) -> set[int]:
    """Find mentions that the translation nests in another mention than the source does.

    `spans` maps the mentions' numbers to spans; of equal spans the outer mention is first.
    """
    order = {number: place for place, number in enumerate(spans)}
    after = [MarkedMention(number, *span) for number, span in spans.items()]
    after.sort(key=lambda mention: (mention.start, -mention.end, order[mention.number]))
    within = _find_containers(after)
    before = _find_containers(
        [mention for mention in _outer_first(mentions) if mention.number in spans]
    )
    return {number for number, outer in before.items() if within[number] != outer}


def _pair_marks(marks: Sequence[_Mark]) -> tuple[dict[int, Span], set[int]]:
    """Pair opening and closing marks into spans, and find marks that cross."""
    found: dict[int, Span] = {}
    crossed: set[int] = set()
    starts: dict[int, int] = {}
    open_: list[int] = []
    for number, opens, at in marks:
        if opens:
            starts[number] = at
            # A mention that closed before it opened has its span and counts as crossed.
            if number not in crossed:
                open_.append(number)
        elif number not in starts:
            crossed.add(number)
        else:
            found[number] = (starts[number], at)
            inner = open_[open_.index(number) + 1 :]
            if inner:
                crossed |= {number, *inner}
            open_.remove(number)
    return found, crossed


def _find_containers(mentions: Sequence[MarkedMention]) -> dict[int, int | None]:
    """Find for each mention, outer before inner, the number of the smallest mention around."""
    found: dict[int, int | None] = {}
    open_: list[MarkedMention] = []
    for mention in mentions:
        while open_ and open_[-1].end <= mention.start:
            open_.pop()
        found[mention.number] = open_[-1].number if open_ else None
        open_.append(mention)
    return found


def _without_marks(
    translation: str, numbers: set[int], enclitics: Collection[str]
) -> tuple[str, list[_Mark]]:
    """Split a translation into its plain text and its marks.

    A blank beside a mark within a mention is the translator's, and is removed with the mark. Words
    that only marks separated get a blank between them, except before an enclitic.
    """
    # First, the runs of marks with nothing but blanks between. Second, for each run the text before
    # it, the one blank in its place if any, and the offsets of its marks in the text without them.
    runs: list[list[re.Match[str]]] = []
    for found in _MARK.finditer(translation):
        if int(found[2]) in numbers:
            if runs and not translation[runs[-1][-1].end() : found.start()].strip():
                runs[-1].append(found)
            else:
                runs.append([found])
    marks: list[_Mark] = []
    pieces: list[str] = []
    length = position = 0
    for run in runs:
        left = translation[position : run[0].start()].rstrip()
        position = run[-1].end()
        while translation[position : position + 1].isspace():
            position += 1
        following = translation[position : position + 1]
        # A blank before an opening mark, or behind a closing one, holds words apart.
        outside = (found.end() if found[1] else found.start() - 1 for found in run)
        apart = any(translation[at : at + 1].isspace() for at in outside if at >= 0)
        if left[-1:].isalnum() and following.isalnum():
            inner = translation[run[0].start() - 1].isspace() or translation[position - 1].isspace()
            word = _LETTERS.match(translation, position)
            apart |= inner or word is None or word[0].lower() not in enclitics
        blank = " " * bool((length or left) and following and apart)
        pieces += left, blank
        length += len(left)
        for found in run:
            opens = not found[1]
            marks.append(_Mark(int(found[2]), opens, length + len(blank) * opens))
        length += len(blank)
    return "".join(pieces) + translation[position:], marks
