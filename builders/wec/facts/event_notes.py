"""What a corpus tells of its events, beside their mentions: how their articles begin, when, where.

Whoever judges a mention wants to know which event it is said to name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import ConfigDict

from corefmill.builders.wec.facts.event_page import EventPage
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wiki.markup import MarkupSettings, clean

NAME = "events.jsonl"
"""The file of a corpus."""
_LONGEST, _LONGEST_FACT = 600, 120


@dataclass(frozen=True, slots=True)
class EventNote:
    """An event as its article in one language has it; `cluster` is that of its mentions there.

    `text` is the article's first paragraph, cut where it is long; `facts` are of the infobox.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    cluster: str
    lang: str
    title: str
    text: str
    facts: Mapping[str, str] = field(default_factory=dict)


def first_paragraph(lead: str, settings: MarkupSettings) -> str:
    """The first paragraph of prose of an article, of the wikitext above its first heading."""
    prose = (one.text for one in clean(lead, settings).paragraphs if one.kind == "prose")
    return _cut(next(prose, ""), _LONGEST)


def facts(page: EventPage, fields: EventFields, lang: str) -> dict[str, str]:
    """Date, place and participants as the infobox has them, without what only templates show."""
    settings = MarkupSettings(lang)
    wanted = {
        "Date": (*fields.date, *fields.start, *fields.end),
        "Place": fields.place,
        "Participants": fields.participants,
    }
    found = {}
    for name, keys in wanted.items():
        values = (
            clean(page.fields[key], settings).paragraphs for key in keys if key in page.fields
        )
        shown = "; ".join(filter(None, (" ".join(one.text for one in own) for own in values)))
        if shown:
            found[name] = _cut(shown, _LONGEST_FACT)
    return found


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rpartition(" ")[0] + "…"
