"""Read the clusters of CoNLL files for scoring: the coreference column, or the nodes of CoNLL-U.

Tables are read and refused as `convert` does (conll2012.py, conll_columns.py), but need no words:

1. Duplicate mentions stay. Documents of one name are an error: the reference scorer silently takes
   the last.
2. Entities are in the order in which they open, mentions in the order in which they close; within
   a cell, mentions of one token come first, then openings, then closings. The order decides which
   of two equal mentions is kept.

Of CoNLL-U only what decides a score is read:

1. IDs, forms, `Entity`, and DEPS of empty nodes. A fault in these is an error with its line; other
   columns may hold anything.
2. A mention is the set of its nodes. Its head is the node that `head` counts to, or the first where
   `# global.Entity` has no `head` or the mention none. A mention whose head is an empty node is a
   zero mention. (In records, zeros are only the mentions of empty nodes alone.)
3. A document without a name is called by its number, as key and response are different files.
4. Entities are in the order of their first mentions, mentions in that of the text, the longer of
   two with the same beginning first: the order decides which of two equal mentions is kept.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.bad_mentions import REMEDY, drop
from corefmill.corpora.formats.brackets import Named
from corefmill.corpora.formats.conll_columns import (
    Cells,
    ColumnLayout,
    Fault,
    Opening,
    TableDocument,
    read_tables,
)
from corefmill.corpora.formats.corefud_entity import (
    EXACT,
    HEADER,
    LOOSE,
    NEWDOC,
    EntityError,
    RowError,
    Span,
)
from corefmill.corpora.formats.corefud_old import modernize
from corefmill.corpora.scoring.alignment import BITS, NodeMention, ScoredDocument, place


class _ColumnDocument(TableDocument):
    """The clusters of a table's document."""

    mentions_alone = True

    def __init__(self, opening: Opening, fault: Fault, layout: ColumnLayout) -> None:
        super().__init__(opening, fault, layout)
        self.tokens = 0
        self.clusters: dict[str, list[Hashable]] = {}

    def add_sentence(
        self, columns: dict[str, Cells], mentions: Sequence[Named], lines: list[int]
    ) -> None:
        """Count a sentence's tokens and add its mentions, in the order of rule 2."""
        for name, *_ in mentions:
            self.clusters.setdefault(name, [])
        if len(mentions) > 1:
            mentions = sorted(mentions, key=lambda one: (one[2], one[1] == one[2], -one[1]))
        for name, start, end in mentions:
            span = (self.tokens + start, self.tokens + end)
            self.clusters[name].append((*span, "zero") if start == end else span)
        self.tokens += len(lines)


def read_columns(path: Path, columns: ColumnLayout | None = None) -> Iterator[ScoredDocument]:
    """Stream the clusters of each document of CoNLL tables. Raises as `read_tables` does."""
    # No record is made of a token, which would take several times as long.
    for one in read_tables(path, _ColumnDocument, columns=columns):
        yield ScoredDocument(one.name, one.part, one.tokens, [*one.clusters.values()])


_NODE = re.compile(r"(\d{1,6})(?:\.([1-9]\d{0,5}))?")
_RANGE = re.compile(r"\d{1,6}-\d{1,6}")
_LANG = re.compile(r"([a-z]{2,3})_")
"""The language of a file that is named as those of CorefUD and UD are, such as cs_pdt."""
_NUMBERS = list(map(str, range(1, 1001)))
"""IDs of words that follow each other."""
_NO_DEPS: frozenset[tuple[int, str]] = frozenset()
_MOST_WORDS = 1_000_000
"""Words of a sentence's mentions together, where ten thousand are many."""


def read_nodes(path: Path, *, columns: bool = False) -> Iterator[ScoredDocument]:
    """Stream the clusters of each document of CoNLL-U, mentions as nodes.

    Raises `DataError` with the line that breaks rule 1. `columns` keeps the lines of
    all words, for decisions by their other columns.
    """
    lang = _LANG.match(path.name)
    document: _NodeDocument | None = None
    header: str | None = None
    # Columns are checked as far as a score needs them, and no records are made, which would take
    # most of the time. `# global.Entity` holds until the file gives another one.
    count = 0
    ranks: dict[str, tuple[int, ...]] = {}  # of entities, which a file may have in two documents
    for number, block in disk.read_blocks(path):
        comments = list(takewhile(lambda line: line[0] == "#", block))
        rows = block[len(comments) :]
        line = number + len(comments)  # of the first row
        try:
            said = "\n".join(comments)
            if document is None or ("newdoc" in said and any(map(NEWDOC.fullmatch, comments))):
                if document is not None:
                    yield document.finish()
                count += 1
                document = _NodeDocument(comments, count, ranks, lang[1] if lang else "", columns)
            for comment in comments if "global.Entity" in said else ():
                match = LOOSE.fullmatch(comment)
                if match and match[1] == "global.Entity":
                    header = match[2]
            header = document.add_sentence(modernize(rows), header)
        except (RowError, EntityError) as error:
            row, remedy = (error.row, None) if isinstance(error, RowError) else (error.node, REMEDY)
            raise DataError(str(error), path=path, line=line + row, remedy=remedy) from None
        except ValueError as error:
            raise DataError(str(error), path=path, line=number) from None
    if document is not None:
        yield document.finish()


class _NodeDocument:
    """A document during reading."""

    def __init__(
        self,
        comments: Sequence[str],
        number: int,
        ranks: dict[str, tuple[int, ...]],
        lang: str,
        columns: bool,
    ) -> None:
        opening = next(filter(NEWDOC.fullmatch, comments), "")
        exact, loose = (pattern.fullmatch(opening) for pattern in (EXACT, NEWDOC))
        said = exact[2] if exact else loose and loose[1]
        self.name: str = said or f"document {number}"
        parts = [m[2] for m in map(EXACT.fullmatch, comments) if m and m[1] == "part"]
        self.part = int(parts[0]) if parts and re.fullmatch(r"-?\d{1,18}", parts[0]) else 0
        self.number, self._ranks = number, ranks
        self.lang, self.rows, self._columns = lang, dict[int, str](), columns
        self.tokens = 0
        self.sentences: list[str] = []
        self._entities: dict[str, list[NodeMention]] = {}
        self._header = _Header.parse(HEADER)

    def add_sentence(self, rows: Sequence[str], header: str | None) -> str | None:
        """Add the mentions of a sentence, and return the header, guessed at the first mention.

        Raises `RowError`, or `EntityError` with the row as its node.
        """
        # First, the nodes; without empty ones, as most sentences are, several times as fast.
        number = len(self.sentences)
        places, forms, cells, at = _read_words(rows, number) or _read_rows(rows, number)
        if self._columns:
            self.rows.update(zip(places, map(rows.__getitem__, at), strict=True))
        self.sentences.append("\t".join(forms))
        self.tokens += len(forms)
        if not cells:
            return header
        header = header or corefud_entity.guess_header(cells.values())
        if header != self._header.text:
            self._header = _Header.parse(header)
        fields = self._header
        # Second, the brackets of `Entity` become spans of nodes, counted from the sentence's first.
        where = f"document {self.name}, sentence {number + 1}"

        def fault(error: EntityError) -> None:
            drop(error.kind, EntityError(str(error), at[error.node]), where)

        spans = corefud_entity.parse_cells(cells.items(), fields.name, fault)
        # Third, each span becomes a mention of places in the document. Nested mentions repeat
        # words: their sum is bounded, for it may grow with the square of the sentence.
        size = 0
        for span in spans:
            name, attributes, parts = span
            start, end = parts[0]
            nodes: Sequence[int] = range(start, end)
            if len(parts) > 1:
                nodes = sorted({node for start, end in parts for node in range(start, end)})
            words = tuple(places[start:end] if len(parts) == 1 else [places[n] for n in nodes])
            size += len(words)
            if size > _MOST_WORDS:
                raise RowError(f"mentions of over {_MOST_WORDS:,} words in a sentence", at[0])
            values = attributes.split("-")[1:]
            headed = nodes[_find_head(span, values, fields.head, len(words), at[nodes[0]])]
            zero = places[headed] & (1 << BITS) - 1 > 0
            mention = NodeMention(
                words,
                places[headed],
                zero,
                _parse_deps(rows[at[headed]], len(self.sentences) - 1, at[headed])
                if zero
                else _NO_DEPS,
            )
            self._entities.setdefault(name, []).append(mention)
        return header

    def finish(self) -> ScoredDocument:
        """Return the document, entities and mentions in the order of rule 4."""
        ranks: dict[str, tuple[int, ...]] = {} if self._header.by_document else self._ranks
        for name, mentions in self._entities.items():
            mentions.sort(key=_text_order)
            ranks.setdefault(name, (self.number, *_text_order(mentions[0])))
        clusters: list[list[Hashable]] = [
            [*self._entities[name]]
            for name in sorted(self._entities, key=lambda name: (ranks[name], name))
        ]
        return ScoredDocument(
            self.name,
            self.part,
            self.tokens,
            clusters,
            sentences=self.sentences,
            rows=self.rows,
            lang=self.lang,
        )


@dataclass(frozen=True, slots=True)
class _Header:
    """The places of `# global.Entity`: of an entity's name, and of the head among the rest.

    It is -1 where there is none. `by_document`: names hold within a document alone.
    """

    text: str
    name: int
    head: int
    by_document: bool

    @classmethod
    def parse(cls, text: str) -> _Header:
        """Find the places of the name and of the head in `# global.Entity`."""
        fields = text.split("-")
        name = corefud_entity.find_name_place(text)
        rest = [field for place, field in enumerate(fields) if place != name]
        head = rest.index("head") if "head" in rest else -1
        return cls(text, name, head, "GRP" in fields)


def _text_order(mention: NodeMention) -> tuple[int, int, int]:
    words = mention.words
    return words[0], -len(words), words[-1]


_Nodes = tuple[list[int], list[str], dict[int, str], list[int]]
"""Of a sentence: the places of its nodes, the forms of its words, and the `Entity` and the rows of
its nodes."""


def _read_words(rows: Sequence[str], sentence: int) -> _Nodes | None:
    """Read a sentence without empty nodes, as most are; None where a row is anything else."""
    if {row.count("\t") for row in rows} != {9}:
        return None
    heads = [row.split("\t", 2) for row in rows]
    at = [number for number, head in enumerate(heads) if "-" not in head[0]]
    if [heads[number][0] for number in at] != _NUMBERS[: len(at)]:
        return None
    if not all(_RANGE.fullmatch(head[0]) for head in heads if "-" in head[0]):
        return None
    cells = {}
    for node, number in enumerate(at):
        if "Entity=" in rows[number] and (cell := _find_entity(rows[number])) is not None:
            cells[node] = cell
    places = range(place(sentence, 1), place(sentence, len(at) + 1), 1 << BITS)
    return list(places), [heads[number][1] for number in at], cells, at


def _find_entity(row: str) -> str | None:
    """Return the value of `Entity`, the last where a row has several."""
    misc = "|" + row.rpartition("\t")[2]
    _, found, value = misc.rpartition("|Entity=")
    return value.partition("|")[0] if found else None


def _read_rows(rows: Sequence[str], sentence: int) -> _Nodes:
    """Read any sentence row by row. Raises `RowError`."""
    places: list[int] = []
    forms: list[str] = []
    cells: dict[int, str] = {}
    at: list[int] = []
    count = 0
    base = last = place(sentence, 0)
    for number, row in enumerate(rows):
        if (tabs := row.count("\t")) != 9:
            raise RowError(f"{tabs + 1} columns, CoNLL-U has 10", number)
        name, form, _ = row.split("\t", 2)
        if name == str(count + 1):
            count += 1
            last = base + (count << BITS)
            forms.append(form)
        elif "-" in name and _RANGE.fullmatch(name):
            continue
        else:
            node = _NODE.fullmatch(name)
            here = place(sentence, int(node[1]), int(node[2])) if node and node[2] else 0
            if node is None or int(node[1]) != count or here <= last:
                raise RowError(f"ID {name[:20]!r} where {count + 1} was expected", number)
            last = here
        if "Entity=" in row and (cell := _find_entity(row)) is not None:
            cells[len(places)] = cell
        places.append(last)
        at.append(number)
    if count >> BITS:
        raise RowError(f"a sentence of {count:,} words", len(rows) - 1)
    return places, forms, cells, at


def _find_head(span: Span, values: Sequence[str], at: int, size: int, row: int) -> int:
    """Return the index of the head among the mention's nodes."""
    if at < 0 or size == 1:
        return 0
    said = values[at] if at < len(values) and values[at] else "1"
    if not (said.isdecimal() and said.isascii() and len(said) < 10 and int(said) <= size):
        raise RowError(
            f"{said[:20]!r} is the head of a mention of {size} nodes, of entity {span.entity}", row
        )
    return max(0, int(said) - 1)


def _parse_deps(row: str, sentence: int, number: int) -> frozenset[tuple[int, str]]:
    """Parse the DEPS of a row to places and relations. Raises `RowError`."""
    said = row.split("\t")[8]
    found = []
    for one in said.split("|") if said != "_" else ():
        parent, _, relation = one.partition(":")
        node = _NODE.fullmatch(parent)
        if node is None:
            raise RowError(f"DEPS {said[:40]!r} is no list such as 4:nsubj|7:obj", number)
        found.append((place(sentence, int(node[1]), int(node[2] or 0)), relation))
    return frozenset(found)
