"""What makes a page an event: its infobox, and the type of event that this stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Infobox:
    """A template of a page, by its squeezed name: lower case, without blanks and underscores.

    `fields` are its named arguments, with their values as wikitext.
    """

    name: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EventPage:
    """An event's article: its title, and the infobox of the table that makes it one."""

    title: str
    page_id: int
    event_type: str
    infobox: str
    fields: Mapping[str, str]
