"""The words of a text in both modes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.overlap.words import ANALYZERS, TextWord, clean, forms, standard, within


def test_negation_is_one_word_however_it_is_spelt() -> None:
    assert forms(clean, "couldn't") == forms(clean, "could n’t") == forms(clean, "could not")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="nNtT'’_ aZé中あ—“İß9.-\t\n\x1f\xa0", max_size=20))
def test_words_alone_are_those_with_their_places(text: str) -> None:
    """They are cut by quicker ways, most of all where the text is ASCII."""
    for sort in (text, text.encode("ascii", "ignore").decode()):
        assert forms(clean, sort) == [word.form for word in clean(sort)]


def test_of_a_long_word_the_beginning_counts_alike() -> None:
    assert forms(clean, "b" * 200) == ["b" * 128]
    assert forms(clean, "É" * 200) == [clean("É" * 200)[0].form]


def test_clean_words_have_no_signs_of_emphasis() -> None:
    assert forms(clean, "_Ann_ said: “l'été”") == ["ann", "said", "l", "été"]


def test_where_no_blanks_are_each_sign_is_a_word() -> None:
    assert forms(clean, "彼はAnn") == ["彼", "は", "ann"]


def test_standard_is_the_analyzer_of_whoosh() -> None:
    text = "The man couldn't lift U.S.A. x_y 3.5, if you will"
    assert forms(standard, text) == ["man", "couldn", "lift", "u.s.a", "x_y", "3.5"]


def test_words_of_a_span_are_those_that_share_a_character() -> None:
    assert within([TextWord("a", 0, 1), TextWord("bc", 2, 4), TextWord("d", 5, 6)], (3, 5)) == [
        "bc"
    ]


@pytest.mark.parametrize("mode", sorted(ANALYZERS))
@settings(deadline=None, max_examples=50)
@given(text=st.text())
def test_words_stand_where_they_say_and_hold_no_blank(mode: str, text: str) -> None:
    words = ANALYZERS[mode](text)
    assert all(word.form and not word.form.split()[1:] for word in words)
    assert all(one.end <= other.start for one, other in pairwise(words)) and all(
        0 <= word.start < word.end <= len(text) for word in words
    )
