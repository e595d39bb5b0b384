"""What is asked, and of which items."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.annotate.questions import (
    SKIPPED,
    WIDTH,
    AnnotationItem,
    cut_window,
    load_questions,
    read_items,
)
from corefmill.builders.wec.facts.event_facts import EventNote
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, MaskedExample, Record, Sentence, Source, Token
from tests.corefmill.annotate import event_corpus
from tests.corefmill.annotate.event_corpus import event

OWN_KEYS = set("ukm?123456789")
"""Of the page: undo, skip, remark, guidelines, and the candidates."""


def masked(text: str, target: str, candidates: tuple[str, ...], **more: Any) -> MaskedExample:
    start = text.index(target)
    span = (start, start + len(target))
    made: dict[str, Any] = {"id": "m1", "mentions": (), "label": None, "source": Source("A", 1)}
    made |= more
    return MaskedExample(
        lang="en",
        text=text,
        sentences=((0, len(text)),),
        target=span,
        candidates=candidates,
        **made,
    )


def test_every_answer_has_a_key_of_its_own() -> None:
    for asked in load_questions().values():
        assert asked.guidelines and len(asked.guidelines) < 2500
        for question in asked.questions:
            keys = [one.key for one in (*question.answers, *question.reasons)]
            assert len(set(keys)) == len(keys) and not OWN_KEYS & set(keys)
            names = {one.name for one in question.answers}
            assert SKIPPED not in names
            assert bool(question.reasons) == (question.answers_with in names)


def test_events_come_cluster_by_cluster_and_like_by_like(tmp_path: Path) -> None:
    text = "The flood of 1987 came. Then the 1987 flood went."
    written: list[Record] = [
        event("a", "1", text, "flood of 1987"),
        event("b", "2", text, "flood"),
        event("c", "1", text, "1987 flood", "Zoo"),
        event("d", "1", text, "1987 flood"),
    ]
    jsonl.write(tmp_path / "own.jsonl", written)
    found = list(read_items(tmp_path / "own.jsonl"))
    assert [item.id for item in found] == ["d", "c", "a", "b"]
    first = found[0]
    assert first.text[slice(*first.marks[0][:2])] == "1987 flood"
    assert dict(first.facts) == {
        "Event": "Event 1",
        "Type": "Flood",
        "Mentions": "3",
        "Paragraph of": "Town",
    }


def test_an_event_is_told_of_where_the_corpus_does(tmp_path: Path) -> None:
    mention = event("a", "1", "The flood came.", "flood")
    told = EventNote("1", "en", "Event 1", "The flood of 1987 drowned a mill.", {"Date": "1987"})
    other = EventNote("1", "de", "Flut", "Die Flut.", {})
    corpus = event_corpus.write(tmp_path / "own", {"test": [mention]}, [told, other])
    [item] = read_items(corpus)
    assert dict(item.facts) == {
        "Event": "Event 1",
        "About": "The flood of 1987 drowned a mill.",
        "Type": "Flood",
        "Date": "1987",
        "Mentions": "1",
        "Paragraph of": "Town",
    }
    (corpus / "events.jsonl").write_text('{"cluster": "1"}\n')
    with pytest.raises(DataError, match="not a EventNote") as raised:
        list(read_items(corpus))
    assert raised.value.line == 1


def test_a_masked_name_hides_its_target_and_keeps_the_label_apart(tmp_path: Path) -> None:
    record = masked("Ann saw Bea before Ann left.", "Ann left", ("Ann", "Bea"), label=0)
    record = masked(record.text, "Bea", ("Ann", "Bea"), label=1)
    jsonl.write(tmp_path / "own.jsonl", [record])
    [item] = read_items(tmp_path / "own.jsonl")
    assert item.kind == "masked-name"
    assert item.text == "Ann saw [MASK] before Ann left."
    assert item.marks == ((8, 14, "mask"),)


def test_two_persons_and_a_pronoun_are_a_pronoun_problem(tmp_path: Path) -> None:
    record = masked("Ann told Bea that she had won.", "she", ("Ann", "Bea"))
    jsonl.write(tmp_path / "own.jsonl", [record])
    [item] = read_items(tmp_path / "own.jsonl")
    assert item.kind == "pronoun-problem"
    assert item.text == record.text and item.marks == ((18, 21, "pronoun"),)


def test_an_utterance_has_its_source_where_the_document_keeps_it(tmp_path: Path) -> None:
    tokens = (Token("Ciao"), Token("!", space_after=False))
    record = Document(
        *("d", 0, "it", (Sentence(tokens),), ()), meta={"english": [{"text": "Hello!"}]}
    )
    jsonl.write(tmp_path / "own.jsonl", [record])
    [item] = read_items(tmp_path / "own.jsonl")
    assert (item.id, item.kind, item.source) == ("d/0/0", "utterance", "Hello!")
    assert item.text == "Ciao !"


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([masked("Ann saw Bea.", "Bea", ("Ann", "Bea"))] * 2, "two items have the id"),
        ([masked("Ann saw Bea.", "Bea", ("Ann", "none"))], "is called 'none'"),
    ],
)
def test_what_cannot_be_judged_is_named(tmp_path: Path, records: list[Record], said: str) -> None:
    jsonl.write(tmp_path / "own.jsonl", records)
    with pytest.raises(DataError, match=said) as raised:
        list(read_items(tmp_path / "own.jsonl"))
    assert raised.value.line == len(records)


ITEM = AnnotationItem(id="i", kind="event-mention", lang="en", split="", group="", text="")


def test_control_codes_and_marks_of_direction_are_shown() -> None:
    item = replace(ITEM, text="a\u202eb\x1b[0m c", marks=((2, 3, "mention"),))
    assert cut_window(item) == [("", "a\\u202e"), ("mention", "b"), ("", "\\u001b[0m c")]


@pytest.mark.parametrize("place", [0, 500_000, 999_990])
def test_a_long_text_is_shown_around_its_mark(place: int) -> None:
    text = "0123456789" * 100_000
    item = replace(ITEM, text=text, marks=((place, place + 5, "mention"),))
    found = cut_window(item)
    assert dict(found)["mention"] == text[place : place + 5]
    assert sum(len(piece.strip(" …")) for _, piece in found) == WIDTH
    assert (found[0] == ("", "… ")) == (place > 1_500)
    assert (found[-1] == ("", " …")) == (place < 999_000)
