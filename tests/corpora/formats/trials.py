"""Helpers for the tests of a format: reading, writing, refusal, and the real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.form import Format

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


def read(form: Format, path: Path, content: str | bytes, lang: str = "en") -> list[Any]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [record for _, record in form.read(path, lang)]


def write(form: Format, path: Path, *records: Any) -> str:
    """The text that the writer makes of the records, all of which it counts."""
    assert form.write is not None
    assert form.write(path, records) == len(records)
    return path.read_text("utf-8")


def refused(form: Format, path: Path, content: str | bytes) -> DataError:
    """The error with which the reader refuses the content; it names the file."""
    try:
        read(form, path, content)
    except DataError as error:
        assert error.path == str(path)
        return error
    raise AssertionError("it was read")


def rewritten(form: Format, source: Path, target: Path) -> list[Any]:
    """The records of a real file, once writing them has given its bytes again."""
    records = [record for _, record in form.read(source, "en")]
    assert form.write is not None
    assert form.write(target, records) == len(records)
    assert target.read_bytes() == source.read_bytes()
    assert [record for _, record in form.read(target, "en")] == records
    return records
