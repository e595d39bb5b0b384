"""Rows of clusters: the metrics' mean, singletons, groups."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.evaluation.documents import score_documents
from corefmill.coref_model.evaluation.events import score_clusters
from corefmill.corpora.records import Document, EventMention, Mention, Sentence, Source, Token
from tests.coref_model.evaluation.answering import split


def mention(name: str, cluster: str) -> EventMention:
    return EventMention(name, "en", "the quake", 4, 9, cluster, "t", "e", "i", Source("p", 1))


def document(name: str, *found: tuple[int, ...]) -> Document:
    words = tuple(Token(form) for form in ["a", "b", "c", "d", "e"])
    return Document(
        name,
        0,
        "en",
        (Sentence(words),),
        tuple(tuple(Mention(0, place, place + 1) for place in one) for one in found),
    )


def test_mentions_in_their_own_clusters() -> None:
    gold = [("t", mention("1", "x")), ("t", mention("2", "x")), ("t", mention("3", "y"))]
    found = score_clusters(gold, {"1": 0, "2": 0, "3": 7}, split("wec"), "gold topics")
    assert [row.score for row in found] == [100.0] * 4
    assert {row.n for row in found} == {3} and not found[0].counts
    assert [row.metric for row in found] == ["MUC F1", "B3 F1", "CEAFe F1", "CoNLL F1"]


@pytest.mark.parametrize(("singletons", "score"), [("keep", 80.0), ("drop", 100.0)])
def test_singletons_count_as_is_said(singletons: str, score: float) -> None:
    # Key {a b} {c}, response {a b}: B3 recall 2/3, precision 2/2.
    found = score_documents(
        [document("d", (0, 1), (2,))],
        [document("d", (0, 1))],
        split("litbank"),
        "predicted mentions",
        singletons="keep" if singletons == "keep" else "drop",
    )
    assert found[1].score == pytest.approx(score)
    assert "singletons" in found[1].protocol
