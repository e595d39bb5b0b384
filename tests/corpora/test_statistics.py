"""Figures of small corpora, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.corpora.records import Document, EventMention, Mention, Sentence, Source, Token
from corefmill.corpora.statistics import Figures, make_statistics
from tests.corpora.test_records import EVENT, EXAMPLE


def figures(schema: str, *records: object) -> Figures:
    made = make_statistics(schema)
    for record in records:
        made.add(record)
    return made.figures()


def event(cluster: str, lemma: str) -> EventMention:
    return replace(EVENT, cluster=cluster, lemma=lemma)


def test_ambiguity_folds_case_and_diversity_does_not() -> None:
    # a: Flood flood   b: flood war   c: Battle
    found = figures(
        "event-mention/1",
        *(event(*pair.split()) for pair in ("a Flood", "a flood", "b flood", "b war", "c Battle")),
    )
    # flood in a and b, war in b, battle in c: (2 + 1 + 1) / 3
    assert found["ambiguity (clusters of a head lemma)"] == pytest.approx(4 / 3)
    # a: Flood, flood; b: flood, war; c has one mention and does not count: (2 + 2) / 2
    assert found["diversity (head lemmas of a cluster)"] == 2
    # All strings are "flood": (2/1 + 2/1 + 1/1) / 3
    assert found["mentions of the same string"] == pytest.approx(5 / 3)
    assert (found["clusters"], found["clusters of one"], found["mentions"]) == (3, 1, 5)
    other = replace(EVENT, event_type="attack", source=Source("Another", 1))
    found = figures("event-mention/1", EVENT, EVENT, other)
    assert (found["type disaster"], found["type attack"], found["articles"]) == (2, 1, 2)


def document() -> Document:
    texts = ("Anna saw her .", "She left .", "The old man slept .")
    sentences = tuple(Sentence(tuple(map(Token, text.split()))) for text in texts)
    anna = (Mention(0, 0, 1), Mention(0, 2, 3), Mention(1, 0, 1))
    return Document("d", 0, "en", sentences, (anna, (Mention(2, 0, 3),)))


def test_documents() -> None:
    found = figures("document/1", document())
    assert {
        "documents": 1,
        "sentences": 3,
        "tokens": 12,
        "mentions": 4,
        "clusters": 2,
        "clusters of one": 1,
        "pronouns, share of mentions": 0.5,
        "words of a mention, mean": 1.5,
        "words of a mention, most": 3,
        "sentences to the one before, mean": 0.5,
        "in the same sentence, share": 0.5,
        "mentions to the one before, mean": 1,
        "mentions of a cluster, median": 1,
    }.items() <= found.items()


def test_zero_and_discontinuous_mentions() -> None:
    cluster = (Mention(0, 0, 4, parts=((0, 1), (3, 4))), Mention(1, 0, 0, zero=True))
    found = figures("document/1", replace(document(), clusters=(cluster,)))
    assert (found["zero mentions"], found["discontinuous mentions"]) == (1, 1)
    assert found["words of a mention, mean"] == 2
    # A word in two parts counts once.
    overlapping = ((Mention(0, 0, 3, parts=((0, 2), (1, 3))),),)
    found = figures("document/1", replace(document(), clusters=overlapping))
    assert found["words of a mention, mean"] == 3


def test_masked_examples() -> None:
    found = figures(
        "masked-example/1", EXAMPLE, replace(EXAMPLE, label=1), replace(EXAMPLE, label=None)
    )
    assert {
        "examples": 3,
        "without a label": 1,
        "label 1, share": 0.5,
        "label 2, share": 0.5,
        "pronoun as target, share": 0,
        "articles": 1,
        "candidates, mean": 2,
        "words of a passage, median": 5,
    }.items() <= found.items()
