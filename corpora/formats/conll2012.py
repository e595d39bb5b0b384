r"""CoNLL-2012: a word a line, coreference as brackets in the last column.

1. A document opens with `#begin document (NAME); part 000` and closes with `#end document`. The
   part may be written with fewer digits (LitBank's `part 0`) or be missing. An empty line closes a
   sentence; one with blanks alone is empty.
2. Columns are separated by tabs, or by runs of blanks in lines without a tab. Which they are is
   decided by conll_columns.py: in OntoNotes, from the left, document, part, number of the word in
   its sentence, form, part of speech, parse bit, lemma, frameset, sense, speaker, named entity,
   then one for each predicate's arguments; the last is the coreference. A line that begins with #
   is a comment, unless its first cell is the document's name or the second of two is brackets.
   Rows of CoNLL-U's contractions and empty nodes are left out, and counted.
3. `-` is an empty value (`_` in LitBank), `*` an empty one of columns of stars (rule 9). A
   part of speech or lemma that is itself such a cell reads as none.
4. Brackets are those of brackets.py. They must close within the sentence.
5. Clusters come in order of their first bracket, as rule 4 of brackets.py has it, mentions in order
   of the text. The writer numbers
   the clusters from 0 in that order unless `meta` has as many numbers. It refuses duplicate spans,
   mentions of one cluster that cross, parts, zero mentions and clusters without a mention.
6. `meta["conll"]` holds the values that a `Document` has no field for: `ids` (the clusters'
   numbers, where they are not 0, 1, 2 ...), `comments` ([index of the sentence before which it
   stands, line], -1 for those before the document), and `sentences`: by the sentence's index its
   other columns by name, cells joined by tabs. The writer makes twelve columns between tabs, and
   one more for each predicate, whatever the file had.
7. Not written are `lang`, other `meta`, and a token's `upos`, `feats`, `head`, `deprel` and
   `space_after`, for which there are no columns.
8. OntoNotes as it is given to anyone has `[WORD]` for each form: such files are refused.
9. Named entities are a column of stars: `(ORG*` is the first word of a span, `*)` its last, `(ORG)`
   is a span of one word and `*` is a word where nothing begins or ends, be it within a span or not.
   As tags, `B-ORG` is a span's first word and `I-ORG` each further one; no tag is `None`. Nested
   spans have no tags.

The key and response files of the event scorers have a line for each mention, and no words:
K1. One document: `#begin document (ECB+/ecbplus_all); part 000`, the mentions, `#end document`.
K2. A mention is the document's name, a tab and its cluster's number in brackets: `(12)`. Nothing
    says where it stands; the mentions of a key and a response are those of the same place.
K3. Clusters are numbered from 0 as they first appear. The reader takes any whole number.
K4. Several documents may follow each other; an empty line means nothing. The published files have
    no newline after the last `#end document`, and neither has ours.
    `a<TAB>12`, `a<TAB>(12`, `a<TAB>(1)|(2)` and `a<TAB>-` are errors.
K5. Read, a mention is a sentence of one token `_`. The writer takes any document's mentions in the
    order of the text, the longer one first, and leaves its words out.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import repeat
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.formats import bad_mentions, brackets
from corefmill.corpora.formats.brackets import (
    BEGIN,
    EMPTY,
    END,
    HIDDEN,
    BracketError,
    Named,
    begin_line,
    first_bracket,
    parse_name,
)
from corefmill.corpora.formats.conll_columns import (
    COLUMNS,
    COREF,
    VALUES,
    ColumnLayout,
    find_layout,
    parse_columns,
)
from corefmill.corpora.formats.form import Format, write_documents
from corefmill.corpora.records import Document, Mention, Sentence, Token

_log = logging.getLogger(__name__)

_STAR_CELL = re.compile(r"(?:\(([^()*\s]+))?(\*?)(\)?)")
_STAR_TAG = re.compile(r"([BI])-([^()*\s]+)")


def read_star_column(cells: Sequence[str]) -> list[str | None] | None:
    """Read a column of stars as B- and I- tags; None for other columns or nested spans."""
    found: list[str | None] = []
    label: str | None = None
    for cell in cells:
        match = _STAR_CELL.fullmatch(cell)
        if match is None or not (match[2] or (match[1] and match[3])):
            return None
        if match[1]:
            if label is not None:
                return None
            label = match[1]
            found.append(f"B-{label}")
        else:
            found.append(label and f"I-{label}")
        if match[3]:
            if label is None:
                return None
            label = None
    return found if label is None else None


def make_star_column(words: Sequence[str | None]) -> list[str]:
    """Write B- and I- tags as a column of stars. Raises `ValueError` for other tags."""
    cells: list[str] = []
    label: str | None = None
    for tag in words:
        match = None if tag is None or tag == "O" else _STAR_TAG.fullmatch(tag)
        if match is None and tag not in (None, "O"):
            raise ValueError(f"the named entity's tag {tag!r} is neither B-X nor I-X")
        # A span goes on with I- of its own label alone; anything else closes it at the word before.
        if match is not None and match[1] == "I" and match[2] == label:
            cells.append("*")
            continue
        if label is not None:
            cells[-1] = _close_star(cells[-1])
        label = match and match[2]
        cells.append("*" if label is None else f"({label}*")
    if label is not None:
        cells[-1] = _close_star(cells[-1])
    return cells


def _close_star(cell: str) -> str:
    return cell[:-1] + ")" if cell != "*" else "*)"


_INTEGER = re.compile(r"0|[1-9][0-9]{0,17}")
_ID = re.compile(r"[^()| \t\n\0]+")
Cells = list[str]


class TokenPool(dict[tuple[str, str | None, str | None, str | None], Token]):
    """Tokens by form, part of speech, lemma and entity; equal ones are one object."""

    def __missing__(self, key: tuple[str, str | None, str | None, str | None]) -> Token:
        form, xpos, lemma, ner = key
        token = self[key] = Token(form, lemma=lemma, xpos=xpos, ner=ner)
        return token


Fault = Callable[[str, DataError], None]
"""Takes the checker's code of a fault, and the fault; may raise it."""


_CODES = {"malformed": "E209", "unopened": "E205", "unclosed": "E206", "bare": "W210"}
_KINDS = {
    "E209": bad_mentions.MALFORMED,
    "E205": bad_mentions.UNOPENED,
    "E206": bad_mentions.UNCLOSED,
}
"""The kinds of bad mentions, by the checker's code."""


def _raise(code: str, error: DataError) -> None:
    """Raise a fault; leave a bad mention out where that is allowed, and report a bare number."""
    if code == "W210":
        bad_mentions.report_bare(error.path or "")
    elif code in _KINDS:
        bad_mentions.drop(_KINDS[code], error)
    else:
        raise error


@lru_cache
def _report_rows(path: Path, count: int) -> None:
    """Report the rows of a file that are no words, once for a file that is read twice."""
    _log.warning("%s: %s rows such as 8-9 and 8.1 are no words, and were left out", path, count)


class DocumentReader:
    """Takes the lines of one document in turn; `row` and `other_line` tell `fault` their errors.

    With a `fault` that does not raise, `places` are the lines of the tokens of each sentence, and
    rows of another width than their sentence's first are left out.
    """

    def __init__(
        self,
        path: Path,
        line: int,
        name: tuple[str, int],
        tokens: TokenPool,
        fault: Fault,
        layout: ColumnLayout,
    ) -> None:
        self.path, self.line, self.tokens, self.fault = path, line, tokens, fault
        self.layout, self._standard = layout, layout.standard
        self.name, self.part = name
        self.comments: list[list[Any]] = []
        self.left_out = 0  # rows that are no words
        self.places: list[list[int]] = []
        self._blank = "-" if layout.standard else "_"
        self._unclosed: set[str] = set()  # entities with a mention that was left out
        self._rows: list[str] = []
        self._lines: list[int] = []  # where in the file each row stands
        self._sentences: list[Sentence] = []
        self._columns_kept: dict[str, dict[str, str]] = {}
        self._clusters: dict[str, list[Mention]] = {}

    def row(self, line: str, number: int) -> None:
        """Take a line of a sentence's table."""
        self._rows.append(line)
        self._lines.append(number)

    def other_line(self, line: str, number: int) -> None:
        """Take an empty line, or one with a blank or # in front (see rule 2)."""
        if not line.strip(" \t"):
            self._end_sentence()
            return
        cells = line.split("\t" if "\t" in line else None)
        brackets_alone = len(cells) == 2 and (cells[1] in EMPTY or cells[1].strip("()") != cells[1])
        if line[0] == "#" and cells[0] != self.name and not brackets_alone:
            self.comments.append([len(self._sentences), line])
        else:
            self.row(line, number)

    def document(self, lang: str) -> Document:
        """Make the document after its last line."""
        self._end_sentence()
        for mentions in self._clusters.values():
            mentions.sort(key=lambda m: (m.sentence, m.start, m.end))
        named = sorted(self._clusters.items(), key=lambda item: first_bracket(item[1]))
        clusters = tuple(tuple(mentions) for _, mentions in named)
        ids = [int(name) if _INTEGER.fullmatch(name) else name for name, _ in named]
        kept = {
            "ids": ids if ids != list(range(len(ids))) else None,
            "comments": self.comments,
            "sentences": self._columns_kept,
        }
        meta = {key: value for key, value in kept.items() if value}
        return Document(
            doc_id=self.name,
            part=self.part,
            lang=lang,
            sentences=tuple(self._sentences),
            clusters=clusters,
            meta={"conll": meta} if meta else {},
        )

    def _end_sentence(self) -> None:
        """Make a sentence of the rows so far: tokens, mentions, and columns kept in meta."""
        if not self._rows:
            return
        columns, last = self._columns()
        if not last:  # no row was of any use
            self._rows, self._lines = [], []
            return
        # OntoNotes' skeletons have the annotation, and no words.
        forms = columns["form"]
        if forms[0] == HIDDEN and forms.count(HIDDEN) == len(forms):
            raise DataError(
                "the words are hidden behind [WORD]: a skeleton file of OntoNotes",
                path=self.path,
                line=self._lines[0],
                remedy="make *_conll of *_skel by skeleton2conll, with the words of the OntoNotes "
                "release that the LDC licenses (LDC2013T19)",
            )
        if self.layout.cut and any("#" in form for form in forms):
            columns["analysis"] = forms
            forms = [form.partition("#")[0] or form for form in forms]
        # LitBank's `_` is an empty value where its first row has that mark and no dash.
        if not self._sentences and self._standard:
            first = {columns[name][0] for name in VALUES if name in columns}
            self._blank = "_" if "_" in first and "-" not in first else "-"
        # What a sentence and its tokens have a field for, and the columns that are left.
        speaker, tags = None, None
        kept: dict[str, str] = {}
        for name, cells in columns.items():
            if name in ("form", "xpos", "lemma") or self._says_nothing(name, cells):
                continue
            if name == "speaker" and cells.count(cells[0]) == len(cells):
                speaker = cells[0]
            elif (
                name == "ner"
                and (read := read_star_column(cells))
                and make_star_column(read) == cells
            ):
                tags = read
            else:
                kept[name] = "\t".join(cells)
        values = (forms, self._values(columns, "xpos"), self._values(columns, "lemma"))
        tokens = map(self.tokens.__getitem__, zip(*values, tags or repeat(None), strict=False))
        self._add_mentions(last)
        if kept:
            self._columns_kept[str(len(self._sentences))] = kept
        self._sentences.append(Sentence(tuple(tokens), speaker))
        if self.fault is not _raise:
            self.places.append(self._lines)
        self._rows, self._lines = [], []

    def _columns(self) -> tuple[dict[str, Cells], Cells]:
        """Cut the rows into columns by name, and the coreference column."""
        rows = self._rows
        table: list[Cells] = []
        # A table between tabs alone, as most are, is cut at once, several times as fast.
        if "\t" in rows[0]:
            width = rows[0].count("\t") + 1
            cells = "\t".join(rows).split("\t")
            last = cells[width - 1 :: width]
            if all(row.count("\t") == width - 1 for row in rows) and " " not in "".join(last):
                table = [cells[j::width] for j in range(width)]
        if not table:
            whole = self._whole_rows()
            if not whole:
                return {}, []
            table = list(map(list, zip(*whole, strict=True)))
        try:
            places = self.layout.find(len(table))
        except ValueError as error:
            raise DataError(str(error), path=self.path, line=self._lines[0]) from None
        columns = {name: table[at] for name, at in places.items()}
        if not self._standard and "number" in columns:
            self._drop_nodes(columns)
        return columns, columns.pop(COREF)

    def _whole_rows(self) -> list[Cells]:
        """Cut the rows at blanks, without those of another width than the sentence's first."""
        table = [list(filter(None, row.replace("\t", " ").split(" "))) for row in self._rows]
        width = len(table[0])
        if width > 1 and set(map(len, table)) == {width}:
            return table
        whole = []
        for cells, line in zip(table, self._lines, strict=True):
            if len(cells) == width > 1:
                whole.append((cells, line))
                continue
            error = DataError(
                f"{len(cells)} columns where the sentence begins with {width}"
                if len(cells) != width
                else "one column, where a form and brackets were expected",
                path=self.path,
                line=line,
                remedy="columns are separated by tabs or by runs of blanks",
            )
            self.fault("E207", error)
        self._lines = [line for _, line in whole]
        return [cells for cells, _ in whole]

    def _drop_nodes(self, columns: dict[str, Cells]) -> None:
        """Leave out CoNLL-U's contractions (8-9) and empty nodes (8.1), which are no words."""
        numbers = columns["number"]
        words = [at for at, number in enumerate(numbers) if number.isdigit()]
        if len(words) == len(numbers):
            return
        for at in set(range(len(numbers))) - set(words):  # order: each is told by its line
            if columns[COREF][at] not in EMPTY:
                error = DataError(
                    f"a mention at {numbers[at]!r}, which is a contraction or an empty node",
                    path=self.path,
                    line=self._lines[at],
                    remedy=bad_mentions.REMEDY,
                )
                self.fault("E209", error)
        self.left_out += len(numbers) - len(words)
        self._lines = [self._lines[at] for at in words]
        for name, cells in columns.items():
            columns[name] = [cells[at] for at in words]

    def _says_nothing(self, name: str, cells: Cells) -> bool:
        """Tell whether a column is the writer's default and need not be kept in meta."""
        if name == "number":
            first = 0 if self._standard else int(cells[0] == "1")
            return cells == list(map(str, range(first, first + len(cells))))
        if not self._standard and EMPTY.issuperset(cells):
            return True
        if name.startswith(("ner", "srl")):
            return EMPTY.issuperset(cells)
        usual = {"document": self.name, "part": str(self.part)}.get(name, self._blank)
        return cells.count(usual) == len(cells)

    def _values(self, columns: dict[str, Cells], name: str) -> Any:
        """Return a column with None for empty cells, or endless None for a missing column."""
        cells = columns.get(name)
        if cells is None:
            return repeat(None)
        blank = self._blank
        return [None if cell == blank else cell for cell in cells] if blank in cells else cells

    def _add_mentions(self, last: Cells) -> None:
        """Add the mentions in the brackets of the last column to their clusters."""
        number = len(self._sentences)
        lenient = bad_mentions.is_lenient()

        def fault(error: BracketError) -> None:
            """Report a bracket's error with the document and the line."""
            # What opened in an earlier sentence, and was left out there, is closed here.
            if error.kind == "unopened" and error.entity in self._unclosed and lenient:
                self._unclosed.remove(error.entity)
                return
            if error.kind == "unclosed":
                self._unclosed.add(error.entity)
            named = DataError(
                f"document {self.name or 'without a name'}: {error.problem}",
                path=self.path,
                line=self._lines[error.start],
                remedy="corefmill check lists all brackets that do not match; "
                + bad_mentions.REMEDY,
            )
            self.fault(_CODES[error.kind], named)

        for name, start, end in brackets.parse(last, fault):
            self._clusters.setdefault(name, []).append(Mention(number, start, end))


def _document_lines(document: Document) -> Iterator[str]:
    """Yield the lines of a document. Raises `ValueError` beyond CoNLL-2012."""
    meta: dict[str, Any] = document.meta.get("conll", {})
    begin = begin_line(document.doc_id, document.part)
    said = BEGIN.fullmatch(begin)
    if "\0" in begin or not said or parse_name(said[1]) != (document.doc_id, document.part):
        raise ValueError("the name of the document cannot stand in a line")
    comments: dict[int, list[str]] = {}
    for place, comment in meta.get("comments", []):
        if (
            not comment.startswith("#")
            or "\n" in comment
            or BEGIN.match(comment)
            or END.match(comment)
        ):
            raise ValueError("meta.conll has a comment that does not begin with #")
        comments.setdefault(place, []).append(comment)
    mentions = _name_mentions(document, meta.get("ids", []))
    yield from comments.get(-1, [])
    yield begin
    for number, sentence in enumerate(document.sentences):
        yield from comments.get(number, [])
        kept = meta.get("sentences", {}).get(str(number), {})
        try:
            columns = _columns(document, sentence, kept)
            cells = brackets.make(mentions.get(number, []), len(sentence.tokens))
            columns.append(cells)
            yield from _rows(columns)
        except ValueError as error:
            raise ValueError(f"sentence {number + 1}: {error}") from None
        yield ""
    yield from comments.get(len(document.sentences), [])
    yield "#end document"


def _name_mentions(document: Document, ids: Sequence[Any]) -> dict[int, list[Named]]:
    """Name the mentions of each sentence by their clusters."""
    for cluster in document.clusters:
        if not cluster:
            raise ValueError("a cluster has no mention")
        if any(mention.zero or mention.parts for mention in cluster):
            raise ValueError("a mention is zero or discontinuous")
    clusters = document.clusters
    numbers = [str(name) for name in ids]
    if not len(numbers) == len(set(numbers)) == len(clusters) or not all(
        map(_ID.fullmatch, numbers)
    ):
        clusters = tuple(sorted(clusters, key=first_bracket))
        numbers = [str(number) for number in range(len(clusters))]
    found: dict[int, list[Named]] = {}
    for name, cluster in zip(numbers, clusters, strict=True):
        for mention in cluster:
            found.setdefault(mention.sentence, []).append((name, mention.start, mention.end))
    return found


def _columns(document: Document, sentence: Sentence, kept: dict[str, str]) -> list[list[str]]:
    """Make all columns but the last; `kept` are columns of the file without a field."""
    tokens = sentence.tokens
    size = len(tokens)
    if not size:
        raise ValueError("the sentence has no words")
    if all(token.form == HIDDEN for token in tokens):
        raise ValueError(f"the words are {HIDDEN}, as in a skeleton file")

    def fill(values: list[str | None]) -> list[str]:
        return ["-" if value is None else value for value in values]

    columns = {
        **{name: ["-"] * size for name in COLUMNS},
        "document": [document.doc_id] * size,
        "part": [str(document.part)] * size,
        "number": [str(number) for number in range(size)],
        "form": [token.form for token in tokens],
        "xpos": fill([token.xpos for token in tokens]),
        "lemma": fill([token.lemma for token in tokens]),
        "speaker": fill([sentence.speaker] * size),
        "ner": make_star_column([token.ner for token in tokens]),
    }
    predicates = [int(name[3:]) for name in kept if name.startswith("srl")]
    for number in range(1, max(predicates, default=0) + 1):
        columns[f"srl{number}"] = ["*"] * size
    for name in columns.keys() & kept.keys() - {"form"}:  # order: each has its own place
        columns[name] = kept[name].split("\t")
    return list(columns.values())


def _rows(columns: list[list[str]]) -> list[str]:
    """Make the lines of a sentence's table."""
    rows = ["\t".join(cells) for cells in zip(*columns, strict=True)]
    text = "".join(rows)
    if any(row.count("\t") != len(columns) - 1 for row in rows) or "\n" in text or "\0" in text:
        raise ValueError("a value is empty, or holds white space that would split it")
    if any(not row.strip() or BEGIN.match(row) or END.match(row) for row in rows):
        raise ValueError("a row would be read as another kind of line")
    return rows


_MOST_TOKENS = 500_000
"""Different tokens that are kept to be used again."""


def read(
    path: Path, lang: str, fault: Fault = _raise, columns: ColumnLayout | None = None
) -> Iterator[tuple[int, Document]]:
    """Stream the documents of a CoNLL-2012 file by part, each with the number of its first line.

    `columns` are those that the user names, else they are found by their content. With them, what
    stands outside of documents is a document named by the file.

    Raises `DataError` with the line of what breaks rules 1, 2, 4 or 8. A `fault` that does not
    raise is given each error of rules 1, 2 and 4 instead; a document's meta is then its `rows`, the
    lines of its tokens by sentence.
    """

    def report(message: str, line: int, remedy: str | None = None) -> None:
        fault("E208", DataError(message, path=path, line=line, remedy=remedy))

    left_out = 0

    def finish(reader: DocumentReader) -> tuple[int, Document]:
        nonlocal left_out
        made = reader.document(lang)
        left_out += reader.left_out
        return reader.line, made if fault is _raise else replace(made, meta={"rows": reader.places})

    layout = columns or find_layout(path)
    tokens = TokenPool()
    document: DocumentReader | None = None
    opened = True  # by a line of its own
    before: list[str] = []  # comments between documents
    number = 0
    for number, line in disk.read_lines(path, sentences=True):
        if document is not None and line and line[0] not in "# \t":
            document.row(line, number)
        elif begin := line.startswith("#") and BEGIN.fullmatch(line):
            if document is not None:
                if opened:
                    report("a document begins in another", number)
                yield finish(document)
            opened = True
            if len(tokens) > _MOST_TOKENS:
                tokens.clear()
            document = DocumentReader(path, number, parse_name(begin[1]), tokens, fault, layout)
            document.comments += [[-1, comment] for comment in before]
            before = []
        elif document is None:
            if line.startswith("#") and END.match(line):
                report("a document ends that never began", number)
            elif line.startswith("#"):
                before.append(line)
            elif line.strip() and columns:
                document = DocumentReader(path, number, (path.stem, 0), tokens, fault, layout)
                document.row(line, number)
                opened = False
            elif line.strip():
                opening = "a line '#begin document (NAME); part 000' opens one"
                report("a line outside a document", number, opening)
                document = DocumentReader(path, number, ("", 0), tokens, fault, layout)
                document.row(line, number)
        elif line.startswith("#") and END.match(line):
            yield finish(document)
            document = None
        else:
            document.other_line(line, number)
    if document is not None:
        if opened:
            report("cut off within a document: its '#end document' is missing", number)
        yield finish(document)
    if left_out:
        _report_rows(path, left_out)


def with_columns(text: str) -> Format:
    """Make the format for tables with the columns of --columns. Raises `UsageError`."""
    return replace(FORMAT, read=partial(read, columns=parse_columns(text)))


def write(path: Path, documents: Iterable[Document]) -> int:
    """Write the documents, whole or not at all, and return their number.

    Raises `DataError` for a document that brackets and columns cannot carry (rule 5).
    """

    def encode(document: Document) -> str:
        made = list(_document_lines(document))
        if any(line.endswith("\r") for line in made):
            raise ValueError("a line would end in a carriage return, read as part of the line end")
        return "".join(f"{line}\n" for line in made)

    return write_documents(path, documents, encode, "CoNLL-2012")


FORMAT = Format(
    name="conll2012",
    schema="document/1",
    summary="CoNLL-2012: OntoNotes, LitBank, OntoGUM, WinoBias, predictions",
    suffix=".conll",
    read=read,
    write=write,
    suits=lambda name, head: (
        re.search(r"(?m)^#\s*begin document", head) is not None and "\n# masked {" not in head
    ),
)


_KEY_BEGIN = re.compile(r"#begin document \((.*)\); part ([0-9]{1,9})")
_KEY_MENTION = re.compile(r"(\S+)\t\(([0-9]+)\)")
_WORD = Sentence((Token("_"),))


def read_key(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Stream the documents of an event scorers' key. Raises `DataError` by rules K1, K2, K4."""
    begin: re.Match[str] | None = None
    first = mentions = number = 0
    clusters: dict[str, list[Mention]] = {}
    for number, line in disk.read_lines(path):
        bare = line.rstrip()
        if opening := _KEY_BEGIN.fullmatch(bare):
            if begin:
                raise DataError("a document opens in another", path=path, line=number)
            begin, first, mentions, clusters = opening, number, 0, {}
        elif not bare:
            continue
        elif begin is None:
            raise DataError(
                "'#begin document (NAME); part 000' was expected", path=path, line=number
            )
        elif bare == "#end document":
            sentences, found = (_WORD,) * mentions, tuple(map(tuple, clusters.values()))
            yield first, Document(begin[1], int(begin[2]), lang, sentences, found)
            begin = None
        elif mention := _KEY_MENTION.fullmatch(bare):
            clusters.setdefault(mention[2].lstrip("0"), []).append(Mention(mentions, 0, 1))
            mentions += 1
        else:
            raise DataError(
                f"not a name, a tab and a cluster such as (12), but {line[:40]!r}",
                path=path,
                line=number,
            )
    if begin:
        raise DataError("cut off within a document", path=path, line=number)


def write_key(path: Path, documents: Iterable[Document]) -> int:
    """Write documents as a key of the event scorers and return their number."""
    count = 0
    with replacing(path) as out:
        for document in documents:
            name = re.sub(r"\s", "_", document.doc_id) or "_"
            if "\0" in name:
                raise DataError(f"document {name!r}: a NUL byte in its name", path=path)
            rows = sorted(
                (mention.sentence, mention.start, -mention.end, number)
                for number, cluster in enumerate(document.clusters)
                for mention in cluster
            )
            out.write(b"\n" * bool(count))
            out.writelines(_key_lines(name, document.part, (cluster for *_, cluster in rows)))
            count += 1
    return count


def write_clusters(path: Path, name: str, clusters: Iterable[Hashable]) -> None:
    """Write the clusters of mentions in order as a key of one document; no blanks in its name."""
    with replacing(path) as out:
        out.writelines(_key_lines(name, 0, clusters))


def _key_lines(name: str, part: int, clusters: Iterable[Hashable]) -> Iterator[bytes]:
    """Yield the lines of one document of a key, numbering its clusters."""
    numbers: dict[Hashable, int] = {}
    yield f"#begin document ({name}); part {part:03}\n".encode()
    for cluster in clusters:
        yield f"{name}\t({numbers.setdefault(cluster, len(numbers))})\n".encode()
    yield b"#end document"


def _suits_key(name: str, head: str) -> bool:
    """Recognize a key of the event scorers by its first two lines."""
    begin, _, rest = head.partition("\n")
    opened = _KEY_BEGIN.fullmatch(begin.rstrip())
    first = _KEY_MENTION.fullmatch(rest.partition("\n")[0].rstrip())
    # Any word may stand in the first of two columns of CoNLL.
    return opened is not None and first is not None and opened[1] == first[1]


KEY = Format(
    name="event-key",
    schema="document/1",
    summary="key or response of the event scorers: a cluster number a mention, and no words",
    suffix=".conll",
    read=read_key,
    write=write_key,
    suits=_suits_key,
)
