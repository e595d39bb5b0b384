"""Sheets: what is written comes back, nothing is a formula, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corefmill.corpora.files import sheets
from corefmill.corpora.files.errors import DataError

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


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes("perché".encode("latin-1"))
    for wrong, message in (
        (tmp_path / "none.csv", "cannot be opened"),
        (tmp_path, "cannot be opened"),
        (path, "not UTF-8"),
    ):
        with pytest.raises(DataError, match=message):
            list(sheets.read(wrong))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n" + "x" * (1 << 20) + "x,1\n", r"sheet\.csv:2: not CSV: field larger"),
        ("," * 1000 + "\n", r"sheet\.csv:1: not CSV: a row of over 1,000 cells"),
        ("a\n" + '"\n",' * (1 << 20) + "\n", "not CSV: a row of over 4,194,304 characters"),
        ("\0" * (1 << 23), r"sheet\.csv:1: not CSV: a row of over 4,194,304 characters"),
        ('a\n"b', r"sheet\.csv:2: not CSV: unexpected end"),
    ],
    ids=["cell", "cells", "lines", "no end", "open"],
)
def test_what_has_no_bounds_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(DataError, match=message):
        list(sheets.read(path))
