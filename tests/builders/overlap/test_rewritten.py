"""Rewritten items: other names, another tense, two sentences for one; and what is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from corefmill.builders.overlap.rewritten import RewrittenQuery, matches, wanted
from corefmill.builders.overlap.words import clean, forms
from corefmill.corpora.formats.candidates import masked_example
from corefmill.corpora.records import MaskedExample

TEXT = "The trophy did not fit into the brown suitcase because it was too large."
START = TEXT.index("it was")
TROPHY = masked_example(
    "1", "en", TEXT, (START, START + 2), ("The trophy", "the brown suitcase"), 0
)
LETTER = "Ann thanked Eve for the letter and hurried home since she had missed the last train."
AT = LETTER.index("she")
ANN = masked_example("2", "en", LETTER, (AT, AT + 3), ("Ann", "Eve"), 0)
COMMON = {"the": 60_000, "and": 50_000, "for": 20_000, "into": 9_000, "because": 4_000}


def query(*examples: MaskedExample) -> RewrittenQuery:
    """By a text of 100,000 sentences, in 30 of which stands a word that is not common."""
    return wanted(examples, "en", lambda word: COMMON.get(word, 30), 100_000)


def found(asked: RewrittenQuery, *paragraphs: str) -> list[tuple[int, str]]:
    words: Sequence[list[str]] = [forms(clean, text) for text in paragraphs]
    flat = [word for own in words for word in own]
    ends = np.cumsum([len(own) for own in words], dtype=np.int64)
    return [
        (item, " ".join(flat[first : last + 1]))
        for item, _, first, last in matches(asked, flat, ends)
    ]


def test_other_names_another_tense_and_two_sentences_are_the_same_item() -> None:
    text = "He sat. Kim thanks Bo for the letter. She hurries home, has missed the last train. Oh."
    [(item, where)] = found(query(TROPHY, ANN), "Nothing.", text)
    assert (
        item == 1 and where == "thanks bo for the letter she hurries home has missed the last train"
    )


def test_its_words_in_another_order_or_far_apart_are_not() -> None:
    backwards = " ".join(reversed(forms(clean, LETTER)))
    assert not found(query(ANN), backwards)
    apart = " so it went on for a good while ".join(forms(clean, LETTER))
    assert not found(query(ANN), apart)


def test_half_of_its_words_are_not() -> None:
    assert not found(query(ANN), "Kim thanked Bo for the letter and slept.")


def test_it_does_not_go_over_the_end_of_a_paragraph() -> None:
    half = LETTER.index("and hurried")
    assert found(query(ANN), LETTER) and not found(query(ANN), LETTER[:half], LETTER[half:])


def test_an_item_of_few_rare_words_is_too_short_and_never_found() -> None:
    text = "Ann and Eve and she went."
    short = replace(ANN, text=text, target=(16, 19), sentences=())
    asked = wanted([short, ANN], "en", lambda _: 20_000, 100_000)
    assert asked.too_short(0) and not found(asked, text)
    assert not query(ANN).too_short(0)


def test_every_place_of_an_item_is_found() -> None:
    assert len(found(query(ANN), LETTER, "Nothing.", LETTER)) == 2
    again = "Then Kim thanks Bo for the letter; she hurries home, has missed the last train."
    third = LETTER.replace("Ann", "Jo").replace("Eve", "Liz")
    assert len(found(query(ANN), f"{LETTER} {again} {third}")) == 3
    assert found(query(ANN)) == [] and found(query(), LETTER) == []
