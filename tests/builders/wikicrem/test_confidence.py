"""The confidence of a masked name: weights that name evidence, and what they make of it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
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
    assert set(confidence.load_weights().weights) == set(evidence(LINE, ""))


@pytest.mark.parametrize(
    ("line", "relations", "wanted"),
    rows("""
        # A rival is of the answer's gender and stands before the mask.
        [Ann] met [Eve], and {Eve} left.
            met nsubj Ann; met obj Eve/1; left nsubj Eve; met conj left
            open_rivals 1, nobody_else 0, persons_named 2
        [Bob] met [Ann], and {Ann} left.
            met nsubj Bob; met obj Ann/1; left nsubj Ann; met conj left
            open_rivals 0, nobody_else 1, persons_named 2
        # A rival that the masked clause names, too, is not open.
        [Ann] met [Eve], and {Eve} left [Ann].
            met nsubj Ann/1; met obj Eve; left nsubj Eve; left obj Ann; met conj left
            open_rivals 0
        [Zyx] met [Ann], and {Ann} left.  left nsubj Ann; met conj left  rival_of_unknown_gender 1
        [Eve] met [Ann], and {Ann} left.  left nsubj Ann; met conj left  rival_of_unknown_gender 0
        # A pronoun before the answer is named means an outsider.
        She met [Bob] and [Ann], and {Ann} left.  left nsubj Ann  nobody_else 0
        [Bob] met [Ann], and she told us {Ann} left.
            left nsubj Ann; told ccomp left  nobody_else 1
        [Bob] met [Ann], and he told us {Ann} left.
            left nsubj Ann; told ccomp left  nobody_else 1
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
            pronoun_subject_in_clause 1
        [Bob] met [Ann], and he met {Ann} by his mill.
            met nsubj he; met obj Ann; met obl mill; met/1 conj met; mill nmod:poss his
            pronoun_subject_in_clause 0
        [Bob] met [Ann] by her mill. | Now {Ann} left.  left nsubj Ann
            pronoun_subject_in_clause 0
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


def test_a_page_is_told_from_a_novel() -> None:
    for site in (WIKI, None):
        assert evidence(LINE, "", site=site)["on_page"] == (site is not None)


def test_a_draft_is_asked_for_the_least_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confidence, "load_weights", lambda: confidence.Weights(0.0, {}))
    found = view(LINE, syntax=SYNTAX)
    assert confidence.doubtful(found)
    assert confidence.doubtful(found, 0.51)
    assert not confidence.doubtful(found, 0.5)


TIGER = parsed(marked(LINE).text, "met sb Bob; met oa Ann/1; left sb Ann; met cj left")


@pytest.mark.parametrize(("lang", "parse"), [("en", None), ("ro", SYNTAX), ("de", TIGER)])
def test_without_a_parse_of_known_relations_or_a_table_of_pronouns_nothing_is_said(
    lang: str, parse: Analysis | None
) -> None:
    bare = view(LINE, syntax=parse, table=load(lang))
    assert confidence.estimate_confidence(bare) is None
    assert not confidence.doubtful(bare)
    (record,) = make_clean_example(bare, "en")
    assert "confidence" not in record.meta


@pytest.mark.parametrize(("relation", "refused"), [("sb", True), ("nsubj", False)])
def test_a_confidence_is_not_asked_of_other_relations(relation: str, refused: bool) -> None:
    analysis = Analysis("Sie", ((0, 3),), ((0, 3),), (), deprel=(relation,), head=(0,))
    pipeline: Any = SimpleNamespace(name="de_core_news_lg", full=lambda texts: iter([analysis]))
    message = r"de_core_news_lg has others \(name another .* or give --without doubtful"
    with pytest.raises(UsageError, match=message) if refused else nullcontext():
        confidence.refuse_unfit_pipeline(pipeline)


def test_a_record_has_its_confidence() -> None:
    found = view(LINE, syntax=SYNTAX)
    (record,) = make_clean_example(found, "en")
    assert record.meta["confidence"] == round(confidence.estimate_confidence(found) or 0, 3) > 0.7


def test_the_card_counts_examples_by_confidence_and_where_gender_tells() -> None:
    tally = confidence.ConfidenceTally()
    assert not tally.section()
    for line, sure in ((LINE, 0.95), (LINE.replace("Bob", "Eve"), 0.72), (LINE, 0.75)):
        (record,) = make_clean_example(view(line), "en")
        tally.watch(replace(record, meta=record.meta | {"confidence": sure}))
    assert tally.counts() == {"0": 3, "0.5": 3, "0.6": 3, "0.7": 3, "0.8": 1, "0.9": 1}
    assert [row for row in tally.section() if row.startswith("| 0")] == [
        "| 0.7 | 3 | 67% |",
        "| 0.9 | 1 | 100% |",
    ]


@pytest.mark.parametrize(("others", "stopped"), [("Bob", True), ("Eve", False), ("Zyx", False)])
def test_where_gender_tells_the_answer(others: str, stopped: bool) -> None:
    assert confidence.other_gender(view(LINE.replace("Bob", others))) is stopped
