"""The sample of documents is what OntoNotes' readers expect: trees, lemmas, speakers, clusters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from corefmill.corpora.check.checker import Checker
from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Document

FOLDER = Path(__file__).parents[3] / "corpora" / "sample" / "documents"
DIALOGUE = ("tc/", "bc/")


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [d for f in sorted(FOLDER.glob("*.conll")) for _, d in conll2012.read(f, "en")]


def test_nothing_is_found_by_check() -> None:
    checker = Checker()
    assert list(checker.check([FOLDER])) == []
    assert {path.name: n for path, n in checker.read.items()} == {
        "train.conll": 24,
        "validation.conll": 6,
    }


def test_each_word_has_its_columns(documents: list[Document]) -> None:
    for document in documents:
        assert set(document.meta) <= {"conll"} and "width" not in document.meta["conll"]
        for sentence in document.sentences:
            assert all(token.lemma and token.xpos for token in sentence.tokens)
            assert (sentence.speaker is not None) == document.doc_id.startswith(DIALOGUE)


def test_each_sentence_is_one_tree(documents: list[Document]) -> None:
    labels: Counter[str] = Counter()
    for document in documents:
        for number, sentence in enumerate(document.sentences):
            bits = document.meta["conll"]["sentences"][str(number)]["parse"].split("\t")
            depth = 0
            for place, bit in enumerate(bits, 1):
                opened, star, closed = bit.partition("*")
                assert star and set(closed) <= {")"}
                labels.update(opened.split("(")[1:])
                depth += opened.count("(") - len(closed)
                assert (depth == 0) == (place == len(sentence.tokens))
    assert labels["TOP"] == sum(len(document.sentences) for document in documents)
    assert {"S", "NP", "VP", "PP", "SBAR", "SQ", "SBARQ", "ADJP", "ADVP", "WHNP"} <= set(labels)


def test_a_mention_is_a_node_of_its_tree_or_one_word(documents: list[Document]) -> None:
    for document in documents:
        nodes = [
            _nodes(document.meta["conll"]["sentences"][str(n)]["parse"].split("\t"))
            for n in range(len(document.sentences))
        ]
        for cluster in document.clusters:
            assert len(cluster) > 1
            for m in cluster:
                assert m.end - m.start == 1 or (m.start, m.end) in nodes[m.sentence]


def _nodes(bits: list[str]) -> set[tuple[int, int]]:
    open_at: list[int] = []
    found = set()
    for place, bit in enumerate(bits):
        opened, _, closed = bit.partition("*")
        open_at += [place] * opened.count("(")
        found |= {(open_at.pop(), place + 1) for _ in closed}
    return found


def test_mentions_nest_and_speakers_take_turns(documents: list[Document]) -> None:
    nested = 0
    for document in documents:
        mentions = [m for cluster in document.clusters for m in cluster]
        nested += sum(
            a.sentence == b.sentence and a.start <= b.start and b.end <= a.end and a != b
            for a in mentions
            for b in mentions
        )
    assert nested >= 40
    for document in documents:
        if document.doc_id.startswith(DIALOGUE):
            assert len({sentence.speaker for sentence in document.sentences}) >= 2
