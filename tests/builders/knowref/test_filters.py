"""One problem that passes, and for each filter one that it stops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.knowref.filters import FILTERS, STRUCTURE
from corefmill.builders.nlp import Analysis
from tests.builders.knowref.problems import problem

BUT = "slept cc but; slept nsubj she; left nsubj Ann"
GOOD = "[Ann] left [Bea] at the mill, but she slept."
ASKED = {**STRUCTURE, **FILTERS}


def faults(line: str, relations: str = BUT, **more: str) -> list[str]:
    found = problem(line, relations, **more)
    return [name for name, stops in ASKED.items() if stops(found)]


def test_a_good_problem_passes_all() -> None:
    assert faults(GOOD) == []


@pytest.mark.parametrize(
    ("line", "relations", "fault"),
    [
        ("Near [Ann] was [Bea] or the book, and she slept.", "book cc or", "no_clause"),
        ("[Ann] left [Bea] the book after the war with her mother.", "war case after", "no_clause"),
        ("[Ann] was so early that [Bea] left so that she slept.", "early advmod so", "no_clause"),
        ("[Ann] and all of [Bea] for the book, but not her news.", "news cc but", "no_clause"),
        ("[Ann] left [Mr. Bob] at the mill, but she slept.", BUT, "gender_differs"),
        ("[Ann] left [Peter] at the mill, but she slept.", BUT, "gender_differs"),
        ("[Ann] and [Bea] left early for the mill, but she slept.", BUT, "coordinated"),
        ("[Ann] left [Bea] at the mill, but [Ann] said she slept.", BUT, "name_again"),
        ("[Ann] left [Bea] at the mill, but [Dora] said she slept.", BUT, "person_between"),
        ("[Ann] left [Bea] at the mill, but the doctor said she slept.", BUT, "person_between"),
        ("[Ann] left [Bea] with the doctor at noon, but she slept.", BUT, "third_person"),
        ("[Ann Mill] left [Bea Mill] at the inn, but she slept.", BUT, "shared_name_part"),
        ("[Ann] left [Bea] in [Bea] Street at noon, but she slept.", BUT, "names_a_thing"),
        ("[ANNA] left [Bea] at the mill, but she slept.", "slept cc but", "odd_name"),
    ],
)
def test_each_filter(line: str, relations: str, fault: str) -> None:
    assert fault in faults(line, relations)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[Ann] left the Inn of York at noon, but she slept.", "one_person"),
        ("[Ann] left [Bea] for [Cyd] at the mill, but she slept.", "three_persons"),
    ],
)
def test_there_are_two_persons(line: str, fault: str) -> None:
    found = problem(line, BUT)
    assert [name for name, stops in STRUCTURE.items() if stops(found)] == [fault]


def test_two_sentences_are_none() -> None:
    found = problem(GOOD, BUT)
    cut = ((0, 9), (10, len(found.text)))
    read = found.read
    twice = Analysis(read.text, read.tokens, cut, ())
    assert STRUCTURE["several_sentences"](replace(found, read=twice))


def test_plural_persons() -> None:
    line = "[Ann] left the [Bertrams] at the mill, but she slept."
    assert "plural_person" in faults(line, plural="Bertrams")
    assert "plural_person" in faults("[Ann] left [Misses Bea] at the mill, but she slept.")


@pytest.mark.parametrize(
    "line",
    [
        "[Ann] left [Bea] with the king at noon, but she slept.",  # no she
        "[Ann] left [Bea] with the doctors at noon, but she slept.",  # several
        "[Ann] left the doctor [Bea] at the mill, but she slept.",  # it is Bea
        "[Ann] left [Bea] at the mill, but the king said she slept.",
        "[Ann] left [Bea] at the mill, but [Peter] said she slept.",
    ],
)
def test_who_cannot_be_meant_is_no_third_person(line: str) -> None:
    assert faults(line) == []


def test_a_predicate_is_no_third_person() -> None:
    relations = "slept cc but; slept nsubj she; doctor cop was"
    assert faults("[Ann] was the doctor of [Bea] at noon, but she slept.", relations) == []


def test_a_word_used_in_small_letters_is_no_name() -> None:
    line = "[Ann] left [Dusk] at the mill, but she slept."
    assert "common_word" in faults(line, elsewhere="At dusk it rained, and dusk was early.")


def test_a_pipeline_without_parser_asks_less() -> None:
    found = problem(GOOD)
    bare = replace(found, read=Analysis(found.text, found.read.tokens, found.read.sentences, ()))
    assert not any(stops(bare) for stops in ASKED.values())
