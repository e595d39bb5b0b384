"""The `Entity` attribute of CorefUD: brackets like `(e5-person-1(e6--2)` over a sentence's nodes.

1. Nodes are a sentence's words and empty nodes, in their order. `(e5-person-1` opens a mention of
   the entity e5, `e5)` closes the one that was opened last, `(e6--2)` is of one node.
2. What stands beside the entity's name is attributes, in the order that `# global.Entity` gives:
   they belong to the opening bracket and are kept as they stand.
3. A discontinuous mention is one bracket pair a part, `(e5[1/2]-person-1` `e5[1/2])` and further on
   `(e5[2/2]-person-1)`; each part repeats the attributes.
   GUM before 2.9 has the type first and repeats it in the closing bracket, without a header:
   `(time-23` `time-23)`. Both are read.
4. A mention lies in one sentence. Two of an entity nest; crossing, they share one node at most.
5. As made here, closing brackets (the shortest mention's first) stand before opening ones (the
   longest's first); mentions of one node come after the opening ones, and where there are none,
   before the closing ones. Any order is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corefmill.corpora.formats.bad_mentions import MALFORMED, UNCLOSED, UNOPENED

NEWDOC = re.compile(r"#\s*newdoc(?:\s+id)?\s*(?:=\s*(.*?)\s*)?")
EXACT = re.compile(r"# (newdoc id|part|global\.Entity|speaker) = (.*)", re.DOTALL)
LOOSE = re.compile(r"#\s*(global\.Entity|speaker)\s*=\s*(.*?)\s*")

_FIRST = re.compile(r"(?m)^1(-\d+)?\t[^\t\n]*\t[^\t\n]*(\t[^\t\n]*){7}$")


class RowError(ValueError):
    """A fault in a row of the given index (from 0)."""

    def __init__(self, problem: str, row: int) -> None:
        self.row = row
        super().__init__(problem)


def suits(name: str, head: str) -> bool:
    """Recognize CoNLL-U by a sentence's first row in the head of a file."""
    return _FIRST.search(head) is not None


HEADER = "eid-etype-head-other"
"""The attributes of today's CorefUD."""

_TYPE_FIRST = re.compile(r"\([^-()\d]+-\d+(?=[-()]|$)")
_TYPE_ALONE = re.compile(
    r"\((abstract|animal|event|object|organization|person|place|plant|quantity|substance|time)"
    r"(?=[()]|$)"
)
"""The types of GUM."""

_PIECE = re.compile(r"\(([^()]*)(\))?|([^()]+)\)")
_PART = re.compile(r"(.*)\[([1-9]\d{0,8})/([1-9]\d{0,8})\]")


class EntityError(ValueError):
    """A fault at a node; `kind` is that of a bad mention."""

    def __init__(self, problem: str, node: int, kind: str = MALFORMED) -> None:
        self.node, self.kind = node, kind
        super().__init__(problem)


class Span(NamedTuple):
    """A mention of `entity`: nodes [start, end) of a sentence for each part.

    `attributes` are those beside the entity's name, each with a `-` before it.
    """

    entity: str
    attributes: str
    parts: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class _Open:
    """A mention during reading, with its number of parts in the end."""

    total: int
    parts: list[tuple[int, int]]


def find_name_place(header: str) -> int:
    """Find the place of the entity's name among the attributes. Raises `ValueError` without one."""
    fields = header.split("-")
    for name in ("eid", "GRP"):
        if name in fields:
            return fields.index(name)
    raise ValueError(
        f"# global.Entity = {header} does not say where an entity's ID stands: it has neither"
        " eid (CorefUD) nor GRP (GUM)"
    )


def guess_header(cells: Iterable[str]) -> str:
    """Guess the `# global.Entity` that a file lacks from the first values of `Entity`.

    Raises `ValueError` for types alone, as in `(person)`: they do not say who is who.
    """
    first = next(iter(cells))
    if alone := _TYPE_ALONE.match(first):
        raise ValueError(
            f"Entity={alone[0]} has a type but no entity ID, and the file has no line such as"
            f" '# global.Entity = {HEADER}' to explain it"
        )
    return "etype-GRP" if _TYPE_FIRST.match(first) else HEADER


def escape(name: str) -> str:
    """Escape what an entity's name, or an attribute, may not hold, as CorefUD does: `%2D` for -."""
    return re.sub(r"[^\w.+*'/;&!?#@$^~]", lambda found: f"%{ord(found[0]):02X}", name)


Fault = Callable[[EntityError], None]
"""Takes a bracket's error; where it does not raise, the brackets make no mention."""


def _raise(error: EntityError) -> None:
    raise error


def parse(cells: Sequence[str | None], at: int = 0, fault: Fault = _raise) -> list[Span]:
    """Parse the mentions of a sentence in order of their first brackets.

    `cells` are the nodes' values of `Entity`, `at` says which attribute is the entity's name.
    Raises `EntityError` for brackets that do not match.
    """
    there = ((node, cell) for node, cell in enumerate(cells) if cell is not None)
    return parse_cells(there, at, fault)


def parse_cells(cells: Iterable[tuple[int, str]], at: int = 0, fault: Fault = _raise) -> list[Span]:
    """Parse the mentions of a sentence from its nodes with an `Entity`, in their order."""
    found: list[tuple[str, str, _Open]] = []
    unclosed: dict[str, list[tuple[int, _Open]]] = {}  # (first node, mention), inner last
    unfinished: dict[str, list[_Open]] = {}  # discontinuous ones that lack parts
    for node, cell in cells:
        # Each piece has a bracket, which is no part of what is opened, closed at once, or closed.
        pieces: list[tuple[str, str, str]] = _PIECE.findall(cell)
        if not pieces or len(pieces) + len("".join(map("".join, pieces))) != len(cell):
            fault(EntityError(f"Entity={cell[:60]} is not a bracket", node))
            continue
        for opening, whole, closing in pieces:
            # `e5)` or `e5[1/2])` closes the mention, or the part, that was opened last.
            if closing:
                part = _PART.fullmatch(closing) if closing[-1] == "]" else None
                name = part[1] if part else closing
                if not unclosed.get(name) and "-" in name:
                    name, _ = _split_name(name, at)
                if not unclosed.get(name):
                    problem = f"{closing}) closes a mention that is not open"
                    fault(EntityError(problem, node, UNOPENED))
                    continue
                start, mention = unclosed[name].pop()
                mention.parts.append((start, node + 1))
                continue
            # `(e5-person-1` opens a mention, `(e5[2/2]-person-1` a further part of one.
            name, attributes = _split_name(opening, at)
            part = _PART.fullmatch(name) if name[-1:] == "]" else None
            number, total = (int(part[2]), int(part[3])) if part else (1, 1)
            name = part[1] if part else name
            if not name or number > total:
                fault(EntityError(f"({opening} has no entity ID", node))
                continue
            if number == 1:
                mention = _Open(total, [])
                found.append((name, attributes, mention))
                if total > 1:
                    unfinished.setdefault(name, []).append(mention)
            else:
                # It continues the last mention of as many parts that lacks this one.
                for mention in reversed(unfinished.get(name, [])):
                    if (mention.total, len(mention.parts)) == (total, number - 1):
                        break
                else:
                    problem = f"({opening} continues a mention that has not begun"
                    fault(EntityError(problem, node, UNOPENED))
                    continue
            if whole:
                mention.parts.append((node, node + 1))
            else:
                unclosed.setdefault(name, []).append((node, mention))
    # What is open at the end of the sentence, or lacks parts, cannot be a mention.
    for name, still in unclosed.items():
        for node, _ in still:
            fault(EntityError(f"({name} is not closed in its sentence", node, UNCLOSED))
    kept: list[Span] = []
    for name, attributes, mention in found:
        if len(mention.parts) == mention.total:
            kept.append(Span(name, attributes, tuple(mention.parts)))
        elif mention.parts:  # else it is one that is not closed
            problem = f"({name} has {len(mention.parts)} of {mention.total} parts"
            fault(EntityError(problem, mention.parts[0][0], UNCLOSED))
    return kept


def _split_name(opening: str, at: int) -> tuple[str, str]:
    """Split the text after an opening bracket into the entity's name and other attributes."""
    if not at:
        name, dash, rest = opening.partition("-")
        return name, dash + rest
    fields = opening.split("-")
    name = fields.pop(at) if at < len(fields) else ""
    return name, "".join(f"-{field}" for field in fields) if name else ""


def make(
    spans: Iterable[Span], length: int, at: int = 0, *, repeats: bool = False
) -> list[str | None]:
    """Write mentions as values of `Entity` at each of `length` nodes, None for no value.

    Raises `ValueError` for mentions that would be read as others, and for a span that is named
    twice, unless `repeats` are allowed.
    """
    wanted = list(spans)
    if not repeats and len({span.parts for span in wanted}) < len(wanted):
        raise ValueError("two mentions of the sentence have the same words")
    closes: dict[int, list[str]] = {}
    opens: dict[int, list[str]] = {}
    singles: dict[int, list[str]] = {}
    pieces = [
        (start, end, span, number)
        for span in wanted
        for number, (start, end) in enumerate(span.parts, 1)
    ]
    for start, end, span, number in sorted(pieces, key=lambda piece: (piece[0], -piece[1])):
        total = len(span.parts)
        name = span.entity if total == 1 else f"{span.entity}[{number}/{total}]"
        fields = span.attributes[1:].split("-") if span.attributes else []
        opening = "(" + "-".join([*fields[:at], name, *fields[at:]])
        if end == start + 1:
            singles.setdefault(start, []).append(f"{opening})")
        else:
            opens.setdefault(start, []).append(opening)
            closes.setdefault(end - 1, []).insert(0, f"{name})")
    # The order of rule 5 within a node's value.
    cells: list[str | None] = []
    for node in range(length):
        opened, closed, single = (side.get(node, []) for side in (opens, closes, singles))
        cells.append("".join([*closed, *opened, *single] if opened else [*single, *closed]) or None)
    # Reading them again is the one sure test: names with brackets, and mentions that cross.
    if set(parse(cells, at)) != set(wanted) or any("|" in cell for cell in cells if cell):
        raise ValueError("mentions of one entity cross, or an entity's name holds brackets")
    return cells
