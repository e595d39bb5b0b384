"""JSON Lines and sheets: what is written comes back, and what cannot be read is one line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corefmill.corpora.files import jsonl, sheets
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample, Record
from tests.corpora.generated import documents, event_mentions, masked_examples
from tests.corpora.test_records import EVENT, EXAMPLE, document

WHOLE = b"".join(jsonl.dumps(EXAMPLE) + b"\n" for _ in range(3))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jsonl") / "records.jsonl"


@settings(max_examples=60, deadline=None)
@given(st.one_of(masked_examples(), event_mentions(), documents()))
def test_what_is_dumped_loads_as_the_same_record(record: Record) -> None:
    line = jsonl.dumps(record)
    assert b"\n" not in line
    assert jsonl.loads(line, type(record)) == record
    assert jsonl.dumps(jsonl.loads(line, type(record))) == line


def test_keys_stand_in_the_order_of_the_record() -> None:
    assert list(json.loads(jsonl.dumps(EXAMPLE))) == [
        *("id", "lang", "text", "sentences", "target", "candidates", "mentions", "label"),
        *("source", "meta"),
    ]
    assert list(json.loads(jsonl.dumps(EVENT)))[:5] == ["id", "lang", "text", "start", "end"]
    assert list(json.loads(jsonl.dumps(document())))[:3] == ["doc_id", "part", "lang"]


@given(length=st.integers(0, len(WHOLE)))
def test_a_cut_off_file_gives_its_whole_lines_and_then_an_error(path: Path, length: int) -> None:
    path.write_bytes(WHOLE[:length])
    lines, rest = divmod(length, len(WHOLE) // 3)
    reader = jsonl.read(path, MaskedExample)
    assert [next(reader) for _ in range(lines)] == [EXAMPLE] * lines
    if rest:
        with pytest.raises(DataError, match=f":{lines + 1}: the last line is cut off"):
            next(reader)
    else:
        assert list(reader) == []


LINE = jsonl.dumps(EXAMPLE)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "Invalid JSON"),
        (b"{}", "id: Field required"),
        (b"\xef\xbb\xbf" + LINE, "Invalid JSON"),
        (b"[" * 100_000, "recursion limit"),
        (LINE.replace(b'"1"', b'"\\ud800"'), "Invalid JSON"),
        (LINE.replace(b'"1"', b"1"), "id: Input should be a valid string"),
        (LINE.replace(b'"meta":{}', b'"meta":{},"extra":1'), "extra"),
        (LINE.replace(b"[14,18]", b"[14.0,18]"), r"target\.0: Input should be a valid integer"),
        (LINE.replace(b"[14,18]", b"[14,99]"), r"target \[14, 99\) is empty or outside"),
        (LINE.replace(b'"label":0', b'"label":2'), "label 2 names none"),
        (LINE.replace(b'"label":0', b'"label":' + b"9" * 5000), "number out of range"),
    ],
)
def test_a_line_that_is_no_record_is_named(line: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        jsonl.loads(line, MaskedExample, path=Path("a.jsonl"), number=7)
    assert str(caught.value).startswith("a.jsonl:7: not a MaskedExample: ")


def test_a_file_that_begins_otherwise_may_be_the_wrong_one(path: Path) -> None:
    path.write_bytes(b"item,rater\n" + WHOLE)
    with pytest.raises(DataError, match=r":1: not a MaskedExample: .*\(is this the right file\?\)"):
        list(jsonl.read(path, MaskedExample))
    path.write_bytes(WHOLE + b"item,rater\n")
    with pytest.raises(
        DataError, match=r":4: not a MaskedExample: .*\(correct or delete that line"
    ):
        list(jsonl.read(path, MaskedExample))


TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("'=+-@＝ \t\r\n\\u001b,;\"")))
FORMULA = tuple("=+-@\t\r＝＋－＠")


@given(TEXTS)
@example("'")
@example("'=1+1")
@example("''=1+1")
@example("' =1+1")
@example("\\u001b")
@example("\\\\u001b\x1b\\")
@example("-12.5")
@example("'-12.5")
@example("\ud800")
def test_a_text_comes_back_and_is_no_formula(text: str) -> None:
    written = sheets.cell(text)
    assert sheets.parse_cell(written) == text
    written.encode()
    assert not any(code in written for code in "\x00\x1b\r\x7f\x9b")
    first = written.strip()
    assert not first.startswith(FORMULA) or float(first) is not None


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=3))
def test_a_table_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "table.csv"
    for end in ("\r\n", "\n"):
        sheets.write(path, [["head"], *rows], end=end, mark=end == "\n")
        assert [row for _, row in sheets.read(path)] == [["head"], *rows]


def test_a_mark_at_the_start_is_no_text_and_other_readers_keep_their_limit(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    long = "x" * 2000
    path.write_text(f"item,answer\r\n1,{long}\r\n", encoding="utf-8-sig", newline="")
    before = csv.field_size_limit(1000)
    try:
        rows = sheets.read(path)
        assert next(rows) == (1, ["item", "answer"])
        assert csv.field_size_limit() == 1000  # also while nobody asks for more
        assert next(rows) == (2, ["1", long])
    finally:
        csv.field_size_limit(before)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n" + "x" * (1 << 20) + "x,1\n", r"sheet\.csv:2: not CSV: field larger"),
        ("," * 1000 + "\n", r"sheet\.csv:1: not CSV: a row of over 1,000 cells"),
        ("a\n" + '"\n",' * (1 << 20) + "\n", "not CSV: a row of over 4,194,304 characters"),
        ("\xe9", "not UTF-8"),
        (None, "cannot be opened"),
        ("\0" * (1 << 23), r"sheet\.csv:1: not CSV: a row of over 4,194,304 characters"),
        ('a\n"b', r"sheet\.csv:2: not CSV: unexpected end"),
    ],
    ids=["cell", "cells", "lines", "latin", "none", "no end", "open"],
)
def test_a_sheet_without_bounds_or_none_is_refused(
    tmp_path: Path, text: str | None, message: str
) -> None:
    path = tmp_path / "sheet.csv"
    if text is not None:
        path.write_text(text, encoding="latin-1", newline="")
    with pytest.raises(DataError, match=message):
        list(sheets.read(path))
