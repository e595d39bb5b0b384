r"""CoNLL-2012: a word a line, coreference as brackets in the last column.

1. A document opens with `#begin document (NAME); part 000` and closes with `#end document`. The
   part may be written with fewer digits (LitBank's `part 0`) or be missing. An empty line closes a
   sentence; one with blanks alone is empty.
2. Columns are separated by tabs, or by runs of blanks in lines without a tab. From the left they
   are: document, part, number of the word in its sentence, form, part of speech, parse bit, lemma,
   frameset, sense, speaker, named entity, then one for each predicate's arguments; the last is the
   coreference. Files with fewer have the first of these and the last; with four columns document,
   number, form; with three number, form; with two the form. A line that begins with # is a
   comment, unless its first cell is the document's name or the second of two is brackets.
3. `-` is an empty value (`_` in LitBank), `*` an empty one of columns of stars (see stars.py). A
   part of speech or lemma that is itself such a mark reads as none.
4. Brackets are those of brackets.py. They must close within the sentence. What is not written as
   the writer would, `(1)|(2` say, stands in `meta`.
5. Clusters come in order of their first bracket, mentions in order of the text. The writer numbers
   the clusters from 0 in that order unless `meta` has as many numbers. It refuses duplicate spans,
   mentions of one cluster that cross, parts, zero mentions and clusters without a mention.
6. `meta["conll"]` holds what a `Document` has no place for, and only where it is not what the
   writer would write anyway: `begin` and `end` (these lines), `blank`, `star` and `none` (the
   marks of rule 3 and of the last column), `width` (the number of columns), `ids` (the clusters'
   numbers), `before` (lines before the document), `comments` ([number of the sentence before which
   it stands, line]; further empty lines too), `unclosed` (no empty line after the last sentence),
   and `sentences`: by the sentence's number its other columns by name, cells joined by tabs,
   `brackets` by the word's number, `layout` (see blanks.py) and `width`.
7. Not written are `lang`, other `meta`, and a token's `upos`, `feats`, `head`, `deprel` and
   `space_after`, for which there are no columns.
8. OntoNotes as it is given to anyone has `[WORD]` for each form: such files are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.atomic import replacing
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import conll_writer
from corefmill.corpora.formats.conll_reader import Reader, Tokens
from corefmill.corpora.formats.conll_table import BEGIN, END
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import Document

_MOST_TOKENS = 500_000
"""Different tokens that are kept to be used again."""


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Streams the documents (parts of them, to be exact) with the line at which each begins.

    Raises `DataError` with the line of what breaks rules 1, 2, 4 or 8.
    """
    tokens = Tokens()
    reader: Reader | None = None
    rows: list[str] = []
    numbers: list[int] = []
    before: list[str] = []
    number = 0
    for number, line in lines.read(path, sentences=True):
        if reader is not None and line and line[0] not in "# \t":
            rows.append(line)
            numbers.append(number)
        elif line.startswith("#") and BEGIN.fullmatch(line):
            if reader is not None:
                raise DataError("a document begins in another", path=path, line=number)
            if len(tokens) > _MOST_TOKENS:
                tokens.clear()
            reader = Reader(path, number, line, tokens)
            if before:
                reader.meta["before"], before = before, []
        elif reader is None:
            if line.strip() and line[0] != "#":
                raise DataError(
                    "a line outside a document",
                    path=path,
                    line=number,
                    remedy="a line '#begin document (NAME); part 000' opens one",
                )
            before.append(line.strip() and line)
        elif line.startswith("#") and END.match(line):
            if rows:
                reader.sentence(rows, numbers)
                rows, numbers = [], []
                reader.meta["unclosed"] = True
            if line != "#end document":
                reader.meta["end"] = line
            yield reader.line, reader.document(lang)
            reader = None
        elif line.startswith("#") and reader.is_comment(line):
            reader.comment(line)
        elif line.strip(" \t"):
            rows.append(line)
            numbers.append(number)
        elif rows:
            reader.sentence(rows, numbers)
            rows, numbers = [], []
        else:
            reader.comment("")
    if reader is not None:
        raise DataError(
            "cut off within a document: its '#end document' is missing", path=path, line=number
        )


def write(path: Path, documents: Iterable[Document]) -> int:
    """Writes the documents, whole or not at all, and returns how many there were.

    Raises `DataError` for a document that brackets and columns cannot carry (rule 5).
    """
    count = 0
    with replacing(path) as out:
        for document in documents:
            try:
                out.write("".join(f"{line}\n" for line in conll_writer.lines(document)).encode())
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise DataError(
                    f"document {document.doc_id}, part {document.part}: {error}",
                    path=path,
                    remedy="CoNLL-2012 cannot carry it",
                ) from None
            count += 1
    return count


def _suits(name: str, head: str) -> bool:
    return re.search(r"(?m)^#\s*begin document", head) is not None and "\n# masked {" not in head


FORMAT = Format(
    name="conll2012",
    schema="document/1",
    summary="CoNLL-2012: OntoNotes, LitBank, OntoGUM, WinoBias, predictions",
    suffix=".conll",
    read=read,
    write=write,
    suits=_suits,
)
