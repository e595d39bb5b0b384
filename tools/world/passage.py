"""A paragraph that is written twice at once: as wikitext, and as the clean text it comes to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from tools.world.facts import Event, Person

_QUOTES = re.compile("'{2,}")


def without_quotes(text: str) -> str:
    """The text without the marks of italics (2 apostrophes) and bold (3); of 4 the first stays."""
    return _QUOTES.sub(lambda match: "'" if len(match[0]) == 4 else "", text)


class Anchor(NamedTuple):
    """A link that leads, or seems to lead, to an event: `text[start:end]` of the paragraph.

    `trap` says why it is no mention, None for a mention; `how` is the form of the link.
    """

    start: int
    end: int
    pivot: str
    event: Event | None
    trap: str | None
    how: str


class Name(NamedTuple):
    """A person's name in the paragraph."""

    start: int
    end: int
    person: Person


@dataclass(slots=True)
class Passage:
    """What has been written of a paragraph so far."""

    wiki: str = ""
    clean: str = ""
    anchors: list[Anchor] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Text in which only apostrophes are markup."""
        self.wiki += text
        self.clean += without_quotes(text)

    def unseen(self, wikitext: str) -> None:
        """Wikitext that leaves nothing in the clean text: references, comments, templates."""
        self.wiki += wikitext

    def link(self, target: str, text: str, trail: str = "") -> None:
        """A link to the page `target` that shows `text` and, behind its brackets, `trail`."""
        same = target == text or (text[:1].lower() + text[1:] == target[:1].lower() + target[1:])
        self.wiki += f"[[{text}]]{trail}" if same else f"[[{target}|{text}]]{trail}"
        self.clean += without_quotes(text) + trail

    def join(self, other: Passage) -> None:
        """Append another passage after a blank."""
        if self.wiki:
            self.add(" ")
        shift = len(self.clean)
        self.wiki += other.wiki
        self.clean += other.clean
        self.anchors += [
            a._replace(start=a.start + shift, end=a.end + shift) for a in other.anchors
        ]
        self.names += [n._replace(start=n.start + shift, end=n.end + shift) for n in other.names]
