"""How an event's article begins, and what its infobox says."""

from __future__ import annotations

import pytest

from corefmill.builders.wec.facts.event_facts import describe_event, first_paragraph
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wiki.markup import MarkupSettings

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
    assert found["Date"] == "1931; May" and found["Place"].startswith("Orla") and len(found) == 2
    assert describe_event(EventPage("x", 1, "Flood", "infoboxflood", {}), FIELDS, "en") == {}
