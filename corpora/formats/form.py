"""What a format is: a name, a kind of record, a reader, and mostly a writer.

Each format is a module of this folder with a `Format`; registry.py lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from corefmill.corpora.atomic import replacing
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import Document

T = TypeVar("T")

Located = Iterator[tuple[int, Any]]
"""Records with the line (from 1) at which each begins; 1 for files that have no lines."""


@dataclass(frozen=True)
class Format:
    """A way in which records stand in a file.

    `schema` is a key of `records.SCHEMAS`. `read` streams a file (or the folder that some
    corpora are) in the language `lang`; it raises `DataError` naming file and line for whatever
    it cannot read, and leaves nothing out in silence. `write` writes a file whole or not at all,
    gives the number of records, and raises `DataError` for a record that the format cannot carry;
    None where the format is read only. `suits` says by the file's name and first 64 KiB whether
    a file is of this format. `by_line` says that every record is one line, so that the checker
    can read on without a broken one.
    """

    name: str
    schema: str
    summary: str
    suffix: str
    read: Callable[[Path, str], Located]
    write: Callable[[Path, Iterable[Any]], int] | None
    suits: Callable[[str, str], bool]
    by_line: bool = False


def located(rows: Iterable[tuple[int, T]], record: Callable[[T], Any], path: Path) -> Located:
    """The records that `record` makes of rows; its `ValueError` is a `DataError` with the line."""
    for number, row in rows:
        try:
            made = record(row)
        except ValueError as error:
            raise DataError(str(error), path=path, line=number) from None
        yield number, made


def write_documents(
    path: Path, documents: Iterable[Document], text: Callable[[Document], str], form: str
) -> int:
    """Writes the text of each document, whole or not at all, and returns how many there were.

    What `text` raises for a document that `form` cannot carry, or whose meta is not of its shape,
    becomes a `DataError`.
    """
    count = 0
    with replacing(path) as out:
        for document in documents:
            try:
                out.write(text(document).encode())
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                raise DataError(
                    f"document {document.doc_id}, part {document.part}: {error}",
                    path=path,
                    remedy=f"{form} cannot carry it; JSON Lines (.jsonl) can",
                ) from None
            count += 1
    return count
