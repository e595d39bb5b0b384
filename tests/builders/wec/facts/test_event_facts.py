"""What a title, its aliases and an infobox tell of an event."""

from __future__ import annotations

import pytest

from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.facts.event_facts import describe_event, first_paragraph, stem
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wiki.markup import MarkupSettings
from tests.builders.wec.filters.views import facts


def test_a_happening() -> None:
    event = facts(
        "1906 San Francisco earthquake",
        aliases=["Great San Francisco Fire (1906)", "The Frisco quake"],
        location="[[San Francisco]], [[California|Calif.]]<ref>Not Oakland</ref>",
        date="{{Start date|1906|4|18}}<!-- 1907 -->",
    )
    assert event.names == {"san", "francisco"}
    assert event.all_names == {"san", "francisco", "frisco"}
    assert event.kinds == {"earthquake"}
    assert (event.years, event.numbers, event.dated) == ({"1906"}, frozenset(), {"1906"})
    assert event.places == {"san", "francisco", "calif"}
    assert event.befalls
    assert list(event.forms)[1] == "Great San Francisco Fire"


def test_an_occasion() -> None:
    event = facts("39th Academy Awards", site="Santa Monica", host="[[Bob Hope]]")
    assert (event.names, event.numbers, event.befalls) == ({"academy"}, {"39."}, False)
    assert event.participants == {"bob", "hope"}


def test_stem() -> None:
    english = lexicon.load("en")
    same = {stem(title, english) for title in ("39th Oscars", "40th Oscars", "XLI Oscars (film)")}
    assert same == {"oscars"}
    assert stem("Oscars 1999 gala", english) == "oscars gala"


# How an event's article begins, and what its infobox says.


ENGLISH = MarkupSettings("en", file_prefixes=frozenset({"file"}))
FIELDS = EventFields(date=("date",), start=("start",), place=("place", "location"))


@pytest.mark.parametrize(
    ("lead", "shown"),
    [
        ("{{Infobox flood}}\nThe '''flood''' of [[1931]].\n\nIt went.", "The flood of 1931."),
        ("[[File:x.png|thumb|The mill]]\n:''Not the flood of 1932.''\nIt came.", "It came."),
        ("{{Infobox flood}}", ""),
        ("word " * 200, "word " * 118 + "word…"),
    ],
)  # fmt: skip
def test_the_first_paragraph_is_prose(lead: str, shown: str) -> None:
    found = first_paragraph(lead, ENGLISH)
    assert found == shown and len(found) <= 600


def test_facts_are_words_of_the_infobox() -> None:
    values = {"date": "{{start date|1931|5|1}}", "place": "[[Orla]],<br>North", "start": "May"}
    page = EventPage("1931 Orla flood", 1, "Flood", "infoboxflood", values)
    found = describe_event(page, FIELDS, "en")
    assert (
        found["Date"] == "May 1, 1931; May"
        and found["Place"].startswith("Orla")
        and len(found) == 2
    )
    assert describe_event(EventPage("x", 1, "Flood", "infoboxflood", {}), FIELDS, "en") == {}
