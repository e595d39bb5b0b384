"""What a format of the field is: a name, a kind of record, a reader, and mostly a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Located = Iterator[tuple[int, Any]]
"""Records with the line (from 1) at which each begins; 1 for files that have no lines."""


@dataclass(frozen=True)
class Format:
    """A way in which records stand in a file.

    `schema` is a key of `records.SCHEMAS`. `read` streams a file (or the folder that some
    corpora are) in the language `lang`; it raises `DataError` naming file and line for whatever
    it cannot read, and leaves nothing out in silence. `write` writes a file whole or not at all,
    gives the number of records, and raises `DataError` for a record that the format cannot carry;
    None where the format is read only. `suits` tells from the file's name and first 64 KiB whether
    a file is of this format.
    """

    name: str
    schema: str
    summary: str
    suffix: str
    read: Callable[[Path, str], Located]
    write: Callable[[Path, Iterable[Any]], int] | None
    suits: Callable[[str, str], bool]
