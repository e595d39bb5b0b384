"""A list of events by class, in every form, well made and not."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from corefmill.builders.wec.facts import event_list, infoboxes
from corefmill.builders.wec.facts.event_list import (
    NO_PAGE,
    ListedArticle,
    ListedEvents,
    mapping,
    read,
)
from corefmill.builders.wec.facts.infoboxes import EVENT_TYPES
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.corpora.files.errors import DataError

QUAKE = ListedArticle("Πάτρα 2008", "Q7944", "Earthquake")


def lines(tmp_path: Path, text: str, name: str = "events.tsv") -> list[ListedArticle]:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return list(read(path, mapping()))


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


def test_json_lines(tmp_path: Path) -> None:
    text = '{"title": "Πάτρα 2008", "class": "Q7944", "qid": "Q1", "more": [1]}\n'
    assert lines(tmp_path, text, "events.JSONL") == [QUAKE]


def test_titles_alone(tmp_path: Path) -> None:
    found = lines(tmp_path, "Πάτρα 2008\n\nA_flood\n", "events.txt")
    assert found == [
        ListedArticle("Πάτρα 2008", "", "Event"),
        ListedArticle("A flood", "", "Event"),
    ]
    assert found[1].event_page(5) == EventPage("A flood", 5, "Event", "listed", {})
    with pytest.raises(DataError, match=r"events\.txt:2: a tab, where the lines before are titles"):
        lines(tmp_path, "A\nB\tQ7944\n", "events.txt")


def test_an_event_page() -> None:
    assert QUAKE.event_page(5) == EventPage("Πάτρα 2008", 5, "Earthquake", "wikidata:Q7944", {})


def test_a_list_judges_pages_as_a_table_does() -> None:
    events = ListedEvents([QUAKE, ListedArticle("Πάτρα 2008", "Q8068", "Flood")])
    assert events.with_redirects({"a": "b"}).names == frozenset()
    assert events.event_page_of("Πάτρα 2008", "Text", page_id=5) == QUAKE.event_page(5)
    assert events.event_page_of("Πάτρα", "Text", page_id=6) is None


def test_events_without_a_page_have_numbers_of_their_own() -> None:
    events = ListedEvents([QUAKE, QUAKE, ListedArticle("B", "Q8068", "Flood", ("C",))])
    assert list(events.event_pages()) == [
        (QUAKE.event_page(NO_PAGE + 1), ()),
        (ListedArticle("B", "Q8068", "Flood").event_page(NO_PAGE + 2), ("C",)),
    ]


def test_classes_that_are_not_mapped_are_told(tmp_path: Path) -> None:
    found = ListedEvents(lines(tmp_path, "A\tQ5\nB\tq8068\nC\tQ5\nB\tQ5\nD\tmoon\n"))
    assert list(found.titles) == ["B"]
    assert found.unmapped == {"A": "Q5", "C": "Q5", "D": "moon"}
    assert event_list.warning(found.unmapped) == (
        "listed articles left out since their class is not mapped: 3 (Q5 2, moon 1);"
        " an event type may stand as class"
    )


def test_a_warning_names_the_commonest_classes() -> None:
    said = event_list.warning({f"{n}": f"Q{n}" for n in range(20)})
    assert ": 20 (Q0 1, " in said and "Q9" not in said and "Q19 1 and 8 more classes" in said


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "e.tsv",
            "A\tQ7944\nB\n",
            r"e\.tsv:2: each line needs a title, a tab and .* \(this one has 1 columns",
        ),
        ("e.tsv", "A\tQ7944\tB\tC\n", r"e\.tsv:1: .* 4 columns"),
        ("e.tsv", "\tQ7944\n", r"e\.tsv:1: an empty title or class"),
        ("e.tsv", "A\t \n", r"e\.tsv:1: an empty title or class"),
        ("e.tsv", "A\tQ7944\n" + "x" * (1 << 20) + "\n", r"e\.tsv:2: a line of over 1 MiB"),
        ("e.jsonl", "{}\n", r"e\.jsonl:1: no string under 'title'"),
        ("e.jsonl", '{"title": "A", "class": 7}\n', r"e\.jsonl:1: no string under 'class'"),
        (
            "e.jsonl",
            '{"title": "A", "class": "Q7944", "aliases": "B"}\n',
            r"e\.jsonl:1: no list of strings under 'aliases'",
        ),
        ("e.jsonl", "[]\n", r"e\.jsonl:1: not an object"),
        ("e.jsonl", "[" * 100_000 + "\n", r"e\.jsonl:1: not JSON"),
        ("e.jsonl", "A\tQ7944\n", r"e\.jsonl:1: not JSON"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        lines(tmp_path, text, name)


def test_what_ships_is_mapped_to_event_types() -> None:
    types = mapping()
    assert types["q7944"] == "Earthquake" and types["q2223653"] == "Terrorist Attack"
    assert set(types.values()) == set(EVENT_TYPES)


@pytest.mark.parametrize(
    ("event_class", "event_type"),
    [
        ("Q178561", "Military Conflict"),
        ("Battle", "Military Conflict"),
        ("Q40231", "Election"),
        ("presidential election", "Election"),
        ("hurricane", "Storm"),
        ("coup d'État", "Civil Conflict"),
        ("airliner accident", "Airliner Accident"),
    ],
)
def test_a_class_by_identifier_by_name_and_by_its_type(event_class: str, event_type: str) -> None:
    assert mapping()[event_class.casefold()] == event_type


@pytest.mark.parametrize("lang", infoboxes.shipped())
def test_every_type_of_a_table_has_a_class(lang: str) -> None:
    types = {event_type.name for event_type in infoboxes.load(lang).of_name.values()}
    kinds = {kind for t in infoboxes.load(lang).of_name.values() for kind in t.kinds}
    ships = resources.files("corefmill.builders.wec.facts").joinpath("wikidata.toml")
    assert types | kinds <= set(tomllib.loads(ships.read_text("utf-8")))
