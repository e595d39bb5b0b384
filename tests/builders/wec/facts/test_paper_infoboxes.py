"""The original's search for infoboxes, quirks and all."""

from __future__ import annotations

import re

import pytest

from corefmill.builders.wec.paper import (
    CONFIGURATION,
    PATTERN,
    PaperInfoboxes,
    first_infobox,
)
from corefmill.corpora.errors import UsageError


def judged(text: str, title: str = "A") -> tuple[str, str] | None:
    page = PaperInfoboxes("en").event_page_of(title, text, page_id=3)
    return (page.event_type, page.infobox) if page else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{Infobox earthquake\n|date=1}}", ("Earthquake", "earthquake")),
        ("{{Infobox  Civilian Attack |x}}", ("Civilian Attack", "civilianattack")),
        ("{{Infobox athletic conference}}", ("Meetings", "conference")),  # no left boundary
        ("{{Infobox concert tour}}", ("Concert", "concert")),  # no right one
        ("{{Infobox person|award}}", None),  # awards need a title
        ("{{Infobox summitmeeting}}", ("Meetings", "summit")),  # the first name that matches
        ("{{Infobox u-concert}}", None),  # a hyphen ends the gap
        ("{{Infobox\nconcert}}", None),
        ("{{infobox earthquake}}", None),  # written otherwise
        ("{{Infobox_earthquake}}", ("Earthquake", "earthquake")),  # \w has the underscore
        ("<!-- {{Infobox flood}} -->", ("Flood", "flood")),
        ("{{Infobox settlement}} {{Infobox flood}}", None),  # the first counts
        ("{{Infobox settlement|{{Infobox flood}}}}", ("Flood", "flood")),  # within it
        ("{{Infobox person|festival}}", ("Festival", "festival")),  # pipes are part of the gap
        ("Text", None),
    ],
)
def test_the_search(text: str, expected: tuple[str, str] | None) -> None:
    assert judged(text) == expected
    if expected:
        assert re.search(PATTERN, text)


def test_awards_need_a_title() -> None:
    assert judged("{{Infobox film awards}}", "Oscars") is None
    assert judged("{{Infobox film awards}}", "84th Oscars") == ("Awards", "award")
    assert judged("{{Infobox film awards}}", "83rd Oscars") is None


def test_titles_that_name_a_namespace_are_skipped() -> None:
    assert judged("{{Infobox flood}}", "The X-Portal: a flood") is None


def test_the_infobox_ends_with_its_brace() -> None:
    assert first_infobox("a {{Infobox x|{{y}}|{z}}} b}}") == "{{Infobox x|{{y}}|{z}}}"
    assert first_infobox("a {{Infobox x|{{y}}") == "{{Infobox x|{{y}}"
    assert first_infobox("a") == ""


def test_31_names_in_six_types() -> None:
    assert [len(names) for names in CONFIGURATION.values()] == [9, 3, 4, 5, 7, 3]
    assert "oilspill" in CONFIGURATION["DISASTER_EVENT"]


def test_english_only() -> None:
    with pytest.raises(UsageError, match="no list of infoboxes for 'it'"):
        PaperInfoboxes("it")
