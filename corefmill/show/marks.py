"""Put the mentions of a text into nested brackets, and draw them in a terminal.

Mentions overlap, nest and have gaps. A bracket that would cross another is closed before it and
opened again behind it. So a mention becomes one or several brackets that all nest, as a page's
elements and a reader's eye need.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from corefmill.corpora.files.terminal import printable
from corefmill.corpora.formats.ontocorefit import RecordedChange
from corefmill.corpora.records import Span

MOST_MARKS = 100
"""Most marked mentions of a passage. If all of them cross, the number of brackets is its square."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mention in a text; `target` marks the masked name or pronoun.

    `cluster` is the number of its cluster in the record, from 1, or 0 for none. `parts` are its
    spans in characters, several for a discontinuous mention; an empty span [n, n) is a zero mention
    before the character n.
    """

    cluster: int
    parts: tuple[Span, ...]
    target: bool = False


@dataclass(frozen=True, slots=True)
class Bracket:
    """An opening or closing bracket of the mark with index `number` in its passage.

    `outer` is True if the mention begins or ends here, False if it continues in another bracket.
    """

    number: int
    mark: Mark
    opens: bool
    outer: bool


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A text or a part of a text, with its mentions.

    `before` and `after` count the characters cut off at the ends, `unmarked` the mentions without
    a bracket if there are too many.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    lang: str = ""
    before: int = 0
    after: int = 0
    unmarked: int = 0

    def cut(self, most: int, focus: int = 0) -> MarkedPassage:
        """Cut the passage to `most` characters around `focus`, at word borders if any are near."""
        size = len(self.text)
        start, end, marks = 0, size, self.marks
        if size > most:
            start = min(max(0, focus - most // 2), size - most)
            end = start + most
            if start and (blank := self.text.find(" ", start, start + 40)) >= 0:
                start = blank + 1
            if end < size and (blank := self.text.rfind(" ", end - 40, end)) >= 0:
                end = blank
            # A mark that reaches beyond the part is cut; a zero mention is kept between characters
            # of the part.
            clipped = [
                tuple(
                    (max(left, start) - start, min(right, end) - start)
                    for left, right in mark.parts
                    if (left < end and right > start) or start < left == right < end
                )
                for mark in self.marks
            ]
            pairs = zip(self.marks, clipped, strict=True)
            marks = tuple(replace(mark, parts=parts) for mark, parts in pairs if parts)
        return replace(
            self,
            text=self.text[start:end],
            marks=marks[:MOST_MARKS],
            before=start,
            after=size - end,
            unmarked=max(0, len(marks) - MOST_MARKS),
        )


def iter_brackets(passage: MarkedPassage) -> Iterator[str | Bracket]:
    """Yield the text with nested brackets; the strings joined are the text.

    A stack holds the open marks, the innermost last. Before a mark ends, the marks above it are
    closed, and opened again behind it.
    """
    text = passage.text
    opening: dict[int, list[tuple[int, int]]] = defaultdict(list)  # by start: (end, number)
    last: dict[int, int] = {}
    first: dict[int, int] = {}
    for number, mark in enumerate(passage.marks):
        joined: list[Span] = []  # the pieces in order; those that overlap or touch are one
        for start, end in sorted(mark.parts):
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        for start, end in joined:
            opening[start].append((end, number))
            first.setdefault(number, start)
            last[number] = end
    ends = {end for pieces in opening.values() for end, _ in pieces}
    stack: list[tuple[int, int]] = []  # (end, number), the innermost last
    position = 0
    # At each border: the text before it, then the marks that end, are empty, and begin here.
    for border in sorted({*opening, *ends}):
        if border > position:
            yield text[position:border]
            position = border
        # Marks above one that ends are closed with it, and opened again below.
        again: list[tuple[int, int]] = []
        while any(end == border for end, _ in stack):
            end, number = stack.pop()
            if end > border:
                again.append((end, number))
            mark = passage.marks[number]
            yield Bracket(number, mark, False, end == border == last[number])
        begun = sorted(opening.get(border, ()), key=lambda piece: (-piece[0], piece[1]))
        for end, number in begun:
            if end == border:  # a zero mention
                mark = passage.marks[number]
                yield Bracket(number, mark, True, border == first[number])
                yield Bracket(number, mark, False, border == last[number])
        # The longest first, so that the next to end is the innermost.
        longer = [(end, number, True) for end, number in begun if end > border]
        longer += [(end, number, False) for end, number in again]
        for end, number, new in sorted(longer, key=lambda piece: (-piece[0], piece[1])):
            outer = new and border == first[number]
            yield Bracket(number, passage.marks[number], True, outer)
            stack.append((end, number))
    if position < len(text):
        yield text[position:]


@dataclass(frozen=True, slots=True)
class Row:
    """A passage, with data of its translation if it is one.

    `source` is the passage before translation, `unrefined` the translation before the rules,
    `changes` the changes of each rule, `weight` the probability that the translation is right.
    """

    text: MarkedPassage
    speaker: str = ""
    source: MarkedPassage | None = None
    unrefined: str = ""
    changes: tuple[RecordedChange, ...] = ()
    weight: float | None = None

    @property
    def passages(self) -> tuple[MarkedPassage, ...]:
        """The passages with marked mentions."""
        return (self.text,) if self.source is None else (self.source, self.text)


@dataclass(frozen=True, slots=True)
class ShownCluster:
    """A cluster of a record: its number in the record, its name, and a note."""

    number: int
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RecordView:
    """The view of a record.

    `rows` are its passages, or a document's sentences without the last `left_out`. `source` is the
    title of its article or document, `reason` the reject reason, "" for a record of the corpus.
    """

    id: str
    split: str
    source: str
    rows: tuple[Row, ...]
    clusters: tuple[ShownCluster, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    left_out: int = 0
    reason: str = ""

    @property
    def rules(self) -> list[str]:
        """The rules with changes in the shown sentences, by name."""
        return sorted({change.rule for row in self.rows for change in row.changes})


def find_tokens(text: str, tokens: Sequence[str]) -> list[Span] | None:
    """Find each token in its text, one after the other; None if one is missing."""
    spans: list[Span] = []
    position = 0
    for token in tokens:
        start = text.find(token, position)
        if start < 0:
            return None
        position = start + len(token)
        spans.append((start, position))
    return spans


def find_characters(spans: Sequence[Span], start: int, end: int) -> Span:
    """Find the characters of the tokens [start, end), none if start equals end.

    A zero mention behind the last token is at the end of the text.
    """
    if start == end:
        at = spans[start][0] if start < len(spans) else (spans[-1][1] if spans else 0)
        return (at, at)
    return (spans[start][0], spans[end - 1][1])


_COLOURS = ("32", "33", "34", "35", "36", "31", "92", "93", "94", "95", "96", "91")
"""Colours of the clusters, in turn: those visible on light and dark terminals."""

_BOLD, _DIM, _REVERSED = "1", "2", "7"


def has_colours(stream: TextIO) -> bool:
    """Whether to use colours: on a terminal that has them, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Painter:
    """Draws views as lines of a terminal, with or without colours.

    Text from a corpus is made printable before colouring, so it has no escape sequences.
    """

    def __init__(self, *, colours: bool) -> None:
        self._colours = colours

    def lines(self, view: RecordView) -> Iterator[str]:
        """Draw the head, passages, clusters and facts of a view, and an empty line."""
        head = (f"{view.reason}:" if view.reason else "", view.id, view.split, view.source)
        yield self._paint("  ".join(printable(one) for one in head if one), _BOLD)
        for row in view.rows:
            yield from self._draw_row(row)
        if view.left_out:
            yield self._dim_line(f"… {view.left_out:,} more sentences; --json has them")
        clusters = "  ".join(
            self._paint(f"{one.number} {printable(one.name)}", _choose_colour(one.number))
            + (f" ({printable(one.note)})" if one.note else "")
            for one in view.clusters
        )
        facts = "; ".join(f"{printable(name)} {printable(value)}" for name, value in view.facts)
        if clusters:
            yield f"  {clusters}"
        if facts:
            yield self._dim_line(facts)
        yield ""

    def passage(self, passage: MarkedPassage) -> str:
        """Draw a text with its brackets.

        `[1 Ann]`, `[1* she]` for the masked name, `[1+ …]` for the continuation of a bracket that
        others cross, `[1 ]` for a word that is not written.
        """
        pieces: list[str] = []
        open_ones: list[str] = []
        for one in iter_brackets(passage):
            if isinstance(one, str):
                text = printable(one).replace("\n", "\n    ")
                pieces.append(self._paint(text, ";".join(open_ones[-1:])) if text else "")
                continue
            colour = _choose_colour(one.mark.cluster)
            if one.mark.target:
                colour += f";{_REVERSED}"
            if one.opens:
                open_ones.append(colour)
                pieces.append(self._paint(f"[{label_bracket(one)} ", colour))
            else:
                open_ones.pop()
                pieces.append(self._paint("]", colour))
        return "".join(pieces)

    def _draw_row(self, row: Row) -> Iterator[str]:
        """Draw a passage below its source, with the changes of the rules."""
        speaker = f"{printable(row.speaker)}: " if row.speaker else ""
        if row.source is not None:
            yield f"  {self._paint(f'{row.source.lang:>3}', _DIM)} {self._draw_cut(row.source)}"
            target = self._draw_cut(row.text)
            yield f"  {self._paint(f'{row.text.lang:>3}', _DIM)} {speaker}{target}"
        else:
            yield f"  {speaker}{self._draw_cut(row.text)}"
        if row.unrefined:
            yield self._dim_line(f"    before the rules: {printable(row.unrefined)}")
        for change in row.changes:
            said = f"{change.before or '∅'} → {change.after or '∅'}"
            yield self._dim_line(f"    {printable(change.rule)}: {printable(said)}")
        if row.weight is not None:
            yield self._dim_line(f"    weight {row.weight:.2f}")

    def _draw_cut(self, passage: MarkedPassage) -> str:
        """Draw a passage, with the numbers of its hidden characters and mentions."""
        before = self._paint(f"({passage.before:,} characters) … ", _DIM) if passage.before else ""
        after = self._paint(f" … ({passage.after:,} characters)", _DIM) if passage.after else ""
        more = f" ({passage.unmarked:,} mentions more)" if passage.unmarked else ""
        return f"{before}{self.passage(passage)}{after}{self._paint(more, _DIM)}"

    def _dim_line(self, text: str) -> str:
        return f"  {self._paint(text, _DIM)}"

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colours and text and code else text


def label_bracket(bracket: Bracket) -> str:
    """Label an opening bracket by its cluster's number, or ? without a cluster."""
    mark = bracket.mark
    number = str(mark.cluster) if mark.cluster else "?"
    star = "*" if mark.target else ""
    return f"{number}{star}{'' if bracket.outer else '+'}"


def _choose_colour(cluster: int) -> str:
    return _COLOURS[(cluster - 1) % len(_COLOURS)] if cluster else _BOLD
