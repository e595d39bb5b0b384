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

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.formats import brackets
from corefmill.corpora.formats.brackets import (
    BEGIN,
    EMPTY,
    END,
    HIDDEN,
    Named,
    begin_line,
    first_bracket,
    parse_name,
)
from corefmill.corpora.formats.conll_columns import (
    COLUMNS,
    VALUES,
    Cells,
    ColumnLayout,
    Fault,
    Opening,
    TableDocument,
    parse_columns,
    raise_or_leave_out,
    read_tables,
)
from corefmill.corpora.formats.form import Format, write_documents
from corefmill.corpora.records import Document, Mention, Sentence, Token

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
_ID = re.compile(r"[^()|* \t\n\0]+")


_MOST_TOKENS = 500_000
"""Different tokens that are kept to be used again."""


class TokenPool(dict[tuple[str, str | None, str | None, str | None], Token]):
    """Tokens by form, part of speech, lemma and entity; equal ones are one object."""

    def __missing__(self, key: tuple[str, str | None, str | None, str | None]) -> Token:
        form, xpos, lemma, ner = key
        token = self[key] = Token(form, lemma=lemma, xpos=xpos, ner=ner)
        return token


class DocumentReader(TableDocument):
    """Makes the document of a table: tokens, mentions, and columns kept in meta."""

    def __init__(self, opening: Opening, fault: Fault, layout: ColumnLayout, pool: TokenPool):
        super().__init__(opening, fault, layout)
        if len(pool) > _MOST_TOKENS:
            pool.clear()
        self._tokens = pool
        self.places: list[list[int]] = []  # the lines of the tokens of each sentence
        self._blank = "-" if layout.standard else "_"
        self._sentences: list[Sentence] = []
        self._columns_kept: dict[str, dict[str, str]] = {}
        self._clusters: dict[str, list[Mention]] = {}

    def make_document(self, lang: str) -> Document:
        """Make the document after its last line."""
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

    def add_sentence(
        self, columns: dict[str, Cells], mentions: Sequence[Named], lines: list[int]
    ) -> None:
        """Add a sentence: its tokens, its mentions, and the columns without a field."""
        # OntoNotes' skeletons have the annotation, and no words.
        forms = columns["form"]
        if forms[0] == HIDDEN and forms.count(HIDDEN) == len(forms):
            raise DataError(
                "the words are hidden behind [WORD]: a skeleton file of OntoNotes",
                path=self.path,
                line=lines[0],
                remedy="make *_conll of *_skel by skeleton2conll, with the words of the OntoNotes "
                "release that the LDC licenses (LDC2013T19)",
            )
        if self.layout.cut and any("#" in form for form in forms):
            columns["analysis"] = forms
            forms = [form.partition("#")[0] or form for form in forms]
        # LitBank's `_` is an empty value where its first row has that mark and no dash.
        if not self._sentences and self.layout.standard:
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
        tokens = map(self._tokens.__getitem__, zip(*values, tags or repeat(None), strict=False))
        number = len(self._sentences)
        for name, start, end in mentions:
            mention = Mention(number, start, end, zero=start == end)
            self._clusters.setdefault(name, []).append(mention)
        if kept:
            self._columns_kept[str(number)] = kept
        self._sentences.append(Sentence(tuple(tokens), speaker))
        self.places.append(lines)

    def _says_nothing(self, name: str, cells: Cells) -> bool:
        """Tell whether a column is the writer's default and need not be kept in meta."""
        if name == "number":
            first = 0 if self.layout.standard else int(cells[0] == "1")
            return cells == list(map(str, range(first, first + len(cells))))
        if not self.layout.standard and EMPTY.issuperset(cells):
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


def read(
    path: Path, lang: str, fault: Fault = raise_or_leave_out, columns: ColumnLayout | None = None
) -> Iterator[tuple[int, Document]]:
    """Stream the documents of a CoNLL-2012 file by part, each with the number of its first line.

    Raises `DataError` as `read_tables` does, and for rule 8. With a `fault` that does not raise,
    a document's meta is its `rows`, the lines of its tokens by sentence.
    """
    make = partial(DocumentReader, pool=TokenPool())
    for reader in read_tables(path, make, fault, columns):
        made = reader.make_document(lang)
        yield (
            reader.line,
            made if fault is raise_or_leave_out else replace(made, meta={"rows": reader.places}),
        )


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
