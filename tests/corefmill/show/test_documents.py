"""A document's sentences as they are written, beside their source."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from corefmill.corpora.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Token
from corefmill.show import documents
from tests.corefmill.show.shown import ITALIAN


def marked(passage: Any) -> list[tuple[int, list[str]]]:
    return [
        (mark.cluster, [passage.text[start:end] for start, end in mark.parts])
        for mark in passage.marks
    ]


def test_a_translation_stands_beside_its_source_with_what_the_rules_did() -> None:
    first, second = documents.rows(ITALIAN, 1_000)
    assert (first.speaker, first.text.text, first.unrefined) == ("Ann", "Lui parla .", "")
    assert marked(first.text) == [(1, ["Lui"])]
    assert first.source is not None and first.source.lang == "en"
    assert marked(first.source) == [(1, ["He"])]
    assert second.text.text == "Viene dalla casa ."  # da + la are written as one
    assert marked(second.text) == [(1, [""]), (2, ["dalla casa"])]
    assert second.source is not None
    assert marked(second.source) == [(2, ["the house"])]
    assert second.unrefined == "Lei viene da la casa ."
    assert [(one.rule, one.before) for one in second.changes] == [("subject-deletion", "Lei")]
    assert (first.weight, second.weight) == (1.0, 0.25)
    assert list(documents.changes(ITALIAN)) == ["subject-deletion"]


def test_sentences_are_shown_as_long_as_there_is_room() -> None:
    (only,) = documents.rows(ITALIAN, 15)
    assert only.text.text == "Lui parla ."
    (cut,) = documents.rows(ITALIAN, 4)
    assert (cut.text.text, cut.text.after) == ("Lui ", 7) or cut.text.after > 0


def test_what_is_said_and_what_clusters_are_called() -> None:
    assert list(documents.texts(ITALIAN)) == [
        "Lui parla .",
        "He speaks.",
        "Viene dalla casa .",
        "She comes from the house.",
    ]
    assert list(documents.mention_words(ITALIAN)) == ["Lui", "", "la casa"]
    assert documents.name_of(ITALIAN, ITALIAN.clusters[1]) == "la casa"
    assert documents.name_of(ITALIAN, ITALIAN.clusters[0][1:]) == "unsaid"


def test_a_discontinuous_mention_has_its_pieces() -> None:
    tokens = tuple(map(Token, "abc"))
    mention = Mention(0, 0, 3, ((0, 1), (2, 3)))
    made = Document("d", 0, "en", (Sentence(tokens),), ((mention,),))
    (row,) = documents.rows(made, 99)
    assert marked(row.text) == [(1, ["a", "c"])]
    assert list(documents.mention_words(made)) == ["a … c"]


@pytest.mark.parametrize(
    "multiword",
    [None, 7, {"9-10": "x"}, {"2-1": "x"}, {"1-2": 3}, {"x": "y"}, {"1-2": "x", "2-3": "y"}],
)
def test_written_words_that_are_none_leave_the_words(multiword: object) -> None:
    meta = {**ITALIAN.meta, "corefud": {"sentences": {"1": {"multiword": multiword}}}}
    _, second = documents.rows(replace(ITALIAN, meta=meta), 1_000)
    assert second.text.text == "Viene da la casa ."


@pytest.mark.parametrize(
    "english",
    [
        7,
        [],
        [{"text": "x"}] * 2,
        [{"text": "x", "tokens": ["x"], "mentions": [[0, 0, 2, 0, 1]]}] * 2,
        [{"text": "x", "tokens": ["x"], "mentions": [["a", 0, 1, 0, 1]]}] * 2,
    ],
)
def test_a_source_of_another_shape_is_none(english: object) -> None:
    for row in documents.rows(replace(ITALIAN, meta={"english": english}), 1_000):
        assert row.source is None


def test_a_source_that_its_tokens_do_not_make_is_its_tokens() -> None:
    given = {"text": "else", "tokens": ["b", "a"], "mentions": [[-5, 1, 2, 0, 1]]}
    row, _ = documents.rows(replace(ITALIAN, meta={"xx": [given, given]}), 99)
    assert row.source is not None
    assert (row.source.text, row.source.lang) == ("b a", "xx")
    assert marked(row.source) == [(0, ["a"])]


def test_a_record_of_rules_that_is_none_is_an_error() -> None:
    broken = replace(ITALIAN, meta={"ontocorefit": {"utterances": {"9": {}}}})
    with pytest.raises(DataError, match="document tale: a record of utterance '9'"):
        list(documents.rows(broken, 99))
