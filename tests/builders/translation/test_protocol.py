from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.translation.protocol import as_many, one_line, shown
from corefmill.corpora.errors import DataError


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n b\0c\u2028d\u00a0e", "a b c d e"),
        ("co\u00adoperate \u200bnow\u200f", "cooperate now"),
        ("half\ud800pair", "half pair"),
        (" \t", ""),
    ],
)
def test_a_text_on_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@given(st.text(st.characters()))
def test_a_line_stays_as_it_is(text: str) -> None:
    line = one_line(text)
    assert one_line(line) == line
    assert len(line.splitlines()) <= 1
    assert line.encode() or not line


def test_one_translation_for_each_text() -> None:
    assert as_many("x", ["a", " "], ["b", ""]) == ["b", ""]
    with pytest.raises(DataError, match="x gave 1 translations of 2 texts"):
        as_many("x", ["a", "b"], ["c"])
    with pytest.raises(DataError, match="x answered nothing to 'a'"):
        as_many("x", ["a"], [" "])


def test_long_texts_are_shown_cut() -> None:
    assert shown("abc") == "'abc'"
    assert shown("abcdefgh", 6) == "'abc...'"
