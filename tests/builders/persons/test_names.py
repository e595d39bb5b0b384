"""Names as the recogniser has them, and tidied."""

from __future__ import annotations

import pytest

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons.names import as_found, bare, tidy_names
from corefmill.builders.persons.table import PersonWords, load
from tests.builders.wikicrem.passages import analysed

ENGLISH = load("en")


def both(line: str) -> tuple[list[str], list[str]]:
    """The names of a line as found and tidied; their offsets must fit the text."""
    analysis = analysed(line)
    found, tidy = as_found(analysis), tidy_names(analysis, ENGLISH)
    for name in (*found, *tidy):
        assert analysis.text[name.start : name.end] == name.text
    return [name.text for name in found], [name.text for name in tidy]


@pytest.mark.parametrize(
    ("line", "found", "tidy"),
    [
        ("[Ann] met [Bob].", ["Ann", "Bob"], ["Ann", "Bob"]),
        ("[Ann's] hat", ["Ann's"], ["Ann"]),
        ("[Ann’s] hat", ["Ann’s"], ["Ann"]),
        ("[James'] hat", ["James'"], ["James"]),
        ("[O'Neil] left", ["O'Neil"], ["O'Neil"]),
        ("Mr. [Day] left", ["Day"], ["Mr. Day"]),
        ("[Mr. Day] left", ["Mr. Day"], ["Mr. Day"]),
        ("met Lieutenant General Sir [Bob]", ["Bob"], ["Lieutenant General Sir Bob"]),
        ("a captain, [Ann]", ["Ann"], ["Ann"]),
        ("Captain, [Ann]", ["Ann"], ["Ann"]),
        ("Mr.  [Day]", ["Day"], ["Day"]),  # two blanks
        ("“Mr. [Day]”", ["Day"], ["Mr. Day"]),
        ("ex-Mr. [Day]", ["Day"], ["Mr. Day"]),
        ("the [Captain] left", ["Captain"], []),
        ("[Mr.] left", ["Mr."], []),
        ("[Sir] and [Lady] Day", ["Sir", "Lady"], []),
        ("[The] left", ["The"], []),
        ("[Monday] and [American]", ["Monday", "American"], []),
        ("[J. R.] left", ["J. R."], ["J. R."]),
        ("[J. R. Fay.]", ["J. R. Fay."], ["J. R. Fay"]),
        ("[Bob Day Jr.] left", ["Bob Day Jr."], ["Bob Day Jr."]),
        ("[Bob Day, Jr.] left", ["Bob Day, Jr."], ["Bob Day, Jr."]),
        ("[“Ann”,] she said", ["“Ann”,"], ["Ann"]),
        ("[_Ann_] left", ["_Ann_"], ["Ann"]),
        ("[--] it [’s]", ["--", "’s"], []),
    ],
)  # fmt: skip
def test_names_as_found_and_tidied(line: str, found: list[str], tidy: list[str]) -> None:
    assert both(line) == (found, tidy)


def test_only_persons_are_names() -> None:
    entities = (Entity(0, 3, "PERSON"), Entity(8, 13, "LOC"))
    analysis = Analysis("Ann saw Paris.", (), (), entities)
    assert [name.text for name in as_found(analysis)] == ["Ann"]
    assert [name.text for name in tidy_names(analysis, ENGLISH)] == ["Ann"]


def test_an_entity_of_nothing_is_no_name() -> None:
    assert as_found(Analysis("Ann", (), (), (Entity(1, 1, "PERSON"),))) == []


def test_an_honorific_that_was_found_as_a_name_itself_is_taken_by_one_name_alone() -> None:
    assert both("[Queen] [Ann] left") == (["Queen", "Ann"], ["Queen Ann"])


def test_names_never_overlap() -> None:
    """The title of the second name is the end of the first one."""
    assert both("[Ann Captain] [Bob] left") == (["Ann Captain", "Bob"], ["Ann Captain"])


def test_without_a_table_signs_go_and_honorifics_stay_out() -> None:
    analysis = analysed("Mr. [Day's], [The]")
    assert [name.text for name in tidy_names(analysis, PersonWords())] == ["Day's", "The"]


@pytest.mark.parametrize(
    ("name", "core"),
    [
        ("Mr. Day", "Day"),
        ("Lieutenant General Sir Bob Day", "Bob Day"),
        ("Ann Captain", "Ann Captain"),
        ("Captain", "Captain"),
        ("Ann", "Ann"),
    ],
)
def test_bare_is_without_the_honorifics_before_it(name: str, core: str) -> None:
    assert bare(name, ENGLISH) == core
