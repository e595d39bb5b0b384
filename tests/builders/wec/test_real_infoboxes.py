"""Real pages: every event of the original's fixtures is an event, nothing that it refuses is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corefmill.builders.wec.facts.infoboxes import load

DUMPS = Path(__file__).resolve().parents[4] / "shared" / "data" / "dumps"
FIXTURES = DUMPS / "wec-fixtures"

pytestmark = pytest.mark.skipif(not FIXTURES.is_dir(), reason=f"no real pages at {FIXTURES}")


def types_in(name: str) -> dict[str, str]:
    """Title of each page of a fixture, and the event type of those that are events."""
    entries = json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))
    table = load("en")
    found = {}
    for entry in entries if isinstance(entries, list) else [entries]:
        title = entry.get("title", "")
        page = table.event_page_of(title, entry["text"] or entry.get("infobox", ""))
        found[title] = page.event_type if page else ""
    return found


@pytest.mark.parametrize(
    ("name", "types"),
    [
        (
            "wikipedia__accident",
            ["Airliner Accident"] * 3 + ["Transit Accident"] + ["Airliner Accident"] * 2,
        ),
        ("wikipedia__award", ["Contest", "Awards", "Beauty Pageant"]),
        (
            "wikipedia__civil_attack",
            ["Civilian Attack", "Civil Conflict"] + ["Civilian Attack"] * 4,
        ),
        ("wikipedia__concrete_general", ["Concert", "Meetings", "Festival"] + ["News Event"] * 4),
        ("wikipedia__disaster", ["Earthquake", "Earthquake", "Flood", "Oilspill", "Eruption"]),
        ("wikipedia__others", ["Solar Eclipse", "Weapons Test"]),
    ],
)
def test_event_pages(name: str, types: list[str]) -> None:
    assert list(types_in(name).values()) == types


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("wikipedia__reject", 20),
        ("wikipedia__people", 1),
        ("wikipedia__company", 4),
        ("wikipedia__mobileye", 1),
        ("wikipedia__election", 4),
        ("wikipedia__poll", 1),
        ("wikipedia__sport", 19),
        ("wikipedia__tmp", 1),
        ("wikipedia__many_infobox", 1),
        ("wikipedia__wedding", 1),
        ("wikipedia__extractfrompage", 10),
        ("time__page_time_extract", 1),
        ("wikinews__colombia", 1),
    ],
)
def test_refused_pages(name: str, count: int) -> None:
    found = types_in(name)
    assert len(found) == count
    assert [title for title, event_type in found.items() if event_type] == []
