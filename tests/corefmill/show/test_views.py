"""What is shown of each kind of record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Span, Token
from corefmill.show.views import (
    LONGEST_NAME,
    brief,
    cluster_names,
    document_rows,
    source_of,
    texts,
    view,
)
from tests.corefmill.show.shown import ITALIAN
from tests.corpora.test_records import EVENT, EXAMPLE


def test_a_masked_example() -> None:
    shown = view(replace(EXAMPLE, meta={"gender": "female"}), "train")
    (row,) = shown.rows
    assert [(one.cluster, one.parts, one.target) for one in row.text.marks] == [
        (1, ((14, 18),), True),
        (1, ((0, 4),), False),
        (2, ((9, 12),), False),
    ]
    assert [(one.name, one.note) for one in shown.clusters] == [("Anna", "the answer"), ("Bob", "")]
    assert dict(shown.facts) == {"answer": "Anna", "gender": "female", "where": "paragraph 2"}
    assert (shown.id, shown.split, shown.source) == ("1", "train", "A day")
    unlabelled = view(replace(EXAMPLE, label=None), "")
    assert dict(unlabelled.facts)["answer"] == "not labelled"
    assert unlabelled.rows[0].text.marks[0].cluster == 0


def test_an_event_mention_of_one_piece_or_several() -> None:
    parts: tuple[Span, ...] = ((6, 9), (10, 15))
    shown = view(replace(EVENT, parts=parts, head=(10, 15), pos="NOUN"), "")
    assert shown.rows[0].text.marks[0].parts == parts
    assert [(one.name, one.note) for one in shown.clusters] == [("A flood", "disaster")]
    assert dict(shown.facts) == {"cluster": "7", "infobox": "flood", "head": "flood NOUN"}
    assert view(EVENT, "").rows[0].text.marks[0].parts == ((10, 15),)


def test_a_document() -> None:
    shown = view(ITALIAN, "test")
    assert shown.id == "tale, part 0"
    assert [(one.number, one.name, one.note) for one in shown.clusters] == [
        (1, "Lui", "2 mentions"),
        (2, "la casa", "1 mention"),
    ]
    assert shown.rules == ["subject-deletion"]
    assert view(ITALIAN, "", 12).left_out == 1


def test_what_a_record_is_found_by() -> None:
    assert list(cluster_names(EXAMPLE)) == ["Anna", "Bob"]
    assert list(cluster_names(EVENT)) == ["7", "A flood"]
    assert [*texts(EVENT)] == ["After the flood.", "7", "A flood"]
    assert "She comes from the house." in texts(ITALIAN)
    assert (source_of(EVENT), source_of(ITALIAN)) == ("A town", "tale")


def test_a_fact_is_brief_and_on_one_line() -> None:
    assert brief("a\n  b") == "a b"
    assert len(brief("x" * 10_000_000)) == LONGEST_NAME


def marked(passage: Any) -> list[tuple[int, list[str]]]:
    return [
        (mark.cluster, [passage.text[start:end] for start, end in mark.parts])
        for mark in passage.marks
    ]


def test_a_translation_stands_beside_its_source_with_what_the_rules_did() -> None:
    first, second = document_rows(ITALIAN, 1_000)
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


def test_sentences_are_shown_as_long_as_there_is_room() -> None:
    (only,) = document_rows(ITALIAN, 15)
    assert only.text.text == "Lui parla ."
    (cut,) = document_rows(ITALIAN, 4)
    assert (cut.text.text, cut.text.after) == ("Lui ", 7) or cut.text.after > 0


def test_what_is_said_and_what_clusters_are_called() -> None:
    assert list(texts(ITALIAN)) == [
        "Lui parla .",
        "He speaks.",
        "Viene dalla casa .",
        "She comes from the house.",
    ]
    assert list(cluster_names(ITALIAN)) == ["Lui", "", "la casa"]
    unsaid = replace(ITALIAN, clusters=(ITALIAN.clusters[0][1:],), meta={})
    assert [one.name for one in view(unsaid, "").clusters] == ["unsaid"]


def test_a_discontinuous_mention_has_its_pieces() -> None:
    tokens = tuple(map(Token, "abc"))
    mention = Mention(0, 0, 3, ((0, 1), (2, 3)))
    made = Document("d", 0, "en", (Sentence(tokens),), ((mention,),))
    (row,) = document_rows(made, 99)
    assert marked(row.text) == [(1, ["a", "c"])]
    assert list(cluster_names(made)) == ["a … c"]


@pytest.mark.parametrize(
    "multiword",
    [None, 7, {"9-10": "x"}, {"2-1": "x"}, {"1-2": 3}, {"x": "y"}, {"1-2": "x", "2-3": "y"}],
)
def test_written_words_that_are_none_leave_the_words(multiword: object) -> None:
    meta = {**ITALIAN.meta, "corefud": {"sentences": {"1": {"multiword": multiword}}}}
    _, second = document_rows(replace(ITALIAN, meta=meta), 1_000)
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
    for row in document_rows(replace(ITALIAN, meta={"english": english}), 1_000):
        assert row.source is None


def test_a_source_that_its_tokens_do_not_make_is_its_tokens() -> None:
    given = {"text": "else", "tokens": ["b", "a"], "mentions": [[-5, 1, 2, 0, 1]]}
    row, _ = document_rows(replace(ITALIAN, meta={"xx": [given, given]}), 99)
    assert row.source is not None
    assert (row.source.text, row.source.lang) == ("b a", "xx")
    assert marked(row.source) == [(0, ["a"])]


def test_a_record_of_rules_that_is_none_is_an_error() -> None:
    broken = replace(ITALIAN, meta={"ontocorefit": {"utterances": {"9": {}}}})
    with pytest.raises(DataError, match="document tale: a record of utterance '9'"):
        list(document_rows(broken, 99))
