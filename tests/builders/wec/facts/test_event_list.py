"""A list of events by class, in every form, well made and not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.builders.wec.facts import event_list
from corefmill.builders.wec.facts.event_list import (
    NO_PAGE,
    ListedArticle,
    ListedEvents,
    load_types,
    read,
)
from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.corpora.files.errors import DataError

QUAKE = ListedArticle("Πάτρα 2008", "Q7944", "Earthquake")


def lines(tmp_path: Path, text: str, name: str = "events.tsv") -> list[ListedArticle]:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return list(read(path, load_types()))


@pytest.mark.parametrize(
    "text",
    [
        "Πάτρα 2008\tQ7944\n",
        "Q123\tΠάτρα 2008\tQ7944\n",
        "http://www.event_list.org/entity/Q123\tΠάτρα_2008\thttp://www.event_list.org/entity/Q7944\n",
        "title\tclass\nΠάτρα 2008\tQ7944\n\n",
        "item\ttitle\tclass\r\nQ123\tΠάτρα 2008\tQ7944\r\n",
    ],
)
def test_tabs(tmp_path: Path, text: str) -> None:
    assert lines(tmp_path, text) == [QUAKE]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Πάτρα 2008\tQ7944\tA|B_c| B  c|\n", "e.tsv"),
        ("Q123\tΠάτρα 2008\tQ7944\tA|B c\n", "e.tsv"),
        ("title\tclass\taliases\nΠάτρα 2008\tQ7944\tA|B c\n", "e.tsv"),
        ('{"title": "Πάτρα 2008", "class": "Q7944", "aliases": ["A", "B_c"]}\n', "e.jsonl"),
    ],
)
def test_aliases(tmp_path: Path, text: str, name: str) -> None:
    assert lines(tmp_path, text, name) == [replace(QUAKE, aliases=("A", "B c"))]


def test_titles_alone(tmp_path: Path) -> None:
    found = lines(tmp_path, "Πάτρα 2008\n\nA_flood\n", "events.txt")
    assert found == [
        ListedArticle("Πάτρα 2008", "", "Event"),
        ListedArticle("A flood", "", "Event"),
    ]
    assert found[1].event_page(5) == EventPage("A flood", 5, "Event", "listed", {})
    with pytest.raises(
        DataError, match=r"events\.txt:2: this line has a tab, but the first line is a title alone"
    ):
        lines(tmp_path, "A\nB\tQ7944\n", "events.txt")


def test_events_without_a_page_have_numbers_of_their_own() -> None:
    events = ListedEvents([QUAKE, QUAKE, ListedArticle("B", "Q8068", "Flood", ("C",))])
    assert list(events.listed_events()) == [
        (QUAKE.event_page(NO_PAGE + 1), ()),
        (ListedArticle("B", "Q8068", "Flood").event_page(NO_PAGE + 2), ("C",)),
    ]


def test_classes_that_are_not_mapped_are_told(tmp_path: Path) -> None:
    found = ListedEvents(lines(tmp_path, "A\tQ5\nB\tq8068\nC\tQ5\nB\tQ5\nD\tmoon\n"))
    assert list(found.titles) == ["B"]
    assert found.unmapped == {"A": "Q5", "C": "Q5", "D": "moon"}
    assert event_list.warning(found.unmapped) == (
        "listed articles left out since their class is not mapped: 3 (Q5 2, moon 1);"
        " an event type in the place of a class maps them"
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.tsv", "A\tQ7944\nB\n", r"e\.tsv:2: each line needs a title.* \(this one has 1 columns"),
        ("e.tsv", "A\tQ7944\tB\tC\n", r"e\.tsv:1: .* 4 columns"),
        ("e.tsv", "\tQ7944\n", r"e\.tsv:1: the title or the class is empty"),
        ("e.tsv", "A\tQ7944\n" + "x" * (1 << 20) + "\n", r"e\.tsv:2: a line of over 1 MiB"),
        (
            "e.jsonl",
            '{"title": "A", "class": 7}\n',
            r"e\.jsonl:1: the line has no string under 'class'",
        ),
        (
            "e.jsonl",
            '{"title": "A", "class": "Q7944", "aliases": "B"}',
            "1: the line has no list of strings",
        ),
        ("e.jsonl", "[" * 100_000 + "\n", r"e\.jsonl:1: the line is not valid JSON"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        lines(tmp_path, text, name)


def test_what_ships_is_mapped_to_event_types() -> None:
    types = load_types()
    assert types["q7944"] == "Earthquake" and types["q2223653"] == "Terrorist Attack"
    assert set(types.values()) == set(EVENT_TYPES)
