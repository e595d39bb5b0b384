"""The mutator of problems: what it changes, and that it is the same for the same seed."""

from __future__ import annotations

import random

from benchmarks.rewriting import plant, rewritten
from corefmill.builders.overlap.words import clean, forms
from corefmill.corpora.formats.candidates import masked_example

TEXT = "Ann thanked Eve for the letter, because she had carried it home."
AT = TEXT.index("she")
ITEM = masked_example("1", "en", TEXT, (AT, AT + 3), ("Ann", "Eve"), 1)


def test_names_tense_and_sentences_change() -> None:
    made = rewritten(ITEM, random.Random(3))
    assert made.changes == ("names", "tense", "split")
    words = forms(clean, made.text)
    assert "thanks" in words and "carries" in words and "thanked" not in words
    assert not made.text.startswith("Ann") and made.text.count(". ") == 1
    assert rewritten(ITEM, random.Random(3)) == made


def test_a_blank_is_read_as_the_first_candidate() -> None:
    text = "Ann met Eve because _ called."
    blank = masked_example("2", "en", text, (20, 21), ("Ann", "Eve"), 0)
    assert "_" not in rewritten(blank, random.Random(0)).text


def test_what_was_planted_is_known() -> None:
    made = plant([["one", "two"], ["three"]], [rewritten(ITEM, random.Random(1))], random.Random(1))
    flags = [flag for text in made for _, flag in text]
    assert sorted(flags) == [False, False, False, True]
