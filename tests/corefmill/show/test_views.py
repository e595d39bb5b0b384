"""What is shown of each kind of record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Span
from corefmill.show.views import cluster_names, document_rows, texts, view
from tests.corefmill.show.shown import ITALIAN
from tests.corpora.test_records import EVENT


def test_an_event_mention_of_one_piece_or_several() -> None:
    parts: tuple[Span, ...] = ((6, 9), (10, 15))
    shown = view(replace(EVENT, parts=parts, head=(10, 15), pos="NOUN"), "")
    assert shown.rows[0].text.marks[0].parts == parts
    assert [(one.name, one.note) for one in shown.clusters] == [("A flood", "disaster")]
    assert dict(shown.facts) == {"cluster": "7", "infobox": "flood", "head": "flood NOUN"}
    assert view(EVENT, "").rows[0].text.marks[0].parts == ((10, 15),)


def marked(passage: Any) -> list[tuple[int, list[str]]]:
    return [
        (mark.cluster, [passage.text[start:end] for start, end in mark.parts])
        for mark in passage.marks
    ]


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


@pytest.mark.parametrize("multiword", [7, {"9-10": "x"}, {"1-2": 3}, {"1-2": "x", "2-3": "y"}])
def test_written_words_that_are_none_leave_the_words(multiword: object) -> None:
    meta = {**ITALIAN.meta, "corefud": {"sentences": {"1": {"multiword": multiword}}}}
    _, second = document_rows(replace(ITALIAN, meta=meta), 1_000)
    assert second.text.text == "Viene da la casa ."


@pytest.mark.parametrize(
    "english",
    [
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
