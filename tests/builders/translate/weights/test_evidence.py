from __future__ import annotations

from math import log

import pytest

from corefmill.builders.translate.weights.chrf import chrf
from corefmill.builders.translate.weights.evidence import Evidence, ToWeigh, evidence_of
from tests.rules.trees import utterance

FS = "Gender=Fem|Number=Sing"
GIVEN = utterance(
    f"""
    La il DET {FS} 2 det
    vecchi vecchio ADJ Gender=Masc|Number=Plur 3 amod
    gatta gatto NOUN {FS} 5 nsubj
    vecchi vecchio ADJ Gender=Masc 3 dep
    dormono dormire VERB Number=Plur 0 root
    splashed splashed X _ 5 dep
    """
)


def test_evidence_of_an_utterance() -> None:
    forms = ("The", "old", "cat", "slept", ",", "splashed", "La", ".")
    found = evidence_of(ToWeigh("The old cat slept, splashed La.", forms, GIVEN, 2), unknown=2)
    # vecchi - gatta differ in both, gatta - dormono in number; La hangs on an adjective, whose
    # gender and number are others too.
    assert found == Evidence(
        length=log(6), copied=1 / 5, disagreeing=5 / 5, redrawn=1, unknown=2 / 8, back=None
    )


def test_words_of_two_letters_and_names_are_not_copied() -> None:
    given = utterance("no no ADV _ 0 root\nAnna Anna PROPN _ 1 dep")
    assert evidence_of(ToWeigh("no Anna", ("no", "Anna"), given, 1)).copied == 0


def test_what_nobody_was_asked_is_not_written() -> None:
    assert Evidence(1.23456, 0.5, 0.0, 0.0, back=0.25).as_json() == {
        "length": 1.2346, "copied": 0.5, "disagreeing": 0.0, "redrawn": 0.0, "back": 0.25,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "reference", "score"),
    [
        ("the cat", "the cat", 1.0), ("", "the cat", 0.0), ("xyz", "abc", 0.0), ("a b", "ab", 1.0),
        # One of two letters, and no pair: precision and recall are the mean of 1/2 and 0.
        ("ab", "ac", 1 / 4),
        # Letters 2/2 and 2/3, pairs 1/1 and 1/2: precision 1, recall 7/12; F with beta 2.
        ("ab", "abc", 5 * (7 / 12) / (4 + 7 / 12)),
    ],
)  # fmt: skip
def test_chrf(text: str, reference: str, score: float) -> None:
    assert chrf(text, reference) == pytest.approx(score)
