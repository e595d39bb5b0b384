"""Facts on an event for the filters: its names, numbers, places, dates and participants."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import ConfigDict

from corefmill.builders.wec.facts.lexicon import EventLexicon, cased_words, words, years
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wiki.markup import MarkupSettings, clean

_QUALIFIER = re.compile(r" *\([^()]*\)\Z")
_MOST_ALIASES = 50
_MOST_WORDS = 400  # of the fields of one kind; a list of a hundred participants is not a name
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<ref\b[^<>]*/>|<ref\b.*?(?:</ref\s*>|\Z)", re.DOTALL)
_TARGET = re.compile(r"\[\[[^\[\]|]{0,300}\|")
_ADDRESS = re.compile(r"https?:\S+")
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class EventFacts:
    """An event as the filters see it; all words are in lower case.

    `names` are the words of the title that name it, without event nouns, numbers and function
    words; `all_names` includes the names of aliases. `kinds` are the event nouns of the title.
    `proper` are the words of title, aliases and place with a capital. `years` are the years in the
    title, `numbers` its other numbers as the lexicon writes them ("39." for "39th"), `dated` the
    years of the infobox. `befalls` says that the event befell its names (an earthquake), `series`
    that other events have the same title except for the numbers.
    """

    title: str
    event_type: str
    infobox: str
    page_id: int = 0
    aliases: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    all_names: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    proper: frozenset[str] = frozenset()
    own_words: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    dated: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    participants: frozenset[str] = frozenset()
    befalls: bool = False
    series: bool = False

    @property
    def forms(self) -> Iterator[str]:
        """The title, and the aliases, without their qualifiers in brackets."""
        return (bare(name) for name in (self.title, *self.aliases))


def bare(title: str) -> str:
    """Remove a title's qualifier in brackets."""
    return _QUALIFIER.sub("", title) or title


def collect_facts(
    page: EventPage, aliases: Sequence[str], lexicon: EventLexicon, fields: EventFields
) -> EventFacts:
    """Collect the facts of one event, except `series`, which needs all events.

    `fields` are the names of the infobox's fields by their contents.
    """
    title = bare(page.title)
    known = sorted(aliases)[:_MOST_ALIASES]
    kinds = frozenset(word for word in words(title) if lexicon.is_event(word))
    dates = _values(page.fields, (*fields.date, *fields.start, *fields.end))
    names = _names(title, lexicon)
    place = _values(page.fields, fields.place)
    written = cased_words("\n".join([title, *known, place]))
    return EventFacts(
        title=page.title,
        event_type=page.event_type,
        infobox=page.infobox,
        page_id=page.page_id,
        aliases=tuple(known),
        names=names,
        all_names=names.union(*(_names(bare(alias), lexicon) for alias in known)),
        kinds=kinds,
        proper=frozenset(word.casefold() for word in written if word[0].isupper()),
        own_words=frozenset(words(title)).union(*(words(alias) for alias in known)),
        years=years(title),
        numbers=frozenset(n for _, n in lexicon.numbers(title)) - years(title),
        dated=years(dates),
        places=_name_words(place, lexicon),
        participants=_name_words(_values(page.fields, fields.participants), lexicon),
        befalls=any(lexicon.is_happening(word) for word in kinds)
        and not any(word in lexicon.occasions for word in kinds),
    )


def stem(title: str, lexicon: EventLexicon) -> str:
    """Reduce a title to the stem of its series: the title without years and numbers."""
    title = bare(title)
    numbers = {word for word, _ in lexicon.numbers(title)}
    return " ".join(word for word in words(title) if word not in numbers)


def _names(title: str, lexicon: EventLexicon) -> frozenset[str]:
    """Collect the words naming the event in its title: no numbers, dates and event nouns."""
    numbers = {word for word, _ in lexicon.numbers(title)}
    return frozenset(
        word
        for word in lexicon.content(title)
        if not (
            word in numbers
            or word in lexicon.general
            or lexicon.is_event(word)
            or lexicon.is_date(word)
            or len(word) < 2
        )
    )


def _values(fields: Mapping[str, str], names: Collection[str]) -> str:
    """Join the plain text of the infobox fields with these names, also numbered ("city2")."""
    found = (fields[name] for name in fields if {name, name.rstrip("0123456789")} & set(names))
    return "\n".join(map(plain, found))


def plain(wikitext: str) -> str:
    """Strip a field's wikitext to its words: no comments, references, tags and link targets."""
    text = _COMMENT.sub(" ", html.unescape(wikitext))
    text = _ADDRESS.sub(" ", _TAG.sub(" ", _TARGET.sub(" ", text)))
    return re.sub(r"[\[\]{}|=']+", " ", text)


def _name_words(text: str, lexicon: EventLexicon) -> frozenset[str]:
    """Collect the words of the names of places or persons in a field's text."""
    found = lexicon.content(text)[:_MOST_WORDS]
    return frozenset(word for word in found if not word.isdigit() and len(word) > 1)


# The notes of a corpus on its events: the beginnings of their articles, dates and places.


EVENT_NOTES = "events.jsonl"
"""The file of a corpus."""
_LONGEST, _LONGEST_FACT = 600, 120


@dataclass(frozen=True, slots=True)
class EventNote:
    """An event by its article in one language; `cluster` is the cluster of its mentions.

    `text` is the article's first paragraph, cut if long; `facts` are the infobox's.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    cluster: str
    lang: str
    title: str
    text: str
    facts: Mapping[str, str] = field(default_factory=dict)


def first_paragraph(lead: str, settings: MarkupSettings) -> str:
    """Return the first prose paragraph of an article's lead, cut if long."""
    prose = (one.text for one in clean(lead, settings).paragraphs if one.kind == "prose")
    return _cut(next(prose, ""), _LONGEST)


def describe_event(page: EventPage, fields: EventFields, lang: str) -> dict[str, str]:
    """Read date, place and participants from the infobox, without the contents of templates."""
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
