"""Plain text as sentences of words."""

from __future__ import annotations

import pytest

from corefmill.coref_model.prediction import plain
from corefmill.corpora.errors import UsageError


def words(text: str, lang: str = "en") -> list[list[str]]:
    found = plain.document(text, lang)
    return [[token.form for token in sentence.tokens] for sentence in found.sentences]


def test_words_and_sentences() -> None:
    assert words("Ann met Eve. She left!") == [["Ann", "met", "Eve", "."], ["She", "left", "!"]]


def test_an_empty_line_ends_a_sentence_and_a_line_end_does_not() -> None:
    assert words("The\nquake\n\nIt was strong") == [["The", "quake"], ["It", "was", "strong"]]


def test_where_a_blank_stood_is_kept() -> None:
    (sentence,) = plain.document("Ann's dog.", "en").sentences
    assert "".join(t.form + " " * t.space_after for t in sentence.tokens) == "Ann's dog."


def test_rules_are_those_of_the_language() -> None:
    assert words("L'amico è qui.", "it") == [["L'", "amico", "è", "qui", "."]]


@pytest.mark.parametrize("text", ["", "  \n\n "])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no word"):
        plain.document(text, "en")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UsageError, match="no rules for the language 'xq'"):
        plain.document("Ann", "xq")


def test_the_spans_of_a_pipeline() -> None:
    text = "Ann met  Eve. She left."
    tokens = [(0, 3), (4, 7), (9, 12), (12, 13), (14, 17), (18, 22), (22, 23)]
    found = plain.of_spans(text, [(0, 13), (14, 23)], tokens, "en")
    assert [[t.form for t in s.tokens] for s in found.sentences] == [
        ["Ann", "met", "Eve", "."],
        ["She", "left", "."],
    ]
    assert [t.space_after for t in found.sentences[0].tokens] == [True, True, False, True]
    with pytest.raises(UsageError, match="no word"):
        plain.of_spans(" ", [], [], "en")
