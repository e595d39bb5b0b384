"""Sheets: what is read, what is refused, and that csv's limit is left as it was."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from builders import sheets
from corpora.errors import DataError


def test_a_mark_at_the_start_is_no_text_and_the_limit_is_put_back(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("item,answer\r\n", encoding="utf-8-sig", newline="")
    before = csv.field_size_limit(1000)
    try:
        with sheets.opened(path) as file:
            assert next(csv.reader(file)) == ["item", "answer"]
            assert csv.field_size_limit() == sheets.LONGEST
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(before)


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be opened"), sheets.opened(tmp_path / "none.csv"):
        pass
    path = tmp_path / "sheet.csv"
    path.write_bytes("perché".encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8"), sheets.opened(path) as file:
        file.read()
    with pytest.raises(DataError, match="cannot be opened"), sheets.opened(tmp_path):
        pass
