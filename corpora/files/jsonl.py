"""The native form: one record a line as JSON, UTF-8, keys in the record's own order.

A record is one of corpora/records.py, or another frozen dataclass of which files hold one a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import replacing

R = TypeVar("R")

_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def dumps(record: object, *, compact: bool = False) -> bytes:
    """Serialize a record as one line of JSON, without its newline.

    `compact` leaves out what has its default: of most tokens all but the form.
    """
    return _adapter(type(record)).dump_json(record, exclude_defaults=compact)


def as_json(record: object) -> dict[str, Any]:
    """Convert a record to the dicts, lists, strings and numbers of its JSON."""
    made: dict[str, Any] = _adapter(type(record)).dump_python(record, mode="json")
    return made


def loads(line: bytes | str, kind: type[R], *, path: Path | None = None, number: int = 1) -> R:
    """Parse a line to a record. Raises `DataError` with path and line."""
    try:
        record: R = _adapter(kind).validate_json(line)
        return record
    except ValidationError as error:
        raise DataError(
            f"not a {kind.__name__}: {first_fault(error)}",
            path=path,
            line=number,
            remedy="correct or delete that line" if number > 1 else "is this the right file?",
        ) from None


def first_fault(error: ValidationError) -> str:
    """Describe the first fault of a JSON value, with its field."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(map(str, first["loc"]))
    said = first["msg"].removeprefix("Value error, ")
    return f"{field}: {said}" if field else said


def read(path: Path, kind: type[R]) -> Iterator[R]:
    """Stream the records of a file; blank lines are errors, since nothing writes them."""
    for number, line in disk.read_raw_lines(path):
        if not line.endswith(b"\n"):
            raise DataError(
                "the last line is cut off",
                path=path,
                line=number,
                remedy="build or copy the file again",
            )
        yield loads(line, kind, path=path, number=number)


def write(path: Path, records: Iterable[object], *, compact: bool = False) -> int:
    """Write records as lines of JSON, whole or not at all, and return their number; see `dumps`."""
    count = 0
    with replacing(path) as out:
        for record in records:
            out.write(dumps(record, compact=compact) + b"\n")
            count += 1
    return count
