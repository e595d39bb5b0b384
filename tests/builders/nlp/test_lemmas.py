"""Lemmas by rule, where the pipeline's lemmatiser makes none that is a word."""

from __future__ import annotations

import pytest

from corefmill.builders.nlp.lemmas import LemmaRules, load_rules

_VERBS = ("cross", "bottle", "invite", "develop", "hope", "hop", "control", "rest")
KNOWN = frozenset((*_VERBS, "movie", "bus", "match", "troops"))


@pytest.fixture(scope="module")
def rules() -> LemmaRules:
    found = load_rules("en", KNOWN.__contains__)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("form", "upos", "tag", "lemma", "expected"),
    [
        ("bottling", "VERB", "VBG", "bottl", "bottle"),
        ("captured", "VERB", "VBN", "captur", "capture"),
        ("invited", "VERB", "VBN", "invit", "invite"),
        ("developed", "VERB", "VBD", "develope", "develop"),
        ("releases", "NOUN", "NNS", "releas", "release"),
        ("movies", "NOUN", "NNS", "movy", "movie"),
        ("Horsemen", "NOUN", "NNS", "Horsemen", "Horseman"),
        # Other words keep the pipeline's lemma.
        ("has", "AUX", "VBZ", "have", "have"),
        ("are", "VERB", "VBP", "be", "be"),
        ("striking", "ADJ", "VBG", "striking", "striking"),
        ("Hastings", "PROPN", "NNPS", "Hastings", "Hastings"),
        ("naïve", "NOUN", "NN", "naïve", "naïve"),
    ],
)
def test_spelling_gives_the_lemma_of_verbs_and_nouns(
    rules: LemmaRules, form: str, upos: str, tag: str, lemma: str, expected: str
) -> None:
    assert rules.mend(form, upos, tag, lemma) == expected
