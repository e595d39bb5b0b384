"""CoNLL-U with the coreference of CorefUD, in the attribute `Entity` of the last column.

1. Ten columns separated by tabs, `_` for none; an empty line closes a sentence; lines before it
   that begin with # are its comments (https://universaldependencies.org/format.html). IDs count
   from 1; `3-4` is a multiword token over the words 3 and 4, `3.1` an empty node after word 3.
2. `# newdoc id = NAME` opens a document. What stands before the first is a document too, named
   after the file, as is one whose `# newdoc` has no name, with its number. A document that was
   named so is written again without a name if it would get the same.
3. `# part = 2` is a convention of ours for a document's part other than 0, `# speaker = X` for a
   sentence's speaker.
4. Mentions are read as corefud_entity.py says. Spans count words; where a span begins or ends at an
   empty node, the words inside count. A mention of empty nodes alone is a zero mention.
   A dropped subject is an empty node whose MISC says which word shows it (`OnVerb=4`): as a record
   has it, its mention is on that word, unless the word has a mention to itself; then it is zero.
5. A file without `Entity` makes documents without clusters.
6. Clusters come in order of their first bracket, mentions in the order of the text. The writer
   names clusters e1, e2 ... in that order, going on in the next document of a file, unless `meta`
   has as many names, and gives the first node
   whose head lies outside the mention as its `head`. It refuses duplicate spans and mentions of one
   cluster that cross in more than one node.
7. `SpaceAfter=No` and `NER=TAG` in MISC are `space_after` and `ner`; within a multiword token only
   its last word has a space after it. A value that is `_` reads as none.
8. `meta["corefud"]` holds what a `Document` has no place for, and only where the writer would not
   write it anyway: `newdoc` (the line of a document without a name, null if there was none),
   `header` (of `# global.Entity`), `ids` (names of the clusters), `attributes` (of the mentions,
   by sentence and words) and `sentences`, by the sentence's number: `comments` (lines, or the
   words newdoc, part, global.Entity, sent_id, speaker, text for lines that the record gives),
   `multiword` and `empty` (columns by ID, tabs between), `deps` (`=` is the basic tree's), `misc`
   by word (a key alone stands for a value that the record gives) and `entity` by node, where
   brackets stand otherwise than the writer would set them. `related` has the mentions of each
   entity that stands in a relation.
9. Relations (`Bridge`, `SplitAnte` in MISC) are written between entities whose mentions are those
   of `related`, by the names that these have now. All others are left out and counted.
10. Not written are `lang` and other `meta`.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from corefmill.corpora import disk, lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.corefud_document import Builder, Header, document_lines
from corefmill.corpora.formats.corefud_entity import EntityError
from corefmill.corpora.formats.corefud_lines import RowError, suits
from corefmill.corpora.formats.form import Format, write_documents
from corefmill.corpora.records import Document


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Streams the documents with the line at which each begins.

    Raises `DataError` with the line of what breaks rules 1 and 4.
    """
    header = Header()
    builder: Builder | None = None
    count = 0
    for number, comments, rows in sentences(path):
        line = number + len(comments)  # of the first row
        try:
            if builder is None or Builder.opens(comments):
                if builder is not None:
                    yield builder.line, builder.document(lang)
                count += 1
                builder = Builder(comments, number, _unnamed(path, count), header)
            builder.sentence(comments, rows)
        except (RowError, EntityError) as error:
            line += error.row if isinstance(error, RowError) else error.node
            raise DataError(str(error), path=path, line=line) from None
        except ValueError as error:
            raise DataError(str(error), path=path, line=number) from None
    if builder is not None:
        yield builder.line, builder.document(lang)


def sentences(path: Path) -> Iterator[tuple[int, list[str], list[str]]]:
    """Streams the number of each sentence's first line, its comments and its rows."""
    first = number = 0
    comments: list[str] = []
    rows: list[str] = []
    for number, line in lines.read(path, sentences=True):
        if line.startswith("#") and not rows:
            comments.append(line)
        elif line.strip():
            rows.append(line)
        elif comments or rows:
            yield first, comments, rows
            comments, rows = [], []
        if len(comments) + len(rows) == 1:
            first = number
    if comments or rows:
        yield first, comments, rows


def _unnamed(path: Path, count: int) -> str:
    """The name of a document that has none."""
    return disk.shown(path.stem) + ("" if count == 1 else f"-{count}")


def write(path: Path, documents: Iterable[Document]) -> int:
    """Writes the documents, whole or not at all, and returns how many there were.

    One warning counts the relations that do not hold any more (rule 9). Raises `DataError` for a
    document that the columns cannot carry (rules 1 and 6).
    """
    header, count = Header(), itertools.count(1)

    def text(document: Document) -> str:
        number = next(count)
        lines = document_lines(document, _unnamed(path, number), number == 1, header)
        return "".join(f"{line}\n" for line in lines)

    written = write_documents(path, documents, text, "CoNLL-U with Entity")
    if header.dropped:
        logging.getLogger(__name__).warning(
            "%s: %s (Bridge, SplitAnte) left out: their entities are gone or changed",
            disk.shown(path.name),  # the folder may be a draft
            f"{header.dropped:,} relation{'s' * (header.dropped > 1)}",
        )
    return written


FORMAT = Format(
    name="corefud",
    schema="document/1",
    summary="CoNLL-U, with CorefUD's mentions if there are any",
    suffix=".conllu",
    read=read,
    write=write,
    suits=suits,
)
