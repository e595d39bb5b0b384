"""Tables by tabs: a header that is known, rows as wide as it."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import tsv
from corefmill.corpora.formats.candidates import masked_example


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.tsv"


def test_rows_come_with_their_lines_after_the_header(path: Path) -> None:
    path.write_bytes("\ufeffa\tb\r\n1\t\r\n\x85 2\t3".encode())
    assert list(tsv.read(path, ["a", "b"], ["a"])) == [
        (1, ["a", "b"]),
        (2, ["1", ""]),
        (3, ["\x85 2", "3"]),
    ]


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
    ],
)
def test_what_is_no_such_table_is_named(
    path: Path, content: str, line: int | None, message: str
) -> None:
    path.write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        list(tsv.read(path, ["a", "b"]))
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_a_line_without_end_is_not_taken_into_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines.read, "__defaults__", (1 << 20,))
    path.write_bytes(b"a\tb\n" + b"x" * (3 << 20))
    with pytest.raises(DataError, match="a line of over 1 MiB") as caught:
        list(tsv.read(path, ["a", "b"]))
    assert caught.value.line == 2


@pytest.mark.parametrize("sign", ["\t", "\n", "\r", "\0"])
def test_cells_that_would_break_the_table_are_refused(path: Path, sign: str) -> None:
    good, bad = (
        masked_example(name, "en", "He ran.", (0, 2), ("A", "B"), 0, meta={"cell": cell})
        for name, cell in (("6", "x"), ("7", f"x{sign}y"))
    )
    with pytest.raises(DataError, match="example 7: a tab, a line end or a NUL"):
        tsv.write(path, ["a"], [good, bad], lambda one: [[one.meta["cell"]]])
    assert not path.exists()
