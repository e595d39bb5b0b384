"""What the stages of the event builder pass to each other."""

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
class Pivot:
    """An event article: its title, and the infobox of the table that makes it one."""

    title: str
    page_id: int
    event_type: str
    infobox: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link to a pivot in a paragraph of clean text; `text[start:end]` is what it shows.

    `target` is the pivot's title, redirects followed; `section` is that of the link, None without.
    """

    page_title: str
    page_id: int
    paragraph: int
    text: str
    start: int
    end: int
    target: str
    section: str | None
