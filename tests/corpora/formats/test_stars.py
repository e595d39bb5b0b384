"""Columns of stars and the tags that they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.formats.conll2012 import star_column, star_tags


def test_spans_of_one_word_and_of_more() -> None:
    cells = ["(GPE)", "*", "(ORG*", "*", "*)", "(ORG)", "(DATE*", "*)"]
    said = ["B-GPE", None, "B-ORG", "I-ORG", "I-ORG", "B-ORG", "B-DATE", "I-DATE"]
    assert star_tags(cells) == said and star_column(said) == cells


@pytest.mark.parametrize(
    "cells",
    [["(ORG*", "(GPE)", "*)"], ["*)"], ["(ORG*", "*"], ["-"], ["(ORG"], ["((ORG*)"], ["(*)"], [""]],
)
def test_no_tags_for_what_tags_cannot_say(cells: list[str]) -> None:
    assert star_tags(cells) is None


def test_an_inside_tag_without_its_beginning_begins_a_span() -> None:
    assert star_column(["I-ORG", "I-GPE", "O", "I-GPE"]) == ["(ORG)", "(GPE)", "*", "(GPE)"]


@pytest.mark.parametrize("tag", ["ORG", "S-ORG", "B-", "B-A*", "B-a b", ""])
def test_other_tags_are_refused(tag: str) -> None:
    with pytest.raises(ValueError, match="neither B-X nor I-X"):
        star_column([tag])


@settings(max_examples=100, deadline=None)
@given(said=st.lists(st.sampled_from(["(A*", "*", "*)", "(A)", "(B*", "(B)", "A"]), max_size=6))
def test_tags_give_the_same_column_again(said: list[str]) -> None:
    words = star_tags(said)
    assert words is None or star_column(words) == said
