"""The confidence of a masked name: weights that name evidence, and what they make of it."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from corefmill.builders.nlp.backend import Analysis
from corefmill.builders.persons.table import load
from corefmill.builders.wikicrem import confidence
from corefmill.builders.wikicrem.confidence import PronounEvidence
from corefmill.builders.wikicrem.stages import make_clean_example
from corefmill.corpora.files.errors import UsageError
from tests.builders.rows import rows
from tests.builders.wikicrem.passages import WIKI, marked, parsed, view


def evidence(line: str, relations: str, **more: Any) -> dict[str, float]:
    syntax = parsed(marked(line).text, relations)
    return dict(PronounEvidence(view(line, syntax=syntax, **more), syntax, "en").values())


LINE = "[Bob] met [Ann], and {Ann} left."
SYNTAX = parsed(marked(LINE).text, "met nsubj Bob; met obj Ann/1; left nsubj Ann; met conj left")


def test_each_weight_is_of_some_evidence_and_each_evidence_has_one() -> None:
    weights = confidence.look_up_weights("en")
    assert weights is not None
    left_aside = {"answer_of_pair", "answer_in_clause", "set_off", "pause_after"}
    assert set(weights.weights) == set(evidence(LINE, "")) - left_aside
    assert 0 < weights.least <= weights.least_on_page < 1


@pytest.mark.parametrize(
    ("line", "relations", "wanted"),
    rows("""
        # A rival is of the answer's gender and stands before the mask.
        [Ann] met [Eve], and {Eve} left.
            met nsubj Ann; met obj Eve/1; left nsubj Eve; met conj left
            open_rivals 1, read_as_rival 1, nobody_else 0, persons_named 2
        [Bob] met [Ann], and {Ann} left.
            met nsubj Bob; met obj Ann/1; left nsubj Ann; met conj left
            open_rivals 0, read_as_rival 0, nobody_else 1, persons_named 2
        # A rival that the masked clause names, too, is not open.
        [Ann] met [Eve], and {Eve} left [Ann].
            met nsubj Ann/1; met obj Eve; left nsubj Eve; left obj Ann; met conj left
            open_rivals 0
        [Zyx] met [Ann], and {Ann} left.  left nsubj Ann; met conj left  rival_of_unknown_gender 1
        [Eve] met [Ann], and {Ann} left.  left nsubj Ann; met conj left  rival_of_unknown_gender 0
        # A pronoun before the answer is named means an outsider.
        She met [Bob] and [Ann], and {Ann} left.  left nsubj Ann  pronoun_of_outsider 1
        [Bob] met [Ann], and she told us {Ann} left.
            left nsubj Ann; told ccomp left  pronoun_of_outsider 0
        [Bob] met [Ann], and he told us {Ann} left.
            left nsubj Ann; told ccomp left  pronoun_of_outsider 0
        # A noun for a person of the gender is somebody else.
        The niece met [Bob] and [Ann], and {Ann} left.  left nsubj Ann  nobody_else 0
        The miller met [Bob] and [Ann], and {Ann} left.  left nsubj Ann  nobody_else 1
        # A pronoun does not mean a rival that is the subject beside the mask.
        [Ann] left, and [Eve] met {Ann}.
            left nsubj Ann/1; met nsubj Eve; met obj Ann; left conj met
            beside_rival_subject 1, rival_subject_in_sentence 1
        [Ann] left, and [Eve] had {Ann} hat.
            left nsubj Ann/1; had nsubj Eve; hat nmod:poss Ann; had obj hat
            beside_rival_subject 0, mask_of_noun 1
        # Pronouns of the answer's gender in the masked sentence.
        [Bob] met [Ann], and she met {Ann} by her mill.
            met nsubj she; met obj Ann; met obl mill; met/1 conj met; mill nmod:poss her
            pronouns_in_sentence 1, pronoun_subject_in_clause 1, pronoun_follows_in_clause 1
        [Bob] met [Ann], and he met {Ann} by his mill.
            met nsubj he; met obj Ann; met obl mill; met/1 conj met; mill nmod:poss his
            pronouns_in_sentence 0, pronoun_subject_in_clause 0, pronoun_follows_in_clause 0
        [Bob] met [Ann] by her mill. | Now {Ann} left.  left nsubj Ann
            pronouns_in_sentence 0, pronoun_subject_in_clause 0, pronoun_follows_in_clause 0
        [Bob] met [Ann], and old {Ann} left.  Ann amod old  adjective_of_mask 1
        [Bob] met [Ann], and old {Ann} left.  Ann det old  adjective_of_mask 0
        # The answer was named as one of a pair; without a rival it was not.
        [Ann] and [Eve] met [Bob], and {Ann} left.  ''  answer_of_pair 1
        The miller and [Ann] met [Bob], and {Ann} left.  miller conj Ann/1  answer_of_pair 1
        [Ann] and [Bob] met us, and {Ann} left.  Ann/1 conj Bob  answer_of_pair 1
        [Ann] and [Bob] met us, and {Ann} left.  ''  answer_of_pair 0
        [Bob] and [Eve] met [Ann], and {Ann} left.  Bob conj Eve  answer_of_pair 0
        [Bob] left and [Ann] now, and {Ann} came.  left conj Ann/1  answer_of_pair 0
        # Pauses beside the mask.
        [Bob] met [Ann] of old, {Ann}.  Bob dep Ann  set_off 1, pause_after 1
        [Bob] met [Ann], {Ann} left.  left nsubj Ann; met conj left  set_off 1, pause_after 0
        [Bob] met [Ann]. | Then, {Ann} left.  left nsubj Ann  set_off 0, pause_after 0
        [Bob] met [Ann]. | Then {Ann}, now old, left.  left nsubj Ann  set_off 0, pause_after 1
        [Bob] met [Ann] and lost {Ann}’s hat.  hat nmod:poss Ann  set_off 0, pause_after 0
        # The masked clause has named the answer before.
        [Bob] met [Ann] and left for {Ann}.
            met nsubj Bob; met obj Ann/1; met obl Ann; met conj left  answer_in_clause 1
        [Bob] met [Ann] and left for {Ann}.
            met nsubj Bob; met obj Ann/1; left obl Ann; met conj left  answer_in_clause 0
    """),
)
def test_evidence(line: str, relations: str, wanted: str) -> None:
    values = dict(pair.split() for pair in wanted.split(", "))
    found = evidence(line, relations)
    assert {name: f"{found[name]:g}" for name in values} == values


def test_on_a_page_it_counts_how_often_the_answer_was_a_subject() -> None:
    line = "[Ann] met [Eve], and [Ann] left, and {Ann} came."
    relations = "met nsubj Ann/1; met obj Eve; came nsubj Ann"
    for site, subjects in ((WIKI, 1), (None, 0)):
        found = evidence(line, relations, site=site)
        assert found["answer_subjects_on_page"] == subjects
        assert found["on_page"] == (site is not None)


def test_a_page_is_asked_for_its_own_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = confidence.ReadingWeights(0.0, 0.4, 0.6, {})
    monkeypatch.setattr(confidence, "look_up_weights", lambda lang: weights)
    assert confidence.doubtful(view(LINE, syntax=SYNTAX, site=WIKI))
    assert not confidence.doubtful(view(LINE, syntax=SYNTAX))
    # What a user asks for is for pages and novels alike.
    assert confidence.doubtful(view(LINE, syntax=SYNTAX), 0.51)
    assert not confidence.doubtful(view(LINE, syntax=SYNTAX, site=WIKI), 0.5)


def test_without_weights_or_a_parse_nothing_is_said() -> None:
    bare = view(LINE)
    assert confidence.look_up_weights("nl") is None
    assert confidence.estimate_confidence(bare) is None
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
    assert confidence.estimate_confidence(found) is None
    assert confidence.doubtful(found) is stopped


@pytest.mark.parametrize(("relation", "refused"), [("sb", True), ("nsubj", False)])
def test_a_least_confidence_is_not_asked_of_other_relations(relation: str, refused: bool) -> None:
    analysis = Analysis("Sie", ((0, 3),), ((0, 3),), (), deprel=(relation,), head=(0,))
    pipeline: Any = SimpleNamespace(name="de_core_news_lg", full=lambda texts: iter([analysis]))
    message = r"de_core_news_lg has others, .*rival_pronoun.*\(leave --min-confidence out"
    with pytest.raises(UsageError, match=message) if refused else nullcontext():
        confidence.refuse_unfit_pipeline(pipeline)


def test_a_record_has_its_confidence() -> None:
    found = view(LINE, syntax=SYNTAX)
    (record,) = make_clean_example(found, "en")
    assert record.meta["confidence"] == round(confidence.estimate_confidence(found) or 0, 3) > 0.7
