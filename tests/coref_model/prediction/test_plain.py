"""Plain text as sentences of words."""

from __future__ import annotations

import pytest

from corefmill.coref_model.prediction import plain
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Mention


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
    assert found.text == text
    assert found.offsets == (tuple(tokens[:4]), tuple(tokens[4:]))
    with pytest.raises(UsageError, match="no word"):
        plain.of_spans(" ", [], [], "en")


def sentences(text: str, lang: str = "en") -> list[str]:
    return [" ".join(line) for line in words(text, lang)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('He said: "No." She left.', ['He said : " No . "', "She left ."]),
        ('"Why?" "Because." He ran.', ['" Why ? "', '" Because . "', "He ran ."]),
        ("She asked “No?” ‘Yes.’ Bye.", ["She asked “ No ? ”", "‘ Yes . ’", "Bye ."]),
        ("He left. (She stayed.) Why?", ["He left .", "( She stayed . )", "Why ?"]),
        ('"Go!" he said. He left.', ['" Go ! " he said .', "He left ."]),
        ('"Go!", Ann said.', ['" Go ! " , Ann said .']),
        ("He left (at last!) and slept.", ["He left ( at last ! ) and slept ."]),
    ],
)
def test_a_closing_quote_goes_with_its_sentence_an_opening_one_with_the_next(
    text: str, found: list[str]
) -> None:
    assert sentences(text) == found


@pytest.mark.parametrize(
    ("lang", "text", "found"),
    [
        ("fr", "« Va. » Il partit. « Oui ! » dit Anne.", ["« Va . »", "Il partit ."]),
        ("de", "„Nein.“ Er ging. „Gut!“ sagte sie.", ["„ Nein . “", "Er ging ."]),
        ("de", "»Nein.« Er ging. »Gut!« sagte sie.", ["» Nein . «", "Er ging ."]),
    ],
)
def test_quotes_of_other_languages(lang: str, text: str, found: list[str]) -> None:
    *before, last = sentences(text, lang)
    assert before == found and last.count("!") == 1


@pytest.mark.parametrize(
    "text",
    [
        "John Smith Sr. was here.",
        "See No. 5 and Vol. 3, vol. II.",
        "It weighs approx. 5 kg.",
        "Mr. Brown, Dr. Lee and Capt. Ford, e.g. here.",
        "Cars etc. and so on.",
    ],
)
def test_an_abbreviation_does_not_end_a_sentence(text: str) -> None:
    (found,) = sentences(text)
    assert found.count(" .") == 1


def test_a_word_that_looks_like_an_abbreviation_ends_one() -> None:
    assert len(sentences("She said no. Ann left. No. I know. He came, etc. She left.")) == 6


def test_the_text_stays_and_each_word_has_its_place() -> None:
    text = "\r\n  Ann  met\r\nEve. \r\n\r\n\tShe left.\r\n\n"
    found = plain.document(text, "en")
    assert found.text == text and found.offsets is not None
    assert [[text[a:b] for a, b in spans] for spans in found.offsets] == words(text)
    assert len(found.sentences) == 2
    assert found.located(Mention(1, 0, 2)) == (text.index("She"), text.index("left") + 4)
