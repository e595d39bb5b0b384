"""What is shown of each kind of record."""

from __future__ import annotations

from dataclasses import replace

from corefmill.corpora.records import Span
from corefmill.show.marks import Sort
from corefmill.show.views import LONGEST_NAME, brief, cluster_names, source_of, texts, view
from tests.corefmill.show.shown import ITALIAN
from tests.corpora.test_records import EVENT, EXAMPLE


def test_a_masked_example() -> None:
    shown = view(replace(EXAMPLE, meta={"gender": "female"}), "train")
    (row,) = shown.rows
    assert [(one.cluster, one.parts, one.sort) for one in row.text.marks] == [
        (1, ((14, 18),), Sort.TARGET),
        (1, ((0, 4),), Sort.MENTION),
        (2, ((9, 12),), Sort.MENTION),
    ]
    assert [(one.name, one.note) for one in shown.clusters] == [("Anna", "the answer"), ("Bob", "")]
    assert dict(shown.facts) == {"answer": "Anna", "gender": "female", "where": "paragraph 2"}
    assert (shown.id, shown.split, shown.source, shown.gender) == ("1", "train", "A day", "female")
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
