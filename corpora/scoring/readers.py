"""Read the clusters of CoNLL files for scoring: the coreference column, or the nodes of CoNLL-U.

The column of CoNLL-2012 is read as the reference scorer reads it, duplicates included:

1. `#begin document (NAME); part 000` opens a document, `#end document` closes it. The part may be
   `0`, or missing. A name that opens twice is an error: the reference scorer silently takes the
   last.
2. Other lines are tokens: all columns of CoNLL-2012, or two (`NAME<TAB>(12)`). Empty lines and
   comments (lines that begin with `#` and hold no tab) do not count.
3. The column is the last one, unless --columns names another. Columns are separated by tabs where
   the line has one, else by blanks. `-`, `_`, `*` and nothing at all are tokens without a bracket.
   Where nothing follows the last tab, brackets before it are read: `word<TAB>(3)<TAB>`.
4. `(3`, `3)` and `(3)` open, close, and do both; `|`, or sacr2conll's `_`, may stand between them.
   `3)` closes the last open `(3`, so that two crossing mentions of one entity are read as nested.
5. Entities are in the order in which they open, mentions in the order in which they close; within
   a cell, mentions of one token come first, then openings, then closings. The order decides which
   of two equal mentions is kept.
6. A number without a bracket is passed over where its mention is open, and reported once.

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
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.bad_mentions import (
    MALFORMED,
    REMEDY,
    UNCLOSED,
    UNOPENED,
    drop,
    report_bare,
)
from corefmill.corpora.formats.brackets import BEGIN, EMPTY, END, parse_name
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

_BRACKET = re.compile(r"\(([0-9]+)\)|\(([0-9]+)|([0-9]+)\)|([0-9]+)|[|_]")
_BARE = ("\t-", " -", "\t_", "\t*", "_\t")
"""How tokens without a bracket end, mostly; what does not end so is looked at."""


def read_columns(path: Path, coref: int = -1) -> Iterator[ScoredDocument]:
    """Stream the clusters of each document, from the coreference column of a file.

    `coref` is the column's number, from 1, or from -1 at the right. Raises `DataError`
    with the line that breaks a rule.
    """
    # The formats' reader of CoNLL-2012 will not do: it makes a record of every token, which takes
    # several times as long, and it refuses what the reference scorer reads, such as mentions over
    # an empty line, or rows of uneven width.
    document: _ColumnDocument | None = None
    for number, bare, line in _read_marked_lines(path, () if coref != -1 else _BARE):
        if document is not None:
            document.tokens += bare
        elif bare:
            raise _make_outside_error(path, number - bare)
        if not line or line.isspace():
            continue
        if line[0] == "#" and (begin := BEGIN.match(line)):
            if document is not None:
                raise DataError(
                    f"a document opens within {document.name!r}",
                    path=path,
                    line=number,
                    remedy="an '#end document' is missing before it",
                )
            document = _ColumnDocument(begin[1], path, number, coref)
        elif line[0] == "#" and END.match(line):
            if document is None:
                raise DataError("an '#end document' without its begin", path=path, line=number)
            yield document.finish()
            document = None
        elif line[0] == "#" and "\t" not in line:
            continue
        elif document is None:
            raise _make_outside_error(path, number)
        else:
            document.add_token(line, number)
    if document is not None:
        raise DataError(
            f"document {document.name!r} does not end",
            path=path,
            line=document.line,
            remedy="the file may be cut off; documents close with '#end document'",
        )


def _make_outside_error(path: Path, number: int) -> DataError:
    """Make the error for a token outside of documents."""
    return DataError(
        "a token outside of documents",
        path=path,
        line=number,
        remedy="documents open with '#begin document (NAME); part 000'",
    )


def _read_marked_lines(path: Path, ends: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """Stream lines with brackets: (number from 1, bare lines just before, line), and an empty end.

    `ends` are those of bare lines.

    Nine lines of ten are bare tokens, which are counted without a look at each.
    """
    first, block, bare = 1, list[str](), 0
    for first, block in disk.read_line_lists(path):
        last = -1
        for index in [
            index
            for index, line in enumerate(block)
            if not line.endswith(ends) or line.startswith("#")
        ]:
            yield first + index, bare + index - last - 1, block[index]
            bare, last = 0, index
        bare += len(block) - last - 1
    yield first + len(block), bare, ""


@lru_cache(maxsize=1 << 16)
def _brackets(cell: str) -> tuple[tuple[str, ...], ...] | None:
    """Parse a cell: entities of one token, opening, closing, and without a bracket; else None."""
    found = _BRACKET.findall(cell)
    if _BRACKET.sub("", cell):
        return None
    return tuple(tuple(filter(None, part)) for part in zip(*found, strict=True))


class _ColumnDocument:
    """A document during reading."""

    def __init__(self, said: str, path: Path, line: int, coref: int) -> None:
        self.coref = coref
        self.name, self.part = parse_name(said)
        self.path, self.line = path, line
        self.tokens = 0
        self._clusters: dict[str, list[Hashable]] = {}
        self._open: dict[str, list[tuple[int, int]]] = {}  # (token, line) of each, last opened last

    def add_token(self, line: str, number: int) -> None:
        """Count a token and read its brackets."""
        here = self.tokens
        self.tokens += 1
        if self.coref != -1:
            cells = line.split("\t") if "\t" in line else line.split()
            place = self.coref - (self.coref > 0)
            cell = cells[place] if -len(cells) <= place < len(cells) else ""
        else:
            cell = line.rstrip().rpartition("\t")[2] if "\t" in line else line.rsplit(None, 1)[-1]
        if cell in EMPTY:
            return
        found = _brackets(cell)
        if found is not None and found[3]:  # numbers without a bracket
            if all(one in found[1] or self._open.get(one) for one in found[3]):
                report_bare(self.path)
            else:
                found = None
        if found is None:
            if line.endswith("\t"):  # another column's, the last one being empty
                return
            self._drop(
                MALFORMED,
                f"the {'last' if self.coref == -1 else 'named'} column holds {cell[:40]!r}, which"
                " is not coreference",
                number,
                "such as -, (3, 3) or (3)|(4; --columns coref=N names another column",
            )
            return
        alone, opening, closing, _ = found
        for entity in alone:
            self._clusters.setdefault(entity, []).append((here, here + 1))
        for entity in opening:
            self._clusters.setdefault(entity, [])
            self._open.setdefault(entity, []).append((here, number))
        for entity in closing:
            if not self._open.get(entity):
                self._drop(UNOPENED, f"{entity}) closes a mention that is not open", number)
                continue
            start, _ = self._open[entity].pop()
            self._clusters[entity].append((start, here + 1))

    def finish(self) -> ScoredDocument:
        """Return the document. Raises `DataError` where a mention is still open."""
        for entity, unclosed in self._open.items():
            if unclosed:
                message = f"({entity} opens a mention that does not close before its document ends"
                for _, line in reversed(unclosed):
                    self._drop(UNCLOSED, message, line)
        # An entity of which all was left out is none.
        clusters = [mentions for mentions in self._clusters.values() if mentions]
        return ScoredDocument(self.name, self.part, self.tokens, clusters)

    def _drop(self, kind: str, message: str, line: int, remedy: str = REMEDY) -> None:
        """Raise a mention's error, or leave the mention out."""
        drop(kind, DataError(message, path=self.path, line=line, remedy=remedy))


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
