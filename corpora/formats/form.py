"""Formats: their description, and common parts of their readers and writers.

Each format is a module of this folder with a `Format`; registry.py lists them. A table written here
is columns separated by tabs under a header: no quotes, no escapes, one row a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.formats.bad_mentions import CUT, drop
from corefmill.corpora.formats.rows import Columns, read_rows
from corefmill.corpora.records import Document, EventMention, MaskedExample, Meta, Source, Span
from corefmill.corpora.words import cuts_word

T = TypeVar("T")

Located = Iterator[tuple[int, Any]]
"""Records with the line (from 1) at which each begins; 1 for files that have no lines."""

Reader = Callable[[Path, str], Located]

LEAVE_OUT = "the format cannot carry it; leave the example out"


@dataclass(frozen=True)
class Format:
    """A way of writing records to a file.

    `schema` is a key of `records.SCHEMAS`. `read` streams a file (or the folder that some
    corpora are) in the language `lang`; it raises `DataError` naming file and line for whatever
    it cannot read, and leaves nothing out in silence. `write` writes a file whole or not at all,
    gives the number of records, and raises `DataError` for a record that the format cannot carry;
    None where the format is read only. `suits` says by the file's name and first 64 KiB (of Parquet
    by its columns) whether a file is of this format. `read_on` is for formats with a record a line:
    it streams as `read` does, with the `DataError` of a line in the place of a record, and goes on.
    `read_layer` is for projects of annotation tools: it reads with the layer that joins spans to
    clusters, or guesses the layer.
    """

    name: str
    schema: str
    summary: str
    suffix: str
    read: Reader
    write: Callable[[Path, Iterable[Any]], int] | None
    suits: Callable[[str, str], bool]
    read_on: Reader | None = None
    read_layer: Callable[[Path, str, str | None], Located] | None = None

    def with_layer(self, layer: str) -> Format:
        """Return the format with a layer of its project; raise `UsageError` where it has none."""
        read = self.read_layer
        if read is None:
            raise UsageError(
                f"--layer does not apply to the format {self.name}",
                remedy="leave it out: it is for projects of annotation tools, such as brat's",
            )
        return replace(self, read=lambda path, lang: read(path, lang, layer))


def stop_at_faults(read_on: Reader) -> Reader:
    """Make a strict reader of `read_on`, raising the first fault."""

    def read(path: Path, lang: str = "en") -> Located:
        for number, found in read_on(path, lang):
            if isinstance(found, DataError):
                raise found
            yield number, found

    return read


def line_format(
    name: str,
    summary: str,
    suffix: str,
    parse: Callable[[Any, str], Any],
    write: Callable[[Path, Iterable[Any]], int] | None,
    suits: Callable[[str, str], bool] | None = None,
    columns: Columns | None = None,
    schema: str = "masked-example/1",
) -> Format:
    """Make a format with a record a line, or a row of a data set's columns (see rows.py).

    `parse` makes the record of a line or row in a language; raises `ValueError`. A row's further
    columns go to its meta. Without `suits` the columns tell the format.
    """

    def read_on(path: Path, lang: str) -> Located:
        """Stream the records of a file, with an error in the place of each broken line."""
        rows: Iterator[tuple[int, Any]]
        rows = disk.read_lines(path) if columns is None else read_rows(path, columns)
        for number, row in rows:
            found: Any
            try:
                found = row if isinstance(row, DataError) else parse(row, lang)
                if isinstance(row, dict) and row["other"]:
                    found = replace(found, meta={"other": row["other"], **found.meta})
            except ValueError as error:
                found = DataError(str(error), path=path, line=number)
            yield number, found

    if suits is None:
        assert columns is not None
        own = columns

        def suits(name: str, head: str) -> bool:
            return own.suit(head)

    read = stop_at_faults(read_on)
    return Format(name, schema, summary, suffix, read, write, suits, read_on)


@contextmanager
def naming_record(
    record: Any, path: Path, remedy: str | None = LEAVE_OUT, line: int | None = None
) -> Iterator[None]:
    """Turn an error about a record, or about meta of another shape, into a `DataError`."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(record, Document):
            name = f"document {record.doc_id}, part {record.part}"
        else:
            name = f"{'mention' if isinstance(record, EventMention) else 'example'} {record.id}"
        raise DataError(f"{name}: {error}", path=path, line=line, remedy=remedy) from None


def write_records(
    path: Path,
    records: Iterable[T],
    encode: Callable[[T], bytes],
    remedy: str | None = LEAVE_OUT,
    head: bytes = b"",
) -> int:
    """Write `head` and each record, whole or not at all, and return the number of records.

    Raises `DataError` that names the record where `encode` refuses it.
    """
    count = 0
    with replacing(path) as out:
        out.write(head)
        for record in records:
            with naming_record(record, path, remedy):
                out.write(encode(record))
            count += 1
    return count


def write_documents(
    path: Path, documents: Iterable[Document], text: Callable[[Document], str], form: str
) -> int:
    """Write the text of each document as `write_records` does; `form` is the format's name."""
    remedy = f"{form} cannot carry it; JSON Lines (.jsonl) can"
    return write_records(path, documents, lambda document: text(document).encode(), remedy)


def write_table(
    path: Path,
    header: Sequence[str],
    examples: Iterable[MaskedExample],
    rows: Callable[[MaskedExample], Iterable[Sequence[str]]],
) -> int:
    """Write a table: the header and each example's rows; return the number of examples."""

    def encode(example: MaskedExample) -> bytes:
        return b"".join(map(encode_row, rows(example)))

    return write_records(path, examples, encode, head=encode_row(header))


def encode_row(cells: Sequence[str]) -> bytes:
    """Encode the line of a row; raise `ValueError` for a cell that would split it."""
    if any(character in cell for cell in cells for character in "\t\n\r\0"):
        raise ValueError("a cell holds a tab, a line end or a NUL")
    return "\t".join(cells).encode() + b"\n"


def masked_example(
    name: str,
    lang: str,
    text: str,
    target: Span,
    candidates: Sequence[str],
    label: int | None,
    *,
    mentions: Sequence[tuple[int, int, int]] = (),
    source: str = "",
    meta: Meta | None = None,
) -> MaskedExample:
    """Make an example of one passage, with at most a title as its source."""
    return MaskedExample(
        id=name,
        lang=lang,
        text=text,
        sentences=((0, len(text)),),
        target=target,
        candidates=tuple(candidates),
        mentions=tuple(mentions),
        label=label,
        source=Source(title=source, page_id=0),
        meta=meta or {},
    )


def make_distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Add ` (2)`, ` (3)` ... to a name that has stood before.

    A `MaskedExample` needs candidates that differ, and released files hold a few items where they
    do not (both candidates are Christina, one line of KnowRef's test set). Such an item is kept.
    """
    made: list[str] = []
    for name in names:
        number, own = 1, name
        while own in made:
            number += 1
            own = f"{name} ({number})"
        made.append(own)
    return tuple(made)


def two_names(example: MaskedExample) -> tuple[str, str]:
    """Return the two candidates without the number of `make_distinct`; else `ValueError`."""
    if len(example.candidates) != 2:
        raise ValueError(f"the example has {len(example.candidates)} candidates, not two")
    first, second = example.candidates
    return first, first if second == f"{first} (2)" else second


def find_words(text: str, name: str, apart_from: Sequence[Span] = ()) -> Span | None:
    """Find the first `name` of whole words in the text, apart from the spans."""
    if not name:
        return None
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
        if all(match.end() <= start or end <= match.start() for start, end in apart_from):
            return match.span()
    return None


def is_whole(text: str, span: Span, name: str) -> bool:
    """Tell whether a span cuts no word; one that does is a bad mention of the document `name`."""
    if not any(cuts_word(text, border) for border in span):
        return True
    said = f"mention [{span[0]}, {span[1]}) cuts a word: {text[slice(*span)][:40]!r}"
    drop(CUT, ValueError(said), name)
    return False
