"""The confidence of a masked name: weights that name evidence, and what they make of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from corefmill.builders.nlp.backend import Analysis
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.table import load
from corefmill.builders.wikicrem import confidence
from corefmill.builders.wikicrem.confidence import PronounEvidence
from corefmill.builders.wikicrem.stages import make_clean_example
from corefmill.corpora.files.errors import UsageError
from tests.builders.wikicrem.passages import WIKI, marked, parsed, view


def seen(line: str, relations: str) -> DraftContext:
    return view(line, syntax=parsed(marked(line).text, relations))


def evidence(line: str, relations: str) -> dict[str, float]:
    found = seen(line, relations)
    assert found.syntax is not None
    return dict(PronounEvidence(found, found.syntax, "en").values())


OF_SHARED_WEIGHTS = {"answer_of_pair", "answer_in_clause", "set_off", "pause_after"}
"""Evidence that the English weights leave aside."""
JOINED = "met nsubj {0}; met obj {1}/1; left nsubj {1}; met conj left"


def test_each_weight_is_of_some_evidence_and_each_evidence_has_one() -> None:
    weights = confidence.weights_of("en")
    assert weights is not None
    known = set(evidence("[Bob] met [Ann], and {Ann} left.", ""))
    assert set(weights.weights) | OF_SHARED_WEIGHTS == known
    assert not set(weights.weights) & OF_SHARED_WEIGHTS
    assert 0 < weights.least <= weights.least_on_page < 1


def test_a_rival_is_of_the_answers_gender_and_stands_before_the_mask() -> None:
    rival = evidence("[Ann] met [Eve], and {Eve} left.", JOINED.format("Ann", "Eve"))
    other = evidence("[Bob] met [Ann], and {Ann} left.", JOINED.format("Bob", "Ann"))
    assert (rival["open_rivals"], rival["read_as_rival"], rival["nobody_else"]) == (1, 1, 0)
    assert (other["open_rivals"], other["read_as_rival"], other["nobody_else"]) == (0, 0, 1)
    assert rival["persons_named"] == other["persons_named"] == 2


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
    assert evidence(line, relations)["pronoun_of_outsider"] == outsider


def test_a_noun_for_a_person_of_the_gender_is_somebody_else() -> None:
    for noun, nobody in (("niece", 0), ("miller", 1)):
        line = f"The {noun} met [Bob] and [Ann], and {{Ann}} left."
        assert evidence(line, "left nsubj Ann")["nobody_else"] == nobody, noun


def test_a_rival_that_is_the_subject_beside_the_mask_is_not_whom_a_pronoun_there_means() -> None:
    line = "[Ann] left, and [Eve] met {Ann}."
    found = evidence(line, "left nsubj Ann/1; met nsubj Eve; met obj Ann; left conj met")
    assert (found["beside_rival_subject"], found["rival_subject_in_sentence"]) == (1, 1)
    hers = "[Ann] left, and [Eve] had {Ann} hat."
    found = evidence(hers, "left nsubj Ann/1; had nsubj Eve; hat nmod:poss Ann; had obj hat")
    assert (found["beside_rival_subject"], found["mask_of_noun"]) == (0, 1)


@pytest.mark.parametrize(
    ("line", "before", "subject", "behind"),
    [
        ("[Ann] met [Bob], and she met {Ann} by her mill.", 1, 1, 1),
        ("[Ann] met [Bob], and he met {Ann} by his mill.", 0, 0, 0),
        ("[Ann] met [Bob] by her mill. | Now {Ann} left.", 0, 0, 0),
    ],
)
def test_pronouns_of_the_answers_gender_in_the_masked_sentence(
    line: str, before: int, subject: int, behind: int
) -> None:
    pronoun = "she" if "she" in line else "he"
    relations = "left nsubj Ann"
    if "and" in line:
        relations = f"met nsubj {pronoun}; met obj Ann; met obl mill; met/1 conj met"
        relations += f"; mill nmod:poss {'her' if behind else 'his'}"
    found = evidence(line, relations)
    assert found["pronouns_in_sentence"] == before
    assert found["pronoun_subject_in_clause"] == subject
    assert found["pronoun_follows_in_clause"] == behind


def test_an_adjective_of_the_mask_makes_a_pronoun_stiff() -> None:
    for relation, stiff in (("amod", 1), ("det", 0)):
        found = evidence("[Bob] met [Ann], and old {Ann} left.", f"Ann {relation} old")
        assert found["adjective_of_mask"] == stiff


@pytest.mark.parametrize(
    ("line", "relations", "of_pair"),
    [
        ("[Ann] and [Eve] met [Bob], and {Ann} left.", "", 1),
        ("The miller and [Ann] met [Bob], and {Ann} left.", "miller conj Ann/1", 1),
        ("[Ann] and [Bob] met us, and {Ann} left.", "Ann/1 conj Bob", 1),
        ("[Ann] and [Bob] met us, and {Ann} left.", "", 0),  # no rival, says the surface
        ("[Bob] and [Eve] met [Ann], and {Ann} left.", "Bob conj Eve", 0),
        ("[Bob] left and [Ann] now, and {Ann} came.", "left conj Ann/1", 0),
    ],
)
def test_an_answer_that_was_named_as_one_of_a_pair(line: str, relations: str, of_pair: int) -> None:
    assert evidence(line, relations)["answer_of_pair"] == of_pair


@pytest.mark.parametrize(
    ("line", "relations", "found"),
    [
        ("[Bob] met [Ann] of old, {Ann}.", "Bob dep Ann", (1, 1)),
        ("[Bob] met [Ann], {Ann} left.", "left nsubj Ann; met conj left", (1, 0)),
        ("[Bob] met [Ann]. | Then, {Ann} left.", "left nsubj Ann", (0, 0)),
        ("[Bob] met [Ann]. | Then {Ann}, now old, left.", "left nsubj Ann", (0, 1)),
        ("[Bob] met [Ann] and lost {Ann}’s hat.", "hat nmod:poss Ann", (0, 0)),
    ],
)
def test_pauses_beside_the_mask(line: str, relations: str, found: tuple[int, int]) -> None:
    values = evidence(line, relations)
    assert (values["set_off"], values["pause_after"]) == found


def test_an_answer_that_the_masked_clause_has_named_before() -> None:
    relations = "met nsubj Bob; met obj Ann/1; {} obl Ann"
    for clause, named in (("met", 1), ("left", 0)):
        line = "[Bob] met [Ann] and left for {Ann}."
        found = evidence(line, relations.format(clause) + "; met conj left")
        assert found["answer_in_clause"] == named


def test_a_rival_of_unknown_gender() -> None:
    for name, unknown in (("Zyx", 1), ("Eve", 0)):
        found = evidence(f"[{name}] met [Ann], and {{Ann}} left.", JOINED.format(name, "Ann"))
        assert found["rival_of_unknown_gender"] == unknown


def test_on_a_page_it_counts_how_often_the_answer_was_a_subject() -> None:
    line = "[Ann] met [Eve], and [Ann] left, and {Ann} came."
    syntax = parsed(marked(line).text, "met nsubj Ann/1; met obj Eve; came nsubj Ann")
    for site, subjects in ((WIKI, 1), (None, 0)):
        found = PronounEvidence(view(line, syntax=syntax, site=site), syntax, "en").values()
        assert found["answer_subjects_on_page"] == subjects
        assert found["on_page"] == (site is not None)


def test_a_page_is_asked_for_its_own_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "[Bob] met [Ann], and {Ann} left."
    syntax = parsed(marked(line).text, JOINED.format("Bob", "Ann"))
    weights = confidence.ReadingWeights(0.0, 0.4, 0.6, {})
    monkeypatch.setattr(confidence, "weights_of", lambda lang: weights)
    assert confidence.doubtful(view(line, syntax=syntax, site=WIKI))
    assert not confidence.doubtful(view(line, syntax=syntax))
    # What a user asks for is for pages and novels alike.
    assert confidence.doubtful(view(line, syntax=syntax), 0.51)
    assert not confidence.doubtful(view(line, syntax=syntax, site=WIKI), 0.5)


def test_without_weights_or_a_parse_nothing_is_said() -> None:
    bare = view("[Bob] met [Ann], and {Ann} left.")
    assert confidence.weights_of("nl") is None
    assert confidence.confidence(bare) is None
    assert not confidence.doubtful(bare)
    (record,) = make_clean_example(bare, "en")
    assert "confidence" not in record.meta


@pytest.mark.parametrize(("others", "stopped"), [("[Eve] met [Bea]", True), ("[Eve] came", False)])
def test_a_parse_by_other_relations_has_no_evidence_and_the_rule_decides(
    others: str, stopped: bool
) -> None:
    line = f"[Ann] met us, {others}, and {{Ann}} left."
    syntax = parsed(marked(line).text, "met sb Ann/1; left sb Ann; met cj left")
    found = view(line, syntax=syntax, table=load("de"))
    assert confidence.confidence(found) is None
    assert confidence.doubtful(found) is stopped


@pytest.mark.parametrize(("relation", "fits"), [("sb", False), ("nsubj", True)])
def test_a_least_confidence_is_not_asked_of_other_relations(relation: str, fits: bool) -> None:
    class Pipeline:
        name = "de_core_news_lg"

        def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
            return (
                Analysis(text, ((0, 3),), ((0, len(text)),), (), deprel=(relation,), head=(0,))
                for text in texts
            )

    pipeline: Any = Pipeline()
    with (
        nullcontext()
        if fits
        else pytest.raises(
            UsageError,
            match=r"de_core_news_lg are others: .*rival_pronoun.*\(leave --min-confidence out",
        )
    ):
        confidence.refuse_unfit(pipeline)


def test_a_record_has_its_confidence() -> None:
    found = seen("[Bob] met [Ann], and {Ann} left.", JOINED.format("Bob", "Ann"))
    (record,) = make_clean_example(found, "en")
    assert record.meta["confidence"] == round(confidence.confidence(found) or 0, 3) > 0.7
