"""Expressions that somebody gave, by RE2."""

from __future__ import annotations

import re

import pytest

from corefmill.corpora.patterns import GENRE, firsts, given


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("GUM_([a-z]+)_", ["news", None, None]),
        ("GUM_([a-z]*)", ["news", None, ""]),
        ("GUM", ["GUM", None, "GUM"]),
        ("(?P<kind>[a-z]+)/", [None, "nw", None]),
        ("(x)?.", ["", "", ""]),
    ],
)
def test_the_first_group_from_the_start(source: str, found: list[str | None]) -> None:
    names = ["GUM_news_1", "nw/wsj_0037", "GUM__2"]
    assert firsts(given(source), names) == firsts(re.compile(source), names) == found


def test_no_expression_takes_long() -> None:
    pattern = given("(a+)+$")
    assert firsts(pattern, ["a" * 100_000 + "!", "aa", "\udc80"]) == [None, "aa", None]


def test_the_usual_one_needs_no_re2() -> None:
    assert given(GENRE.pattern) is GENRE
    assert firsts(GENRE, ["nw/wsj", "x"]) == ["nw", None]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("(", "missing \\)"),
        ("(?=a)", "look-around and back-references are not known here"),
        (r"(a)\1", "look-around and back-references are not known here"),
        ("a" * 1_001, "over 1,000 characters long"),
        ("((a{100}){100}){100}", "repetition size"),
    ],
)
def test_what_is_no_expression(source: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        given(source)
