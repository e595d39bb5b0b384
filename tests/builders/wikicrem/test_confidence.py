"""The confidence of a masked name: weights that name evidence, and what they make of it."""

from __future__ import annotations

import pytest

from corefmill.builders.persons.view import DraftView
from corefmill.builders.wikicrem import confidence, example
from corefmill.builders.wikicrem.evidence import PronounEvidence
from tests.builders.wikicrem.passages import marked, parsed, view


def seen(line: str, relations: str) -> DraftView:
    return view(line, syntax=parsed(marked(line).text, relations))


def evidence(line: str, relations: str) -> dict[str, float]:
    found = seen(line, relations)
    assert found.syntax is not None
    return dict(PronounEvidence(found, found.syntax, "en").values())


JOINED = "met nsubj {0}; met obj {1}/1; left nsubj {1}; met conj left"


def test_each_weight_is_of_some_evidence_and_each_evidence_has_one() -> None:
    weights = confidence.weights_of("en")
    assert weights is not None
    assert set(weights.weights) == set(evidence("[Bob] met [Ann], and {Ann} left.", ""))
    assert 0 < weights.least < 1


def test_a_rival_is_of_the_answers_gender_and_stands_before_the_mask() -> None:
    rival = evidence("[Ann] met [Eve], and {Eve} left.", JOINED.format("Ann", "Eve"))
    other = evidence("[Bob] met [Ann], and {Ann} left.", JOINED.format("Bob", "Ann"))
    assert (rival["open_rivals"], rival["read_as_rival"], rival["opposed_before"]) == (1, 1, 0)
    assert (other["open_rivals"], other["nobody_else"], other["opposed_before"]) == (0, 1, 1)


def test_a_rival_that_the_masked_clause_names_too_is_not_open() -> None:
    line = "[Ann] met [Eve], and {Eve} left [Ann]."
    relations = "met nsubj Ann/1; met obj Eve/1; left nsubj Eve; left obj Ann; met conj left"
    assert evidence(line, relations)["open_rivals"] == 0


@pytest.mark.parametrize(
    ("line", "outsider"),
    [
        ("She met [Bob] and [Ann], and {Ann} left.", 1),
        ("[Bob] met [Ann], and she told us {Ann} left.", 0),
        ("[Bob] met [Ann], and he told us {Ann} left.", 0),
    ],
)
def test_a_pronoun_before_the_answer_is_named_means_an_outsider(line: str, outsider: int) -> None:
    relations = "left nsubj Ann; told ccomp left" if "told" in line else "left nsubj Ann"
    found = evidence(line, relations)
    assert found["pronoun_of_outsider"] == outsider
    assert found["gender_told"] == ("he " in line.lower())


def test_a_noun_for_a_person_of_the_gender_is_somebody_else() -> None:
    for noun, nobody in (("niece", 0), ("miller", 1)):
        line = f"The {noun} met [Bob] and [Ann], and {{Ann}} left."
        assert evidence(line, "left nsubj Ann")["nobody_else"] == nobody, noun


def test_without_weights_or_a_parse_nothing_is_said() -> None:
    bare = view("[Bob] met [Ann], and {Ann} left.")
    assert confidence.weights_of("de") is None
    assert confidence.confidence(bare) is None
    assert not confidence.doubtful(bare)
    (record,) = example.clean(bare, "en")
    assert "confidence" not in record.meta


def test_a_record_has_its_confidence() -> None:
    found = seen("[Bob] met [Ann], and {Ann} left.", JOINED.format("Bob", "Ann"))
    (record,) = example.clean(found, "en")
    assert record.meta["confidence"] == round(confidence.confidence(found) or 0, 3) > 0.7
