"""Judge articles by their infoboxes: a language's table, and the events it finds."""

from __future__ import annotations

import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError

from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.templates import EventPage
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

UNTYPED = "Event"
"""The event type of articles in a list of bare titles."""

EVENT_TYPES = (*disk.read_package_table(__file__, "wikidata"), UNTYPED)
"""All types of events, in the order of a card: the paper's, corefmill's, those of lists only."""


def _check_known(noun: str, names: Collection[str], name: str) -> str:
    if name not in names:
        raise ValueError(f"unknown {noun} {name!r}, known are {', '.join(names)}")
    return name


KnownType = Annotated[str, AfterValidator(partial(_check_known, "event type", EVENT_TYPES))]
KnownValidator = Annotated[str, AfterValidator(partial(_check_known, "validator", VALIDATORS))]


@dataclass(frozen=True, slots=True)
class EventType:
    """One `[[types]]` of a table: names are squeezed, as everywhere but in the TOML."""

    name: KnownType
    templates: tuple[Squeezed, ...]
    validators: tuple[KnownValidator, ...] = ()
    kind_fields: tuple[Squeezed, ...] = ()
    kinds: Mapping[KnownType, tuple[Annotated[Name, AfterValidator(str.casefold)], ...]] = field(
        default_factory=dict
    )

    def name_type(self, fields: Mapping[str, str]) -> str:
        """Name the event type of an infobox, or a finer type by the words of its fields."""
        said = " ".join(fields.get(name, "") for name in self.kind_fields).casefold()
        return next(
            (kind for kind, words in self.kinds.items() if any(word in said for word in words)),
            self.name,
        )


class EventJudge(ABC):
    """Tells event pages of a dump from all others.

    The judge is called for pages with a template of `names` above their first heading, with the
    text above it; for pages with a match of `pattern`, with all text; and for pages of `titles`.
    """

    pattern: ClassVar[str | None] = None
    titles: Collection[str] = ()

    @property
    def names(self) -> frozenset[str]:
        """Squeezed names of templates."""
        return frozenset()

    @property
    def fields(self) -> EventFields:
        """The fields of infoboxes, by their contents."""
        return EventFields()

    @property
    def unmapped(self) -> Mapping[str, str]:
        """The class of each listed article without an event type."""
        return {}

    @property
    @abstractmethod
    def identity(self) -> Any:
        """The judge's part of the corpus's fingerprint, as JSON: equal for equal judges."""

    @abstractmethod
    def event_page_of(
        self, title: str, wikitext: str, *, page_id: int = 0, template_prefixes: Sequence[str] = ()
    ) -> EventPage | None:
        """Return the page as an event, None for any other page.

        `template_prefixes` are the names of the namespace of templates in the page's dump.
        """

    def with_redirects(self, template_aliases: Mapping[str, str], /) -> Self:
        """Return the judge for a dump with these template redirects, both names squeezed."""
        return self

    def listed_events(self) -> Iterator[tuple[EventPage, Sequence[str]]]:
        """Yield the listed events with their aliases, also those without a page in the dump."""
        return iter(())


@dataclass(frozen=True)
class InfoboxTable(EventJudge):
    """The table infoboxes/LANG.toml; en.toml explains every key."""

    lang: str
    prefixes: tuple[str, ...]
    out: Mapping[str, str]
    """Name of each infobox left out on purpose, and why."""
    event_fields: EventFields
    words: DateWords
    of_name: Mapping[str, EventType]
    """Each infobox name that makes an event page, and its type."""
    endings: tuple[str, ...] = ()
    """How infobox names end, where the language puts the word last."""

    @property
    def names(self) -> frozenset[str]:
        """All names of infoboxes of events in the table."""
        return frozenset(self.of_name)

    @property
    def fields(self) -> EventFields:
        """The fields of infoboxes, by their contents."""
        return self.event_fields

    @property
    def identity(self) -> list[tuple[str, str]]:
        """Infobox names with their types."""
        return sorted((name, kind.name) for name, kind in self.of_name.items())

    def is_infobox(self, name: str) -> bool:
        """Check by a squeezed template name whether the template is an infobox of any sort."""
        return (
            name in self.of_name
            or name in self.out
            or name.startswith(self.prefixes)
            or name.endswith(self.endings)
        )

    def with_redirects(self, template_aliases: Mapping[str, str], /) -> Self:
        """Add all names of the same templates in a dump.

        `template_aliases` are the dump's template redirects, squeezed. A redirect to a name of the
        table counts as that name. So does the target of a name of the table, since the template was
        renamed. Names in `out` go before both. Chains are followed, loops end.
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
        *,
        page_id: int = 0,
        template_prefixes: Sequence[str] = (),
    ) -> EventPage | None:
        """Return the page as an event, None for any other page.

        The first infobox above the first heading decides; an infobox within another one does not
        count. `template_prefixes` are the namespace's names in the dump's header, if these differ
        from the language's.
        """
        lead = templates.lead(wikitext)
        prefixes = _prefixes(self.lang, tuple(template_prefixes))
        found = templates.find(lead, self.is_infobox, prefixes)
        event_type = self.of_name.get(found[0].name) if found else None
        if event_type is None:
            return None
        fields = templates.fields(lead, found[0])
        seen = TitleAndFields(title, fields, self.words, self.event_fields)
        if not all(VALIDATORS[name](seen) for name in event_type.validators):
            return None
        return EventPage(title, page_id, event_type.name_type(fields), found[0].name, fields)

    def says(self, name: str) -> str:
        """Describe a template by the table: its type, the reason why it is out, or "" for none."""
        event_type = self.of_name.get(name)
        if event_type is not None:
            return event_type.name
        return f"out: {self.out[name]}" if name in self.out else ""


@cache
def load(lang: str) -> InfoboxTable:
    """Load the shipped table of a language.

    Raises `DataError` if corefmill has none, or, with file and key, for an invalid entry.
    """
    folder = resources.files("corefmill.builders.wec.facts").joinpath("infoboxes")
    file = folder.joinpath(f"{lang}.toml")
    if not re.fullmatch(r"[a-z-]+", lang) or not file.is_file():
        raise DataError(
            f"no table of event infoboxes for {lang!r}; there are {', '.join(shipped_languages())}",
            remedy="write one with names that --list-infoboxes shows, and give it by --infoboxes",
        )
    raw = tomllib.loads(file.read_text("utf-8"))
    return _table(raw, f"infoboxes/{lang}.toml", lang)


def load_file(path: Path, lang: str) -> InfoboxTable:
    """Load a user's own table of infoboxes from a file. Raises `DataError` as `load` does."""
    if not path.is_file():
        raise DataError("no such file", path=path)
    return _table(disk.read_toml(path), str(path), lang)


def shipped_languages() -> list[str]:
    """List the languages with a shipped table of infoboxes."""
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
    """The contents of the TOML."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    prefixes: tuple[Squeezed, ...]
    types: tuple[EventType, ...]
    endings: tuple[Squeezed, ...] = ()
    out: tuple[_LeftOut, ...] = ()
    fields: EventFields = field(default_factory=EventFields)
    words: DateWords = field(default_factory=DateWords)


def _table(raw: Mapping[str, Any], path: str, lang: str) -> InfoboxTable:
    """Check parsed TOML and make the table of infoboxes; raises `DataError`."""
    try:
        file = TypeAdapter(_TableFile).validate_python(raw, context=_prefixes(lang, ()))
    except ValidationError as error:
        raise DataError(
            jsonl.first_fault(error),
            path=path,
            remedy="builders/wec/facts/infoboxes/en.toml explains every key",
        ) from None
    entries = [(name, kind) for kind in file.types for name in kind.templates]
    of_name: dict[str, EventType] = {}
    for name, kind in entries:
        of_name.setdefault(name, kind)
    out = {name: entry.reason for entry in file.out for name in entry.templates}
    for name, kind in entries:
        other = "out" if name in out else of_name[name].name
        if of_name[name] is not kind or name in out:
            raise DataError(
                f"infobox {name!r} is listed twice, under {other!r} and {kind.name!r}", path=path
            )
    return InfoboxTable(lang, file.prefixes, out, file.fields, file.words, of_name, file.endings)
