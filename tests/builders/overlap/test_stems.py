"""Stems: the same in all tenses of a verb."""

from __future__ import annotations

import pytest

from corefmill.builders.overlap.stems import alike, auxiliaries, stem


@pytest.mark.parametrize(
    "forms",
    [
        "stop stops stopped stopping",
        "carry carries carried carrying",
        "love loves loved loving",
        "bring brings brought",
        "fall falls fell fallen falling",
        "need needs needed",
        "tell tells told",
        "child children",
    ],
)
def test_one_stem_in_every_tense(forms: str) -> None:
    assert len({stem(form, "en") for form in forms.split()}) == 1


@pytest.mark.parametrize("pair", ["cat car", "bring bread", "glass glade", "king kind"])
def test_other_words_have_others(pair: str) -> None:
    one, other = pair.split()
    assert stem(one, "en") != stem(other, "en")


def test_without_a_table_words_are_their_beginning() -> None:
    assert stem("parlavano", "it") == stem("parla", "it") and not auxiliaries("xx")
    assert "was" in auxiliaries("en")


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("stopped", "stop stops stopping"),
        ("carry", "carries carried carrying"),
        ("love", "loves loved loving"),
        ("bring", "brought brings"),
        ("note", "not notes noted"),
    ],
)
def test_words_of_one_stem(word: str, others: str) -> None:
    found = alike(word, "en")
    assert {word, *others.split()} <= found
    assert len({stem(one, "en") for one in found}) == 1


def test_without_a_table_a_word_is_like_itself_alone() -> None:
    assert alike("parlavano", "it") == {"parlavano"}
