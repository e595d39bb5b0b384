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
   part of speech or lemma that is itself such a cell reads as none.
4. Brackets are those of brackets.py. They must close within the sentence.
5. Clusters come in order of their first bracket, mentions in order of the text. The writer numbers
   the clusters from 0 in that order unless `meta` has as many numbers. It refuses duplicate spans,
   mentions of one cluster that cross, parts, zero mentions and clusters without a mention.
6. `meta["conll"]` holds the values that a `Document` has no field for: `ids` (the clusters'
   numbers, where they are not 0, 1, 2 ...), `unsorted` (where mentions that begin at one word do
   not open as rule 4 of brackets.py has it, the longest first), `comments` ([index of the sentence
   before which it stands, line], -1 for those before the document), and `sentences`: by the
   sentence's index its other columns by name, cells joined by tabs. The writer makes twelve
   columns between tabs, and one more for each predicate, whatever the file had.
7. Not written are `lang`, other `meta`, and a token's `upos`, `feats`, `head`, `deprel` and
   `space_after`, for which there are no columns.
8. OntoNotes as it is given to anyone has `[WORD]` for each form: such files are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import conll_writer
from corefmill.corpora.formats.conll_reader import DocumentReader, TokenPool
from corefmill.corpora.formats.conll_table import BEGIN, END, name_of
from corefmill.corpora.formats.form import Format, write_documents
from corefmill.corpora.records import Document

_MOST_TOKENS = 500_000
"""Different tokens that are kept to be used again."""


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Streams the documents (parts of them, to be exact) with the line at which each begins.

    Raises `DataError` with the line of what breaks rules 1, 2, 4 or 8.
    """
    tokens = TokenPool()
    document: DocumentReader | None = None
    before: list[str] = []  # comments between documents
    number = 0
    for number, line in lines.read(path, sentences=True):
        if document is not None and line and line[0] not in "# \t":
            document.row(line, number)
        elif begin := line.startswith("#") and BEGIN.fullmatch(line):
            if document is not None:
                raise DataError("a document begins in another", path=path, line=number)
            if len(tokens) > _MOST_TOKENS:
                tokens.clear()
            document = DocumentReader(path, number, name_of(begin[1]), tokens)
            document.comments += [[-1, comment] for comment in before]
            before = []
        elif document is None:
            if line.strip() and line[0] != "#":
                raise DataError(
                    "a line outside a document",
                    path=path,
                    line=number,
                    remedy="a line '#begin document (NAME); part 000' opens one",
                )
            before += [line] if line.strip() else []
        elif line.startswith("#") and END.match(line):
            yield document.line, document.document(lang)
            document = None
        else:
            document.other_line(line, number)
    if document is not None:
        raise DataError(
            "cut off within a document: its '#end document' is missing", path=path, line=number
        )


def write(path: Path, documents: Iterable[Document]) -> int:
    """Writes the documents, whole or not at all, and returns how many there were.

    Raises `DataError` for a document that brackets and columns cannot carry (rule 5).
    """
    return write_documents(path, documents, _text, "CoNLL-2012")


def _text(document: Document) -> str:
    return "".join(f"{line}\n" for line in conll_writer.lines(document))


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
