"""Names carried over an article, from where they were found to where they were missed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons.spread import spread, with_surnames
from corefmill.builders.persons.table import load
from tests.builders.wikicrem.passages import analysed

ENGLISH = load("en")
THREE = "[Ann] met [Bob]. | [Ann] left. | It was [Ann]."


def spread_over(*lines: str) -> list[list[str]]:
    """The names of each line of an article; those in [ ] are what the recogniser found."""
    analyses = [analysed(line) for line in lines]
    found = spread(analyses, ENGLISH)
    for analysis, names in zip(analyses, found, strict=True):
        assert [analysis.text[name.start : name.end] for name in names] == [n.text for n in names]
        assert all(one.end <= two.start for one, two in pairwise(names))
    return [[name.text for name in names] for names in found]


def test_a_missed_mention_of_a_known_name_is_found_in_its_place() -> None:
    assert spread_over(THREE, "Then Ann met [Bob].")[1] == ["Ann", "Bob"]
    assert spread_over(THREE, "[Bob] met Ann and Ann’s dog.")[1] == ["Bob", "Ann", "Ann"]


def test_what_was_found_stays_as_it_is() -> None:
    assert spread_over(THREE)[0] == ["Ann", "Bob", "Ann", "Ann"]
    assert spread_over("[Bob] left.", "It rained.") == [["Bob"], []]
    assert spread_over() == []


DAY = "[Ann Day] met [Ann Day]. | It was [Ann Day]."


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        # Called a person in three places at least, and in three of five.
        (["[Ann] met [Ann].", "Then Ann left."], []),
        ([THREE, "Then Ann left, and Ann sang."], ["Ann", "Ann"]),
        ([THREE, "Then Ann left, Ann sang, and Ann slept."], []),
        # Half of a longer name is not carried.
        (
            [
                *[THREE] * 3,
                "At Ann Arbor, near Lake Ann, by St. Ann and Ann-Marie, Anna saw Annie.",
            ],
            [],
        ),
        # A word that is no name may stand before.
        ([THREE, "Then Ann left."], ["Ann"]),
        ([THREE, "When Ann came."], ["Ann"]),
        # A mention inside a found name is not found again, and the longest known name is carried.
        ([THREE, "[Ann Day] left."], ["Ann Day"]),
        ([THREE, THREE, DAY, "Then Ann Day left."], ["Ann Day"]),
    ],
)
def test_known_names_are_carried(lines: list[str], last: list[str]) -> None:
    assert spread_over(*lines)[-1] == last


def test_a_name_is_known_by_what_stands_behind_its_honorific() -> None:
    found = spread_over("Mr. [Day] met [Mr. Day]. | It was Mr. [Day].", "Then Day left.")
    assert found == [["Mr. Day"] * 3, ["Day"]]


def entities(*found: tuple[str, str]) -> Analysis:
    """A text of these entities, each with its label."""
    text, placed = "", []
    for name, label in found:
        placed.append(Entity(len(text), len(text) + len(name), label))
        text += f"{name} "
    return Analysis(text, (), ((0, len(text)),), tuple(placed))


def test_a_surname_alone_is_a_person_whatever_the_recogniser_calls_it() -> None:
    full = ("Abraham Lincoln", "PERSON")
    bare = ("Lincoln", "ORG")
    read = with_surnames([entities(full, bare), entities(full, ("Ford", "ORG"), bare)])
    assert [[one.label for one in analysis.entities] for analysis in read] == [
        ["PERSON", "PERSON"],
        ["PERSON", "ORG", "PERSON"],
    ]


@pytest.mark.parametrize(
    ("full", "bare"),
    [
        ([("Henry Ford", "PERSON")], ("Ford", "ORG")),  # one full name is too few
        ([("Ford Madox", "PERSON")] * 2, ("Ford", "ORG")),  # its first word is no surname
        ([("Ford", "PERSON")] * 2, ("Ford", "ORG")),
        ([("Henry Ford", "PERSON")] * 2, ("Ford Motor", "ORG")),
        ([("George Washington", "PERSON")] * 2, ("Washington", "LOC")),  # the town as often
        ([("Betty Ford", "ORG")] * 2, ("Ford", "ORG")),
    ],
)
def test_what_may_be_no_surname_stays_as_it_is(
    full: list[tuple[str, str]], bare: tuple[str, str]
) -> None:
    analysis = entities(*full, bare)
    assert with_surnames([analysis]) == [analysis]
