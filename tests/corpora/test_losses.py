"""What is lost between two forms of a record, by field."""

from __future__ import annotations

from dataclasses import replace

from corefmill.corpora.convert import lost
from corefmill.corpora.records import Mention, Sentence, Token
from tests.corpora.test_records import EXAMPLE, document

ONE, TWO = Mention(0, 0, 1), Mention(1, 0, 1)


def test_nothing_is_lost_where_nothing_was() -> None:
    assert lost(EXAMPLE, EXAMPLE) == set()
    assert lost(EXAMPLE, replace(EXAMPLE, meta={"more": 1})) == set()


def test_a_label_of_zero_is_something() -> None:
    assert lost(EXAMPLE, replace(EXAMPLE, label=None)) == {"label"}


def test_the_order_of_clusters_and_mentions_says_nothing() -> None:
    before = replace(document(), clusters=((ONE, TWO), (Mention(0, 1, 2),)))
    after = replace(before, clusters=((Mention(0, 1, 2),), (TWO, ONE)))
    assert lost(before, after) == set()
    assert lost(before, replace(before, clusters=((ONE,), (TWO,)))) == {"clusters"}


def test_a_field_of_a_token_is_named_once() -> None:
    rich = (Sentence((Token("a", lemma="b", space_after=False), Token("c", lemma="d")), "Anna"),)
    before = replace(document(), sentences=rich)
    after = replace(before, sentences=(Sentence((Token("a"), Token("c"))),))
    assert lost(before, after) == {
        "sentences.speaker",
        "sentences.tokens.lemma",
        "sentences.tokens.space_after",
    }
    assert lost(before, document()) == {"sentences"}


def test_meta_is_named_by_key() -> None:
    before = replace(EXAMPLE, meta={"links": [1], "note": "", "deep": {"one": 1}})
    assert lost(before, EXAMPLE) == {"meta.links", "meta.deep"}
