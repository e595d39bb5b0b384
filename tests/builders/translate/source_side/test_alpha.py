"""The text of a sentence as its corpus writes it, for the method that marks mentions in it."""

from __future__ import annotations

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.projection import MarkDraft
from corefmill.builders.translate.source_side.alpha import to_part
from corefmill.corpora.records import Document, Mention, Sentence, Token

WORDS = ["L'", "ami", "de", "le", "maire", "vient", ",", "dit", "-", "il", "."]
APART = (False, True, False, True, True, False, True, False, False, False, True)
"""Whether a blank follows; `du` holds the third word and the fourth."""


def draft(*places: tuple[int, int], written: bool = True) -> MarkDraft:
    tokens = tuple(
        Token(word, space_after=apart or not written)
        for word, apart in zip(WORDS, APART, strict=True)
    )
    extra = {"multiword": {"3-4": "du"}} if written else {}
    clusters = tuple((Mention(0, *place),) for place in places)
    meta = {"corefud": {"sentences": {"0": extra}}}
    document = Document("d", 0, "fr", (Sentence(tokens),), clusters, meta)
    part = to_part(document, "train", Context(0, 0), nested=True)
    return MarkDraft.of(part.utterances[0], rewording=False)


def test_blanks_and_words_in_one_are_as_written() -> None:
    made = draft((0, 5), (3, 5), (9, 10))
    text = made.utterance.text
    assert text == "L'ami du maire vient, dit-il."
    assert [text[mark.start : mark.end] for mark in made.marks] == [
        "L'ami du maire",
        "maire",  # the article is in `du`, which is the preposition's
        "il",
    ]


def test_a_mention_of_half_a_word_alone_has_no_text() -> None:
    assert not draft((3, 4)).marks


def test_without_a_word_of_blanks_the_text_is_put_together() -> None:
    assert draft(written=False).utterance.text == "L' ami de le maire vient, dit-il."
