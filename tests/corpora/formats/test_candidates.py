"""Candidates told apart, and found in a text."""

from __future__ import annotations

from corefmill.corpora.formats.candidates import as_words, distinct


def test_the_same_name_is_counted_on() -> None:
    assert distinct(("Ann", "Bo")) == ("Ann", "Bo")
    assert distinct(("Ann", "Ann", "Ann (2)", "Ann")) == (
        "Ann",
        "Ann (2)",
        "Ann (2) (2)",
        "Ann (3)",
    )


def test_a_name_is_found_as_words_apart_from_what_is_taken() -> None:
    text = "Annabel met Ann. Ann left."
    assert as_words(text, "Ann") == (12, 15)
    assert as_words(text, "Ann", [(12, 15)]) == (17, 20)
    assert as_words(text, "Bo") is None
    assert as_words(text, "") is None
