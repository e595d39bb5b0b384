"""Lemmas by rule, where the pipeline's lemmatiser makes none that is a word."""

from __future__ import annotations

import pytest

from corefmill.builders.nlp.lemmas import LemmaRules, load_rules

KNOWN = frozenset(
    [
        "cross",
        "bottle",
        "invite",
        "develop",
        "hope",
        "hop",
        "movie",
        "bus",
        "match",
        "control",
        "troops",
        "rest",
    ]
)


@pytest.fixture(scope="module")
def rules() -> LemmaRules:
    found = load_rules("en", KNOWN.__contains__)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("form", "tag", "lemma", "expected"),
    [
        ("bottling", "VBG", "bottl", "bottle"),
        ("captured", "VBN", "captur", "capture"),
        ("invited", "VBN", "invit", "invite"),
        ("developed", "VBD", "develope", "develop"),
        ("releases", "NNS", "releas", "release"),
        ("movies", "NNS", "movy", "movie"),
        ("Horsemen", "NNS", "Horsemen", "Horseman"),
    ],
)
def test_spelling_gives_the_lemma(
    rules: LemmaRules, form: str, tag: str, lemma: str, expected: str
) -> None:
    upos = "VERB" if tag.startswith("V") else "NOUN"
    assert rules.mend(form, upos, tag, lemma) == expected


@pytest.mark.parametrize(
    ("form", "upos", "tag", "lemma"),
    [
        ("has", "AUX", "VBZ", "have"),
        ("are", "VERB", "VBP", "be"),
        ("striking", "ADJ", "VBG", "striking"),
        ("Hastings", "PROPN", "NNPS", "Hastings"),
        ("naïve", "NOUN", "NN", "naïve"),
    ],
)
def test_other_words_keep_the_pipelines(
    rules: LemmaRules, form: str, upos: str, tag: str, lemma: str
) -> None:
    assert rules.mend(form, upos, tag, lemma) == lemma
