"""What an article must show besides its infobox to be an event.

They are named in the tables (infoboxes/en.toml explains them).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator, Field, StrictBool, ValidationInfo

from corefmill.builders.wec.facts.dates import Day, days, within_a_month
from corefmill.builders.wec.facts.templates import squeeze, without_comments

_YEAR = re.compile(r"(?<![\w.,])(?:1\d{3}|20\d{2})(?![\w])")
_ROMAN = re.compile(r"(?<![\w'’.&])[IVXLC]{1,8}(?![\w'’&])(?!\.\w)")
_REAL_ROMAN = re.compile(r"C?(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BLANK = re.compile(r"<ref\b.*|<br.*|&nbsp;|\[\[\s*\]\]|[\s\-–—?.,]+", re.IGNORECASE | re.DOTALL)


def _squeeze(name: str, info: ValidationInfo) -> str:
    """Squeeze a template's name; the context is the prefixes that say "template"."""
    return squeeze(name, info.context or ())


Name = Annotated[str, Field(pattern=r"\S")]
Squeezed = Annotated[Name, AfterValidator(_squeeze)]
_Lower = Annotated[Name, AfterValidator(str.lower)]


@dataclass(frozen=True, slots=True)
class DateWords:
    """A language's words for dates and numbers, in lower case."""

    months: Annotated[tuple[tuple[_Lower, ...], ...], Field(min_length=12, max_length=12)] = ()
    suffixes: tuple[_Lower, ...] = ()
    ordinals: frozenset[_Lower] = frozenset()
    roman_first: StrictBool = False
    before_christ: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class EventFields:
    """Squeezed names of a language's infobox fields, by what they hold."""

    date: tuple[Squeezed, ...] = ()
    start: tuple[Squeezed, ...] = ()
    end: tuple[Squeezed, ...] = ()
    place: tuple[Squeezed, ...] = ()
    participants: tuple[Squeezed, ...] = ()
    recurring: tuple[Squeezed, ...] = ()


@dataclass(frozen=True, slots=True)
class TitleAndFields:
    """What a validator looks at."""

    title: str
    fields: Mapping[str, str]
    words: DateWords
    names: EventFields


def title_with_date(seen: TitleAndFields) -> bool:
    """A year of 1000-2099, an ordinal in figures or letters, or a roman numeral as an ordinal."""
    title, words = seen.title, seen.words
    if _YEAR.search(title):
        return True
    if _ordinal_figure(tuple(words.suffixes)).search(title):
        return True
    if not words.ordinals.isdisjoint(_WORD.findall(title.lower())):
        return True
    return _roman_ordinal(title, words.roman_first)


def date_span(seen: TitleAndFields) -> bool:
    """The infobox names dates within a month; where it names none, the title has a year."""
    named = dates_of(seen)
    if named:
        return within_a_month(named)
    return _YEAR.search(seen.title) is not None


def edition(seen: TitleAndFields) -> bool:
    """One of a series: `title_with_date`; or happened once, within a month, as the infobox says."""
    if title_with_date(seen):
        return True
    named = dates_of(seen)
    recurs = any(_says(seen.fields.get(name, "")) for name in seen.names.recurring)
    return bool(named) and within_a_month(named) and not recurs


def location(seen: TitleAndFields) -> bool:
    """A field for the place says something."""
    return any(_says(seen.fields.get(name, "")) for name in seen.names.place)


VALIDATORS: Mapping[str, Callable[[TitleAndFields], bool]] = MappingProxyType(
    {
        "title_with_date": title_with_date,
        "date_span": date_span,
        "edition": edition,
        "location": location,
    }
)


def dates_of(seen: TitleAndFields) -> list[Day]:
    """The dates of the infobox: of its fields for start and end, else of the first that has any."""
    start = _first(seen, seen.names.start)
    end = _first(seen, seen.names.end)
    if start and end:
        return [min(start), max(end)]
    return _first(seen, seen.names.date) or start or end


def _first(seen: TitleAndFields, names: Iterable[str]) -> list[Day]:
    words = seen.words
    for name in names:
        value = seen.fields.get(name)
        if value and (named := days(value, words.months, words.before_christ)):
            return named
    return []


def _says(value: str) -> bool:
    """Whether anything is left of a field without comments, references and dashes."""
    return bool(_BLANK.sub("", without_comments(value)))


@cache
def _ordinal_figure(suffixes: tuple[str, ...]) -> re.Pattern[str]:
    if not suffixes:
        return re.compile(r"(?!)")
    choice = "|".join(re.escape(suffix) for suffix in sorted(suffixes, key=len, reverse=True))
    return re.compile(rf"(?<![\w.,])\d{{1,3}}(?:{choice})(?!\w)", re.IGNORECASE)


def _roman_ordinal(title: str, first: bool) -> bool:
    """Whether a roman numeral below 200 counts something in `title`.

    Larger ones are words that look so (MC, CD, DC). A single letter is one only at the end or,
    where `first`, the start: elsewhere it is an initial, a name, an English or Italian word.
    """
    for match in _ROMAN.finditer(title):
        numeral = match[0]
        if not _REAL_ROMAN.fullmatch(numeral) or numeral == "CC":
            continue
        if len(numeral) > 1:
            return True
        after = title[match.end() :]
        at_end = not after or after.startswith((",", ":", " ("))
        if numeral in "IVX" and match.start() and at_end:
            return True
        if numeral in "VX" and first and not match.start() and after:
            return True
    return False
