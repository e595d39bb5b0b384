"""Finding events: documents are made of event mentions, and what is found in them are mentions."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from benchmarks import found_events
from corefmill.coref_model.events.sampling import groups
from corefmill.corpora.records import Document, EventMention, Mention, Source

TEXT = "Nobody came . Two men attacked a bank , and the attack failed . He put it out ."
SENTENCE, LAST = (14, 63), (64, 79)


def mention(
    words: str, cluster: str, sentence: tuple[int, int] = SENTENCE, *, pieces: tuple[str, ...] = ()
) -> EventMention:
    """The mention of these words, the last time they stand in the sentence."""
    start = TEXT.rindex(f" {words} ", *sentence) + 1
    places = [(TEXT.index(one, start), len(one)) for one in pieces]
    return EventMention(
        *(words, "en", TEXT, start, start + len(words), cluster, "", "", "", Source("1_1.xml", 0)),
        parts=tuple((at, at + size) for at, size in places),
        meta={"topic": "1", "sentence_span": list(sentence)},
    )


def spans(found: Iterable[EventMention]) -> list[str]:
    return [one.text[one.start : one.end] for one in found]


@pytest.fixture
def gold() -> list[EventMention]:
    return [
        *(mention("attacked", "a"), mention("attack", "a"), mention("failed", "f")),
        mention("put it out", "p", LAST, pieces=("put", "out")),
    ]


def test_a_document_is_the_sentences_with_an_event(gold: list[EventMention]) -> None:
    (made,) = found_events.documents(gold)
    assert [[token.form for token in one.tokens] for one in made.sentences] == [
        TEXT[slice(*SENTENCE)].split(),
        TEXT[slice(*LAST)].split(),
    ]
    # The one in two pieces is no exact span of words.
    assert made.clusters == ((Mention(0, 2, 3), Mention(0, 8, 9)), (Mention(0, 9, 10),))


def test_what_is_found_in_documents_are_mentions_of_the_texts(
    gold: list[EventMention], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Finder:
        def records(self, documents: Iterable[Document]) -> Iterator[Document]:
            return iter(documents)

    (tmp_path / "tagger-0").mkdir()
    (tmp_path / "tagger-0/model.toml").touch()
    monkeypatch.setattr(found_events, "load", lambda folder: Finder())
    found = list(found_events.tagged(Namespace(out=tmp_path), 0, gold))
    assert spans(found) == ["attacked", "attack", "failed"]
    assert {one.meta["topic"] for one in found} == {"1"}


def test_the_word_list_has_what_is_an_event_as_often_as_not(gold: list[EventMention]) -> None:
    assert spans(found_events.listed(gold, gold)) == ["attacked", "attack", "failed"]
    without = [one for one in gold if one.id != "attacked"]
    assert spans(found_events.listed(without, gold)) == ["attack", "failed"]


def test_scores_count_mentions_that_are_missed(gold: list[EventMention]) -> None:
    some = gold[:2]
    row = found_events._row(gold, "rule", "all alike", [(some, groups(some).chains)])
    assert row[:5] == ["2", "rule", "all alike", "", "50.0 / 100.0 / 66.7"]
    whole = found_events._row(gold, "gold", "gold", [(gold, groups(gold).chains)])
    assert whole[5] == "100.0"
