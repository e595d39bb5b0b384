"""Which infoboxes make an article an event: a language's table, and the events it finds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn

from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.event_page import EventPage, Infobox
from corefmill.builders.wec.facts.validators import (
    VALIDATORS,
    DateWords,
    EventFields,
    TitleAndFields,
)
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE, language
from corefmill.corpora import disk
from corefmill.corpora.errors import DataError

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


@dataclass(frozen=True, slots=True)
class EventType:
    """One `[[types]]` of a table: names are squeezed, as everywhere but in the TOML."""

    name: str
    templates: tuple[str, ...]
    validators: tuple[str, ...] = ()
    kind_fields: tuple[str, ...] = ()
    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)

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
    return _Reader(f"infoboxes/{lang}.toml", lang).table(raw)


def load_file(path: Path, lang: str) -> InfoboxTable:
    """A table of the user's own. Raises `DataError` as `load` does."""
    if not path.is_file():
        raise DataError("no such file", path=path)
    return _Reader(str(path), lang).table(disk.toml(path))


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


_STR, _STRS = "a string", "a list of strings"
_TABLE, _TABLES, _BOOL = "a table", "tables", "true or false"
_MONTHS = "12 lists of strings"
_TOP = {
    "prefixes": _STRS,
    "endings": _STRS,
    "types": _TABLES,
    "out": _TABLES,
    "fields": _TABLE,
    "words": _TABLE,
}
_TYPE = {
    "name": _STR,
    "templates": _STRS,
    "validators": _STRS,
    "kind_fields": _STRS,
    "kinds": _TABLE,
}
_OUT = {"reason": _STR, "templates": _STRS}
_FIELDS = dict.fromkeys(("date", "start", "end", "place", "participants", "recurring"), _STRS)
_WORDS = {
    "months": _MONTHS,
    "suffixes": _STRS,
    "ordinals": _STRS,
    "roman_first": _BOOL,
    "before_christ": _STRS,
}


class _Reader:
    """Makes a table of parsed TOML; every refusal names the file and the key."""

    def __init__(self, name: str, lang: str) -> None:
        self._name = name
        self._lang = lang
        self._prefixes = _prefixes(lang, ())

    def table(self, raw: Mapping[str, Any]) -> InfoboxTable:
        self._check(raw, _TOP, "", needed=("prefixes", "types"))
        of_name: dict[str, EventType] = {}
        for number, entry in enumerate(raw["types"], 1):
            event_type = self._type(entry, f"types[{number}]")
            for name in event_type.templates:
                if name in of_name:
                    self._refuse(
                        f"infobox {name!r} stands under two types, {of_name[name].name!r} and"
                        f" {event_type.name!r}"
                    )
                of_name[name] = event_type
        out: dict[str, str] = {}
        for number, entry in enumerate(raw.get("out", ()), 1):
            self._check(entry, _OUT, f"out[{number}].", needed=tuple(_OUT))
            for name in self._squeezed(entry["templates"]):
                if name in of_name:
                    self._refuse(f"infobox {name!r} stands under out and {of_name[name].name!r}")
                out[name] = entry["reason"]
        return InfoboxTable(
            lang=self._lang,
            prefixes=self._squeezed(raw["prefixes"]),
            out=out,
            fields=self._fields(raw.get("fields", {})),
            words=self._words(raw.get("words", {})),
            of_name=of_name,
            endings=self._squeezed(raw.get("endings", ())),
        )

    def _type(self, entry: Mapping[str, Any], where: str) -> EventType:
        self._check(entry, _TYPE, f"{where}.", needed=("name", "templates"))
        kinds = entry.get("kinds", {})
        for name in (entry["name"], *kinds):
            if name not in EVENT_TYPES:
                self._refuse(
                    f"{where}: unknown event type {name!r}, known are {', '.join(EVENT_TYPES)}"
                )
        for name in entry.get("validators", ()):
            if name not in VALIDATORS:
                self._refuse(
                    f"{where}.validators: unknown validator {name!r}, known are"
                    f" {', '.join(VALIDATORS)}"
                )
        for kind, words in kinds.items():
            self._check({kind: words}, {kind: _STRS}, f"{where}.kinds.")
        return EventType(
            name=entry["name"],
            templates=self._squeezed(entry["templates"]),
            validators=tuple(entry.get("validators", ())),
            kind_fields=self._squeezed(entry.get("kind_fields", ())),
            kinds={kind: [word.casefold() for word in words] for kind, words in kinds.items()},
        )

    def _fields(self, entry: Mapping[str, Any]) -> EventFields:
        self._check(entry, _FIELDS, "fields.")
        return EventFields(**{key: self._squeezed(names) for key, names in entry.items()})

    def _words(self, entry: Mapping[str, Any]) -> DateWords:
        self._check(entry, _WORDS, "words.")
        return DateWords(
            months=tuple(tuple(map(str.lower, names)) for names in entry.get("months", ())),
            suffixes=tuple(map(str.lower, entry.get("suffixes", ()))),
            ordinals=frozenset(map(str.lower, entry.get("ordinals", ()))),
            roman_first=entry.get("roman_first", False),
            before_christ=tuple(entry.get("before_christ", ())),
        )

    def _squeezed(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(templates.squeeze(name, self._prefixes) for name in names)

    def _check(
        self,
        entry: Mapping[str, Any],
        known: Mapping[str, str],
        where: str,
        needed: Sequence[str] = (),
    ) -> None:
        if not isinstance(entry, dict):
            self._refuse(f"{where.rstrip('.')}: must be a table")
        for key, value in entry.items():
            if key not in known:
                self._refuse(f"unknown key {where + key!r}, known are {', '.join(known)}")
            if not _is(value, known[key]):
                self._refuse(f"{where}{key}: must be {known[key]}")
        for key in needed:
            if key not in entry:
                self._refuse(f"{where}{key} is missing")

    def _refuse(self, message: str) -> NoReturn:
        raise DataError(message, path=self._name)


def _is(value: object, kind: str) -> bool:
    if kind == _STR:
        return isinstance(value, str) and bool(value.strip())
    if kind == _BOOL:
        return isinstance(value, bool)
    if kind == _TABLE:
        return isinstance(value, dict)
    if not isinstance(value, list):
        return False
    if kind == _TABLES:
        return all(isinstance(entry, dict) for entry in value)
    if kind == _STRS:
        return all(_is(entry, _STR) for entry in value)
    return len(value) == 12 and all(_is(names, _STRS) for names in value)
