"""Brackets: nested mentions, and those that begin and end at one place."""

from __future__ import annotations

from corefmill.corpora.brackets import bracketed
from corefmill.corpora.records import Document, Mention, Sentence, Token


def test_mentions_nest_and_meet() -> None:
    sentences = tuple(
        Sentence(tuple(map(Token, text.split()))) for text in ("the dog of Ann", "she sleeps")
    )
    ann = (Mention(0, 3, 4), Mention(1, 0, 1))
    document = Document("d", 0, "en", sentences, (ann, (Mention(0, 0, 4), Mention(0, 0, 2))))
    assert bracketed(document, 0) == "[[the dog]1 of [Ann]0]1"
    assert bracketed(document, 1) == "[she]0 sleeps"
