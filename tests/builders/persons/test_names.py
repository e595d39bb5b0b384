"""Names as the recogniser has them, and tidied."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import pytest

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons import table
from corefmill.builders.persons.names import list_recognised, tidy_names
from corefmill.builders.persons.spread import relabel_surnames, spread_names
from corefmill.builders.persons.table import load
from tests.builders.wikicrem.passages import analysed

ENGLISH = load("en")


def both(line: str) -> tuple[list[str], list[str]]:
    """The names of a line as found and tidied; their offsets must fit the text."""
    analysis = analysed(line)
    found, tidy = list_recognised(analysis), tidy_names(analysis, ENGLISH)
    for name in (*found, *tidy):
        assert analysis.text[name.start : name.end] == name.text
    return [name.text for name in found], [name.text for name in tidy]


@pytest.mark.parametrize(
    ("line", "found", "tidy"),
    [
        ("[Ann] met [Bob].", ["Ann", "Bob"], ["Ann", "Bob"]),
        ("[Ann's] hat", ["Ann's"], ["Ann"]),
        ("[O'Neil] left", ["O'Neil"], ["O'Neil"]),
        ("Mr. [Day] left", ["Day"], ["Mr. Day"]),
        ("a captain, [Ann]", ["Ann"], ["Ann"]),
        ("Captain, [Ann]", ["Ann"], ["Ann"]),
        ("Mr.  [Day]", ["Day"], ["Day"]),  # two blanks
        ("ex-Mr. [Day]", ["Day"], ["Mr. Day"]),
        ("the [Captain] left", ["Captain"], []),
        ("[Sir] and [Lady] Day", ["Sir", "Lady"], []),
        ("[The] left", ["The"], []),
        ("[Monday] and [American]", ["Monday", "American"], []),
        ("[J. R.] left", ["J. R."], ["J. R."]),
        ("[J. R. Fay.]", ["J. R. Fay."], ["J. R. Fay"]),
        ("[Bob Day, Jr.] left", ["Bob Day, Jr."], ["Bob Day, Jr."]),
        ("[_Ann_] left", ["_Ann_"], ["Ann"]),
        ("[--] it [’s]", ["--", "’s"], []),
        # The mark of a quotation that opens behind it is no part of a name.
        ('[Stimpson J. "]Cat" Day', ["Stimpson J."], ["Stimpson J."]),
        ("[Ann “]Cat” and [„] it", ["Ann"], ["Ann"]),
        ("[Ann ('‘]Cat’) left", ["Ann"], ["Ann"]),
        # Names never overlap: the title of the second one is the end of the first.
        ("[Ann Captain] [Bob] left", ["Ann Captain", "Bob"], ["Ann Captain"]),
    ],
)  # fmt: skip
def test_names_as_found_and_tidied(line: str, found: list[str], tidy: list[str]) -> None:
    assert both(line) == (found, tidy)


def test_an_entity_of_nothing_is_no_name() -> None:
    assert list_recognised(Analysis("Ann", (), (), (Entity(1, 1, "PERSON"),))) == []


THREE = "[Ann] met [Bob]. | [Ann] left. | It was [Ann]."
DAY = "[Ann Day] met [Ann Day]. | It was [Ann Day]."


def spread_over(*lines: str) -> list[list[str]]:
    """The names of each line of an article; those in [ ] are what the recogniser found."""
    analyses = [analysed(line) for line in lines]
    found = spread_names(analyses, ENGLISH)
    for analysis, names in zip(analyses, found, strict=True):
        assert [analysis.text[name.start : name.end] for name in names] == [n.text for n in names]
        assert all(one.end <= two.start for one, two in pairwise(names))
    return [[name.text for name in names] for names in found]


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        # A missed mention is found in its place.
        ([THREE, "Then Ann met [Bob]."], ["Ann", "Bob"]),
        ([THREE, "[Bob] met Ann and Ann’s dog."], ["Bob", "Ann", "Ann"]),
        # Called a person in three places at least, and in three of five.
        (["[Ann] met [Ann].", "Then Ann left."], []),
        ([THREE, "Then Ann left, and Ann sang."], ["Ann", "Ann"]),
        ([THREE, "Then Ann left, Ann sang, and Ann slept."], []),
        # A name is known by what stands behind its honorific.
        (["Mr. [Day] met [Mr. Day]. | It was Mr. [Day].", "Then Day left."], ["Day"]),
        # Half of a longer name is not carried.
        (
            [THREE] * 3 + ["At Ann Arbor, near Lake Ann, by St. Ann and Ann-Marie saw Anna Annie."],
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


def entities(*found: tuple[str, str]) -> Analysis:
    """A text of these entities, each with its label."""
    text, placed = "", []
    for name, label in found:
        placed.append(Entity(len(text), len(text) + len(name), label))
        text += f"{name} "
    return Analysis(text, (), ((0, len(text)),), tuple(placed))


def test_a_surname_alone_is_a_person_whatever_the_recogniser_calls_it() -> None:
    full, bare = ("Abraham Lincoln", "PERSON"), ("Lincoln", "ORG")
    read = relabel_surnames([entities(full, bare), entities(full, ("Ford", "ORG"), bare)])
    labels = [[one.label for one in analysis.entities] for analysis in read]
    assert labels == [["PERSON", "PERSON"], ["PERSON", "ORG", "PERSON"]]


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
    assert relabel_surnames([analysis]) == [analysis]


@pytest.mark.parametrize(
    ("lang", "lacking"), [("de", set()), ("nl", set()), ("pl", {"possessive"})]
)
def test_german_dutch_and_polish_have_the_keys_of_english(lang: str, lacking: set[str]) -> None:
    words = load(lang)
    keys = {field.name for field in fields(table.PersonWords) if getattr(ENGLISH, field.name)}
    assert {key for key in keys if not getattr(words, key)} == lacking
    assert words.male_titles | words.female_titles <= words.titles
    assert words.married_titles <= words.female_titles
    assert not words.male_titles & words.female_titles


def test_a_filter_without_words_is_idle() -> None:
    @table.requires("titles")
    def stops(view: object) -> bool:
        return True

    assert load("xx-no-such") == table.PersonWords()
    filters = {"stops": stops, "wordless": len}
    assert table.list_idle_filters(("stops", "wordless"), filters, "xx-no-such") == ("stops",)
    assert table.list_idle_filters(("wordless",), filters, "xx-no-such") == ()
    assert table.list_idle_filters(("stops", "wordless"), filters, "en") == ()
