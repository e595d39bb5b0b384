"""Plain text and JSON Lines as documents of paragraphs, for continued pretraining.

A .jsonl or .ndjson file holds one document a line, its `text` a string; any other file is one
document of UTF-8. Paragraphs end at an empty line; the lines of one are joined by a blank.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.corpora import disk, lines
from corefmill.corpora.errors import DataError, UsageError

_JSON = (".jsonl", ".ndjson")
_PACKED = (".bz2", ".gz", ".xz", ".zst", ".7z", ".zip", ".xml", ".parquet")


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document: where it came from, and its paragraphs, to be gone through once, in order."""

    name: str
    paragraphs: Iterator[str]


def files(names: Sequence[str]) -> list[Path]:
    """The files that are meant: those named, and every .txt, .jsonl and .ndjson below a folder.

    Raises `UsageError` where there is none, and for dumps, packed files and Parquet, which are not
    read.
    """
    found: list[Path] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            inside = [p for p in disk.below(path) if p.suffix.lower() in (".txt", *_JSON)]
        else:
            inside = [path] if path.is_file() else []
        if not inside:
            raise UsageError(
                "no text here", path=name, remedy="--text takes .txt and .jsonl files, and folders"
            )
        found += inside
    for path in found:
        if path.suffix.lower() in _PACKED:
            raise UsageError(
                "neither dumps nor packed files nor Parquet are read here",
                path=path,
                remedy="make plain text of it, or JSON Lines with a text field",
            )
    return list(dict.fromkeys(found))


def documents(path: Path) -> Iterator[TextDocument]:
    """The documents of one file; raises `DataError` naming the line of what cannot be read."""
    numbered = lines.read(path)
    if path.suffix.lower() not in _JSON:
        yield TextDocument(path.name, lines.paragraphs(line for _, line in numbered))
        return
    for number, line in numbered:
        if line.strip():
            text = _text(line, path, number)
            yield TextDocument(f"{path.name}:{number}", lines.paragraphs(text.splitlines()))


def _text(line: str, path: Path, number: int) -> str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise DataError("not JSON", path=path, line=number) from None
    text = record.get("text") if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise DataError('no object with a string "text"', path=path, line=number)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError("an escape names half a character", path=path, line=number) from None
    return text
