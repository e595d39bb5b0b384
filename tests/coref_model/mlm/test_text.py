"""Plain text and JSON Lines; one test for each refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.coref_model.mlm.text import documents, files
from corefmill.corpora.errors import DataError, UsageError


def read(path: Path) -> list[list[str]]:
    return [list(document.paragraphs) for document in documents(path)]


def test_paragraphs_end_at_empty_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\ufeffone\n two\n\n\nthree", "utf-8")
    assert read(tmp_path / "a.txt") == [["one two", "three"]]


def test_a_line_of_json_is_a_document(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one\\n\\ntwo", "x": 1}\n\n{"text": "three"}\n')
    assert read(tmp_path / "a.jsonl") == [["one", "two"], ["three"]]


def test_a_folder_is_gone_through_in_order(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/z.txt", "a.jsonl", "c.ndjson", "d.md"):
        (tmp_path / name).touch()
    found = files([str(tmp_path), str(tmp_path / "a.jsonl")])
    assert [path.relative_to(tmp_path).as_posix() for path in found] == [
        "a.jsonl",
        "b/z.txt",
        "c.ndjson",
    ]


@pytest.mark.parametrize("name", ["dump.xml.bz2", "dump.xml", "text.txt.gz", "rows.parquet"])
def test_dumps_and_packed_files_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(UsageError, match="neither dumps nor packed files"):
        files([str(tmp_path / name)])


def test_no_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no text here"):
        files([str(tmp_path)])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"one\ntw\xff", r"a.txt:2: not UTF-8 at byte 3"),
        ("a.txt", b"one\0", r"a.txt:1: a NUL byte"),
        ("a.jsonl", b"{", r"a.jsonl:1: not JSON"),
        ("a.jsonl", b'{"text": "x"}\n["text"]\n', r'a.jsonl:2: no object with a string "text"'),
        ("a.jsonl", b'{"text": "\\ud800"}\n', r"a.jsonl:1: an escape names half a character"),
    ],
)
def test_what_cannot_be_read_names_its_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / name)
