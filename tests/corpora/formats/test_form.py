"""What formats share: tables with a known header, candidates told apart and found in a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.form import (
    find_words,
    make_distinct,
    masked_example,
    read_table,
    write_table,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.tsv"


def test_rows_come_with_their_lines(path: Path) -> None:
    path.write_bytes("\ufeffa\tb\r\n1\t\r\n\x85 2\t3".encode())
    assert list(read_table(path, ["a", "b"], ["a"])) == [(2, ["1", ""]), (3, ["\x85 2", "3"])]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", None, "without the header"),
        ("a b\n", 1, "the header is 'a b'"),
        ("b\ta\n", 1, "the header is 'b a'"),
        ("a\tb\n1\n", 2, "1 columns where the header has 2"),
        ("a\tb\n1\t2\t3\n", 2, "3 columns where the header has 2"),
        ("a\tb\n1\t2\n\n", 3, "1 columns"),
        ("a\tb\n1\t2\x00\n", 2, "NUL"),
        ("a\tb\n" + "x" * (3 << 20), 2, "a line of over 1 MiB"),
    ],
)
def test_what_is_no_such_table_is_named(
    path: Path, content: str, line: int | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk.read_lines, "__defaults__", (1 << 20,))
    path.write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        list(read_table(path, ["a", "b"]))
    assert (caught.value.path, caught.value.line) == (str(path), line)


@pytest.mark.parametrize("sign", ["\t", "\n", "\r", "\0"])
def test_cells_that_would_break_the_table_are_refused(path: Path, sign: str) -> None:
    good, bad = (
        masked_example(name, "en", "He ran.", (0, 2), ("A", "B"), 0, meta={"cell": cell})
        for name, cell in (("6", "x"), ("7", f"x{sign}y"))
    )
    with pytest.raises(DataError, match="example 7: a tab, a line end or a NUL"):
        write_table(path, ["a"], [good, bad], lambda one: [[one.meta["cell"]]])
    assert not path.exists()


def test_the_same_name_is_counted_on() -> None:
    assert make_distinct(("Ann", "Bo")) == ("Ann", "Bo")
    names = ("Ann", "Ann (2)", "Ann (2) (2)", "Ann (3)")
    assert make_distinct(("Ann", "Ann", "Ann (2)", "Ann")) == names


def test_a_name_is_found_as_words_apart_from_what_is_taken() -> None:
    text = "Annabel met Ann. Ann left."
    assert find_words(text, "Ann") == (12, 15)
    assert find_words(text, "Ann", [(12, 15)]) == (17, 20)
    assert find_words(text, "Bo") is None
    assert find_words(text, "") is None
