"""Mentions as brackets in the coreference column of CoNLL-2012.

`(3` opens, `3)` closes, `(3)` is of one word.

1. A cell holds several with `|` between: `(3|(4)`. That it may be missing, `(3(4)`, is read, and
   so is the `_` of sacr2conll between numbers: `2)_1)`, `(0_(1)`, and `(1_2)` where 2 is open.
2. A closing bracket closes the mention of its entity that was opened last, so that mentions of one
   entity nest and never cross: of [0, 2) and [1, 3) brackets make [0, 3) and [1, 2).
3. Within a cell the mentions of one word come first, then what opens, then what closes, in
   whatever order they are written (the reference scorer's rule): `1)|(1` opens 1, closes it at once
   and leaves what was open before open.
4. Brackets are made with those that open first, the longest before the others, and those that close
   after them, the shortest before the others. A reader puts up with a span that is named twice; no
   writer of ours makes one.
5. A number without a bracket is passed over where its mention is open: some files (CLIN26) have it
   at each word of a mention. The reference scorer does so, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # takes longer to import than a score of a small file takes
    from corefmill.corpora.records import Document, Mention

BEGIN = re.compile(r"#\s*begin document\s*(.*)")
END = re.compile(r"#\s*end document")
EMPTY = frozenset(("-", "_", "*", ""))
"""What a cell without a value may hold."""
HIDDEN = "[WORD]"
"""The form of every word in OntoNotes as it is given to anyone."""
_NAME = re.compile(r"\((.*)\)\s*;?(?:\s*part\s+(-?\d{1,18}))?\s*;?\s*")


def begin_line(document: str, part: int) -> str:
    """Make the line opening a document's part in CoNLL-2012."""
    return f"#begin document ({document}); part {part:03d}"


def parse_name(said: str) -> tuple[str, int]:
    """Parse a document's name and part in the text after `#begin document`."""
    found = _NAME.fullmatch(said)
    return (found[1], int(found[2] or 0)) if found else (said.strip(), 0)


def first_bracket(cluster: Iterable[Mention]) -> tuple[int, int, bool, int]:
    """Return the key of a cluster's first bracket, to sort clusters by (rule 3)."""
    return min((m.sentence, m.start, m.end - m.start > 1, -m.end) for m in cluster)


Named = tuple[str, int, int]
"""A mention: its entity's name, its first word, the word after its last."""

_JOINED = re.compile(r"(?<=\d\))_(?=\(?\d)|(?<=\d)_(?=\(\d)")
"""The `_` that sacr2conll puts between brackets."""
_PIECES = re.compile(r"\(?[^()|*\s]+\)?")


class BracketError(ValueError):
    """Brackets beyond reading or writing; `[start, end)` are the words concerned.

    `kind` is `malformed`, `unopened`, `unclosed` or `bare` (rule 5) in reading, where `entity` is
    the name of the mention's entity.
    """

    def __init__(
        self, problem: str, start: int, end: int, kind: str = "", entity: str = ""
    ) -> None:
        self.problem, self.start, self.end = problem, start, end
        self.kind, self.entity = kind, entity
        super().__init__(f"mention [{start}, {end}) {problem}")


def _raise(error: BracketError) -> None:
    if error.kind != "bare":
        raise error


def parse(
    cells: Iterable[tuple[int, str]], fault: Callable[[BracketError], None] = _raise
) -> list[Named]:
    """Parse mentions from the cells of a sentence, each with its word's index, in their order.

    Raises `BracketError` for brackets without a match. A cell without brackets is empty, `-`, `_`
    or `*`, or left out. A `fault` that does not raise gets each error, whose brackets make no
    mention.
    """
    found: list[Named] = []
    unclosed: dict[str, list[int]] = {}  # indices into `found`, the inner ones last
    for index, cell in cells:
        if cell in EMPTY:
            continue
        try:
            whole, opens, closes, bare = split_cell(cell)
            if bare and not all(name in opens or unclosed.get(name) for name in bare):
                raise ValueError
        except ValueError:
            problem = f"{cell[:40]!r} is not a bracket"
            fault(BracketError(problem, index, index + 1, "malformed"))
            continue
        for name in whole:
            first, joined, second = name.partition("_")
            if joined and first.isdecimal() and second.isdecimal() and unclosed.get(second):
                opens, closes = [*opens, first], [*closes, second]
            else:
                found.append((name, index, index + 1))
        for name in opens:
            unclosed.setdefault(name, []).append(len(found))
            found.append((name, index, index))
        for name in bare:
            problem = f"{name} stands without a bracket within its mention, and is passed over"
            fault(BracketError(problem, index, index + 1, "bare", name))
        for name in closes:
            if unclosed.get(name):
                place = unclosed[name].pop()
                found[place] = (name, found[place][1], index + 1)
                continue
            others = ", ".join(f"({other}" for other in unclosed if unclosed[other])[:80]
            problem = f"{name}) closes a mention that is not open; open here: {others or 'nothing'}"
            fault(BracketError(problem, index, index + 1, "unopened", name))
    if any(unclosed.values()):
        for name, start, end in found:
            if start == end:
                problem = f"({name} is not closed in its sentence"
                fault(BracketError(problem, start, start + 1, "unclosed", name))
        found = [mention for mention in found if mention[1] < mention[2]]
    return found


@lru_cache(maxsize=1 << 16)
def split_cell(cell: str) -> tuple[list[str], ...]:
    """Split a cell into entities of one word, opened ones, closed ones, and those without bracket.

    Raises `ValueError` where there is anything else in it.
    """
    if cell in EMPTY:
        return [], [], [], []
    if "_" in cell:
        cell = _JOINED.sub("|", cell)
    found = _PIECES.findall(cell)
    bars = cell.count("|")
    if sum(map(len, found)) + bars != len(cell) or bars >= len(found):
        raise ValueError
    return (
        [piece[1:-1] for piece in found if piece[0] == "(" and piece[-1] == ")"],
        [piece[1:] for piece in found if piece[0] == "(" and piece[-1] != ")"],
        [piece[:-1] for piece in found if piece[0] != "(" and piece[-1] == ")"],
        [piece for piece in found if piece[0] != "(" and piece[-1] != ")"],
    )


def make(mentions: Iterable[Named], length: int) -> list[str]:
    """Write mentions as brackets in the cells of a sentence (or text) of `length` words.

    Raises `BracketError` for a span that is named twice, and for two mentions of one entity that
    cross.
    """
    opens: dict[int, list[str]] = {}
    closes: dict[int, list[str]] = {}
    named: dict[tuple[int, int], str] = {}
    around: dict[str, list[int]] = {}  # ends of an entity's mentions, inner last
    for name, start, end in sorted(mentions, key=lambda mention: (mention[1], -mention[2])):
        if (start, end) in named:
            raise BracketError(f"is named twice, as {named[start, end]} and {name}", start, end)
        named[start, end] = name
        ends = around.setdefault(name, [])
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and ends[-1] < end:
            raise BracketError("crosses another mention of its entity", start, end)
        ends.append(end)
        if end == start + 1:
            opens.setdefault(start, []).append(f"({name})")
        else:
            opens.setdefault(start, []).append(f"({name}")
            closes.setdefault(end - 1, []).insert(0, f"{name})")
    cells = ["-"] * length
    for index in opens.keys() | closes.keys():  # order: each has its own cell
        cells[index] = "|".join(opens.get(index, []) + closes.get(index, []))
    return cells


def mark_mentions(document: Document, place: int) -> str:
    """Render a sentence as one line, `[the dog of [Ann]0]1`: each mention with its cluster."""
    opens: Counter[int] = Counter()
    closes: dict[int, list[int]] = {}
    for number, cluster in enumerate(document.clusters):
        for mention in cluster:
            if mention.sentence == place:
                opens[mention.start] += 1
                closes.setdefault(mention.end, []).append(number)
    words = []
    for at, token in enumerate(document.sentences[place].tokens):
        after = "".join(f"]{number}" for number in closes.get(at + 1, []))
        words.append("[" * opens[at] + token.form + after)
    return " ".join(words)
