"""Spreadsheets of event mentions, and what comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.annotate import event_sheets
from corefmill.annotate.questions import items
from corefmill.corpora import sheets
from corefmill.corpora.errors import DataError
from tests.corefmill.annotate import event_corpus
from tests.corefmill.annotate.event_corpus import event


def filled(path: Path, *rows: tuple[str, str, str]) -> Path:
    """A sheet of one rater with answer, reason and remark of each item."""
    sheets.write(path, [("item", "rater", "answer", "reason", "remark"), *(
        (f"i{number}", "1", *row) for number, row in enumerate(rows)
    )])  # fmt: skip
    return path


def test_a_mention_stands_in_brackets_and_is_no_formula(tmp_path: Path) -> None:
    mention = event("=1+1", "1", "=A1: the\n1987 flood went.", "1987 flood", "@Town")
    found = list(items(event_corpus.write(tmp_path / "own", {"test": [mention]})))
    assert event_sheets.write(tmp_path / "m.csv", found, raters=2) == 2
    rows = [row for _, row in sheets.read(tmp_path / "m.csv")]
    assert rows[1][:6] == [
        *("=1+1", "1", "Event 1", "Flood", "@Town", "=A1: the [1987 flood] went.")
    ]
    assert b"'=A1" in (tmp_path / "m.csv").read_bytes()
    assert list(event_sheets.read(tmp_path / "m.csv")) == []  # nobody has answered


def test_answers_are_keys_or_words_and_a_reason_is_one(tmp_path: Path) -> None:
    path = filled(
        tmp_path / "m.csv",
        ("Y", "", ""),
        ("no", "boundary", "cut"),
        ("i", "", ""),
        ("", "metonym", ""),
        ("", "", "unsure"),
    )
    assert [(one.item, one.answer, one.reason) for one in event_sheets.read(path)] == [
        ("i0", "yes", ""),
        ("i1", "no", "boundary"),
        ("i2", "no", "unidentified"),
        ("i3", "no", "metonym"),
    ]


@pytest.mark.parametrize("row", [("maybe", "", ""), ("yes", "b", ""), ("no", "ugly", "")])
def test_what_is_no_answer_is_named_with_its_line(
    tmp_path: Path, row: tuple[str, str, str]
) -> None:
    with pytest.raises(DataError, match="is no answer") as raised:
        list(event_sheets.read(filled(tmp_path / "m.csv", ("y", "", ""), row)))
    assert raised.value.line == 3


def test_a_sheet_without_its_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("item,rater\n")
    with pytest.raises(DataError, match="no column 'answer'"):
        list(event_sheets.read(tmp_path / "m.csv"))
