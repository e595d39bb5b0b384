"""Tables whose columns are kept apart by blanks come back as they stood."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.formats.blanks import layout, lines


def table(rows: list[str]) -> list[list[str]]:
    return [row.split() for row in rows]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["a b ccc", "aaa b c"], "=1"),
        (["a   b   ccc", "aaa   b   c"], "=3"),
        (["a    b  1", "aaa  b 10"], "l0 l5 r9"),
        (["a  (NP*   -", "aa    *)  x"], "l0 s6 l10"),
        (["a b", "a  bb", "aaa b"], ["0 1", "0 2", "0 1"]),
        (["  a b", " aa b"], "r3 l4"),
    ],
)
def test_layouts(rows: list[str], expected: str | list[str]) -> None:
    assert layout(rows, table(rows)) == expected
    assert lines(table(rows), expected) == rows


def test_a_cell_that_has_grown_moves_the_rest() -> None:
    assert lines([["a", "much", "10"]], "l0 l2 r6") == ["a much 10"]
    assert lines([["much", "a"]], "l0 l2") == ["much a"]


@pytest.mark.parametrize("bad", ["", "l", "q3 l5", "l0", "lx l5", ["1"], [], "=x"])
def test_a_layout_that_is_none(bad: str | list[str]) -> None:
    with pytest.raises(ValueError):
        lines([["a", "b"]], bad)


@settings(max_examples=100, deadline=None)
@given(
    cells=st.lists(
        st.lists(st.sampled_from(["a", "(NP*", "*)", "-", "long", "(1)"]), min_size=3, max_size=3),
        min_size=1,
        max_size=4,
    ),
    data=st.data(),
)
def test_any_blanks_come_back(cells: list[list[str]], data: st.DataObject) -> None:
    gaps = st.integers(1, 3)
    rows = [
        " " * data.draw(st.integers(0, 2))
        + "".join(cell + " " * data.draw(gaps) for cell in row[:-1])
        + row[-1]
        for row in cells
    ]
    assert lines(cells, layout(rows, cells)) == rows
