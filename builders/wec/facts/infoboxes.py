"""Which infoboxes make an article an event: a language's table, and the events it finds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError

from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.templates import EventPage, Infobox
from corefmill.builders.wec.facts.validators import (
    VALIDATORS,
    DateWords,
    EventFields,
    Name,
    Squeezed,
    TitleAndFields,
)
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE, language
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError

PAPER_TYPES = (
    "Awards",
    "Meetings",
    "Civilian Attack",
    "Airliner Accident",
    "Festival",
    "Beauty Pageant",
    "Earthquake",
    "Contest",
    "Concert",
    "News Event",
    "Terrorist Attack",
    "Wildfire",
    "Flood",
    "Weapons Test",
    "Eruption",
    "Solar Eclipse",
    "Oilspill",
    "Rail Accident",
)
"""The rows of the paper's table 7, in its order and spelling; they stand for 28 infoboxes."""

OTHER_TYPES = ("Transit Accident", "Civil Conflict", "Accident", "Disaster", "Conclave")
"""Types of ours beside them."""

LISTED_TYPES = (
    "Military Conflict",
    "Election",
    "Storm",
    "Epidemic",
    "Space Flight",
    "Expedition",
    "Sports Event",
    "Trial",
    "Ceremony",
)
"""Types that no shipped table has, but lists of events do; the paper left their infoboxes out."""

UNTYPED = "Event"
"""The type of what a list of bare titles names."""

EVENT_TYPES = (*PAPER_TYPES, *OTHER_TYPES, *LISTED_TYPES, UNTYPED)


def _known_type(name: str) -> str:
    if name not in EVENT_TYPES:
        raise ValueError(f"unknown event type {name!r}, known are {', '.join(EVENT_TYPES)}")
    return name


def _known_validator(name: str) -> str:
    if name not in VALIDATORS:
        raise ValueError(f"unknown validator {name!r}, known are {', '.join(VALIDATORS)}")
    return name


KnownType = Annotated[str, AfterValidator(_known_type)]


@dataclass(frozen=True, slots=True)
class EventType:
    """One `[[types]]` of a table: names are squeezed, as everywhere but in the TOML."""

    name: KnownType
    templates: tuple[Squeezed, ...]
    validators: tuple[Annotated[str, AfterValidator(_known_validator)], ...] = ()
    kind_fields: tuple[Squeezed, ...] = ()
    kinds: Mapping[KnownType, tuple[Annotated[Name, AfterValidator(str.casefold)], ...]] = field(
        default_factory=dict
    )

    def named(self, fields: Mapping[str, str]) -> str:
        """The type's name, or the finer one that a field names."""
        said = " ".join(fields.get(name, "") for name in self.kind_fields).casefold()
        return next(
            (kind for kind, words in self.kinds.items() if any(word in said for word in words)),
            self.name,
        )


@dataclass(frozen=True)
class InfoboxTable:
    """What infoboxes/LANG.toml says; en.toml explains every key."""

    lang: str
    prefixes: tuple[str, ...]
    out: Mapping[str, str]
    """Name of each infobox left out on purpose, and why."""
    fields: EventFields
    words: DateWords
    of_name: Mapping[str, EventType]
    """Each infobox name that makes an event page, and its type."""
    endings: tuple[str, ...] = ()
    """How infobox names end, where the language puts the word last."""

    @property
    def names(self) -> frozenset[str]:
        """All infobox names of the table that make an event page."""
        return frozenset(self.of_name)

    def is_infobox(self, name: str) -> bool:
        """Whether a squeezed template name is, as far as it says, one of any infobox."""
        return (
            name in self.of_name
            or name in self.out
            or name.startswith(self.prefixes)
            or name.endswith(self.endings)
        )

    def with_redirects(self, template_aliases: Mapping[str, str]) -> InfoboxTable:
        """This table with all names that are the same template in a dump.

        `template_aliases` are its template redirects, squeezed (see `templates.aliases`). A name
        that leads to one of the table counts as it; so does what a name of the table leads to, for
        the template was renamed since; `out` outranks both. Chains are followed, loops end.
        """
        of_name, out = dict(self.of_name), dict(self.out)
        for name, event_type in self.of_name.items():
            for target in templates.chain(name, template_aliases):
                if target not in out:
                    of_name.setdefault(target, event_type)
        for alias in template_aliases:
            if alias in of_name or alias in out:
                continue
            for target in templates.chain(alias, template_aliases):
                if target in out:
                    out[alias] = out[target]
                    break
                if target in of_name:
                    of_name[alias] = of_name[target]
                    break
        return replace(self, out=out, of_name=of_name)

    def event_page_of(
        self,
        title: str,
        wikitext: str,
        page_id: int = 0,
        template_prefixes: Sequence[str] = (),
    ) -> EventPage | None:
        """The page as an event, None if it is none.

        The first infobox above the first heading says what a page is about; one within another
        infobox is a part of that. `template_prefixes` are the namespace's names in the dump's
        header, where it has others than the language.
        """
        found = self.infobox_of(wikitext, template_prefixes)
        if found is None:
            return None
        event_type = self.of_name.get(found.name)
        if event_type is None:
            return None
        seen = TitleAndFields(title, found.fields, self.words, self.fields)
        if not all(VALIDATORS[name](seen) for name in event_type.validators):
            return None
        return EventPage(title, page_id, event_type.named(found.fields), found.name, found.fields)

    def infobox_of(self, wikitext: str, template_prefixes: Sequence[str] = ()) -> Infobox | None:
        """The infobox that says what a page is about, event or not, None without one."""
        lead = templates.lead(wikitext)
        prefixes = _prefixes(self.lang, tuple(template_prefixes))
        found = templates.find(lead, self.is_infobox, prefixes)
        return templates.infobox(lead, found[0]) if found else None

    def says(self, name: str) -> str:
        """What the table says of a template: its type, why it is out, or "" if nothing."""
        event_type = self.of_name.get(name)
        if event_type is not None:
            return event_type.name
        return f"out: {self.out[name]}" if name in self.out else ""


@cache
def load(lang: str) -> InfoboxTable:
    """The table that ships for a language.

    Raises `DataError` where there is none, or for what no table may hold, naming file and key.
    """
    folder = resources.files("corefmill.builders.wec.facts").joinpath("infoboxes")
    file = folder.joinpath(f"{lang}.toml")
    if not re.fullmatch(r"[a-z-]+", lang) or not file.is_file():
        raise DataError(
            f"no table of event infoboxes for {lang!r}; there are {', '.join(shipped())}",
            remedy="write one by --list-infoboxes --event-infobox and name it by --infoboxes",
        )
    raw = tomllib.loads(file.read_text("utf-8"))
    return _table(raw, f"infoboxes/{lang}.toml", lang)


def load_file(path: Path, lang: str) -> InfoboxTable:
    """A table of the user's own. Raises `DataError` as `load` does."""
    if not path.is_file():
        raise DataError("no such file", path=path)
    return _table(disk.read_toml(path), str(path), lang)


def shipped() -> list[str]:
    """The languages that have a table."""
    folder = resources.files("corefmill.builders.wec.facts").joinpath("infoboxes")
    return sorted(
        file.name.removesuffix(".toml")
        for file in folder.iterdir()
        if re.fullmatch(r"[a-z]{2,3}(-[a-z]+)*\.toml", file.name)
    )


@cache
def _prefixes(lang: str, others: tuple[str, ...]) -> tuple[str, ...]:
    return templates.prefix_names((*language(lang).namespaces[TEMPLATE], *others))


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """One `[[out]]` of a table."""

    reason: Name
    templates: tuple[Squeezed, ...]


@dataclass(frozen=True, slots=True)
class _TableFile:
    """What the TOML holds."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    prefixes: tuple[Squeezed, ...]
    types: tuple[EventType, ...]
    endings: tuple[Squeezed, ...] = ()
    out: tuple[_LeftOut, ...] = ()
    fields: EventFields = field(default_factory=EventFields)
    words: DateWords = field(default_factory=DateWords)


def _table(raw: Mapping[str, Any], path: str, lang: str) -> InfoboxTable:
    """The table of parsed TOML; raises `DataError` naming the file and the key."""
    try:
        file = TypeAdapter(_TableFile).validate_python(raw, context=_prefixes(lang, ()))
    except ValidationError as error:
        raise DataError(
            jsonl.first_fault(error),
            path=path,
            remedy="builders/wec/facts/infoboxes/en.toml explains every key",
        ) from None
    of_name: dict[str, EventType] = {}
    for event_type in file.types:
        for name in event_type.templates:
            if name in of_name:
                raise DataError(
                    f"infobox {name!r} stands under two types, {of_name[name].name!r} and"
                    f" {event_type.name!r}",
                    path=path,
                )
            of_name[name] = event_type
    out = {name: entry.reason for entry in file.out for name in entry.templates}
    for name in out:
        if name in of_name:
            raise DataError(
                f"infobox {name!r} stands under out and {of_name[name].name!r}", path=path
            )
    return InfoboxTable(lang, file.prefixes, out, file.fields, file.words, of_name, file.endings)
