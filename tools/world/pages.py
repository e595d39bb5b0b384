"""Pages of the fictional encyclopedia, and the truth about what they hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tools.world.facts import Event
from tools.world.passage import Passage


@dataclass(slots=True)
class Truth:
    """A link to an event, or to what looks like one.

    `text` is the paragraph in clean text and [start, end) the link in it; all three are None where
    the link stands in no paragraph (a table, a reference ...). `trap` is None for a mention.
    """

    anchor: str
    pivot: str
    event_type: str
    trap: str | None
    how: str
    text: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(slots=True)
class Names:
    """A paragraph with the names of persons in it, some of them more than once."""

    text: str
    names: list[tuple[str, int, int]]


@dataclass(slots=True)
class Page:
    """A page as it is being written; `blocks` are separated by empty lines."""

    title: str
    namespace: int = 0
    redirect: str | None = None
    blocks: list[str] = field(default_factory=list)
    truth: list[Truth] = field(default_factory=list)
    names: list[Names] = field(default_factory=list)
    linked: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    """The templates of its mentions, none of which is used twice."""
    pivot: Event | None = None
    """The event that the page is about, if a builder should see that."""

    def __post_init__(self) -> None:
        self.linked.add(self.title)

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)

    def add(self, *wikitext: str) -> None:
        """Wikitext that holds no mention: headings, infoboxes, categories."""
        self.blocks.extend(wikitext)

    def paragraph(self, passage: Passage) -> None:
        """A paragraph of prose."""
        self.blocks.append(passage.wiki)
        for anchor in passage.anchors:
            self.truth.append(
                Truth(
                    passage.clean[anchor.start : anchor.end],
                    anchor.pivot,
                    type_of(anchor.event),
                    anchor.trap,
                    anchor.how,
                    passage.clean,
                    anchor.start,
                    anchor.end,
                )
            )
        names = [(name.person.full, name.start, name.end) for name in passage.names]
        if len({person for person, _, _ in names}) > 1 and len(names) > 2:
            self.names.append(Names(passage.clean, names))

    def note(self, event: Event, trap: str, anchor: str) -> None:
        """A link to the event that stands in no paragraph."""
        self.truth.append(Truth(anchor, event.title, type_of(event), trap, "words"))


def type_of(event: Event | None) -> str:
    """The event's type, "" for what is none."""
    return "" if event is None else str(event.kind["type"])


def redirect(title: str, target: str, word: str, namespace: int = 0) -> Page:
    """A page that leads to another one."""
    return Page(title, namespace, target, [f"{word} [[{target}]]"])


def infobox(name: str, lines: Iterable[str], opening: str = "{{") -> str:
    """A template with named fields, one a line."""
    return opening + name + "\n" + "".join(f"| {line}\n" for line in lines) + "}}"


def table(header: Iterable[Any], rows: Iterable[Iterable[Any]], caption: str = "") -> str:
    """A wikitext table."""
    lines = ['{| class="wikitable sortable"']
    if caption:
        lines.append(f"|+ {caption}")
    lines.append("! " + " !! ".join(map(str, header)))
    for row in rows:
        lines += ["|-", "| " + " || ".join(map(str, row))]
    return "\n".join([*lines, "|}"])
