"""Further conditions on an event's article, besides its infobox.

They are named in the tables (infoboxes/en.toml explains them).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator, Field, StrictBool

from corefmill.builders.wec.facts.templates import squeeze, without_comments

# The dates in an infobox's fields: from wikitext to the first and the last day that it names.


_LONGEST = 2000  # characters of a field that are looked at

# Notes beside a date have other dates: of historians' opinions, of a visit to a website.
_NOTES = re.compile(
    r"<ref\b[^<>]*/>|<ref\b[^<>]*>.*?(?:</ref\s*>|\Z)"
    r"|\{\{\s*(?:efn|refn|sfn|notetag|note|#tag:ref|citation needed|cn)\b[^{}]*+"
    r"(?:\{\{[^{}]*+\}\}[^{}]*+)*+(?:\}\}|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_TEMPLATE = re.compile(r"\{\{([^{}|]*)\|?([^{}]*)\}\}")
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]")
# Tags within a word, as in 1<sup>er</sup>; the others separate two dates.
_INLINE = re.compile(r"</?(?:sup|abbr|span|small)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_TOKEN = re.compile(
    r"(?<!\w)(\d{1,4})(?:\.?[ºª°]|[^\W\d_]{1,3}(?!\w))?+(?!\d)"
    r"|([^\W\d_]+)|([-–—‒−./;\n])"
)
_CLOCK = re.compile(r"\b\d{1,2}(?:[:.h]\d{2}(?:[:.]\d{2})?|\s?h(?:\s\d{2})?)\b(?![./-]\d)")
_ROMAN_MONTHS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
# "12 V 1998", and "30 IV – 2 V 1998" where a dash and a day follow.
_ROMAN_MONTH = re.compile(
    r"(?<=\d)(?P<before>[. ]{1,3})(?P<month>[IVX]{1,4})(?=[. ]{1,3}(?:\d{4}(?!\d)|[-–—] ?\d))"
)


@dataclass(frozen=True, slots=True, order=True)
class Day:
    """A date of any precision; 0 stands for an unknown part."""

    year: int
    month: int = 0
    day: int = 0


def days(
    value: str, months: Sequence[Sequence[str]], before_christ: Sequence[str] = ()
) -> list[Day]:
    """Read the dates in the wikitext `value`, in their order.

    `months` are the spellings of each month, in lower case; `before_christ` are the signs behind
    years before Christ ("v. Chr."), with or without points. A day without a year is not a date.
    """
    numbers = {word: number for number, words in enumerate(months, 1) for word in words}
    text = _plain(value)
    if before_christ:
        text = _ancient(tuple(before_christ)).sub(" ", text)
    if months:
        text = _ROMAN_MONTH.sub(lambda match: _month_in_words(match, months), text)
    return list(_read(_tokens(text), numbers))


def _month_in_words(match: re.Match[str], months: Sequence[Sequence[str]]) -> str:
    """Replace a Roman numeral by the language's name of the month; keep any other."""
    if match["month"] not in _ROMAN_MONTHS:
        return match[0]
    return match["before"] + months[_ROMAN_MONTHS.index(match["month"])][0]


@cache
def _ancient(marks: tuple[str, ...]) -> re.Pattern[str]:
    """Compile the pattern of years before Christ: "44 BC", "264–241 a. C."."""
    choice = "|".join(r"[.\s-]*".join(re.findall(r"\w+", mark)) for mark in marks)
    return re.compile(
        rf"(?<!\d)(?:\d{{1,4}}\s?[-–—/]\s?)?\d{{1,4}}\s{{0,3}}(?:{choice})(?!\w)", re.IGNORECASE
    )


def within_a_month(named: Sequence[Day]) -> bool:
    """Check for dates within 31 days, or within two adjacent months if a day is missing. A bare
    year is within a month only if no other year is named."""
    first, last = min(named), max(named)
    if not (first.month and last.month):
        return first.year == last.year
    if first.day and last.day:
        try:
            return (date(*astuple(last)) - date(*astuple(first))).days <= 31
        except ValueError:  # the 31st of June
            pass
    return (last.year - first.year) * 12 + last.month - first.month <= 1


def _plain(value: str) -> str:
    """Strip the markup of a field's value; keep the unnamed arguments of templates."""
    text = _NOTES.sub(" ", without_comments(value[:_LONGEST]))
    text = _TAG.sub(" ; ", _INLINE.sub("", text))
    text = _LINK.sub(r"\1", text)
    while True:
        text, count = _TEMPLATE.subn(_arguments, text)
        if not count:
            break
    return _CLOCK.sub(" ", html.unescape(text).replace("\xa0", " "))


def _arguments(match: re.Match[str]) -> str:
    """Replace a template by its unnamed arguments, a date template by its date."""
    name, arguments = match[1].strip().lower(), match[2].split("|")
    said = [argument.strip() for argument in arguments if "=" not in argument]
    if len(said) >= 3 and all(argument.isdecimal() for argument in said[:3]):
        # {{start date|2011|3|11|14|46}}: only the first three numbers are of the date.
        return f" {'/'.join(said[:3])} "
    # Some languages have a template for a date alone, whose name is the date.
    return f" {' '.join(said) if match[2] else name} "


def _tokens(text: str) -> list[str | int]:
    """Split a text into numbers, words in lower case, and punctuation between them."""
    found: list[str | int] = []
    for match in _TOKEN.finditer(text):
        if match[1]:
            found.append(int(match[1]) if len(match[1]) in (1, 2, 4) else "")
        else:
            found.append((match[2] or match[3]).lower())
    return found


def _is_year(token: object) -> bool:
    return isinstance(token, int) and 1000 <= token <= 2099


def _is_day(token: object) -> bool:
    return isinstance(token, int) and 1 <= token <= 31


def _read(tokens: list[str | int], months: dict[str, int]) -> Iterator[Day]:
    """Read dates of figures and of words; a day without a year takes the next one.

    "30 April - 2 May 1998": both days take 1998. "in 1998, on 3 May": a day without a later year
    takes the last year before. A month alone counts only with a year near, since "may" and "mars"
    are also other words.
    """
    waiting: list[tuple[int, int]] = []  # (month, day) whose year is still to come
    last_year = 0
    place = 0
    while place < len(tokens):
        figures = _read_figures(tokens, place)
        if figures:
            yield figures
            last_year = figures.year
            place += 5
            continue
        token = tokens[place]
        month = months.get(token, 0) if isinstance(token, str) else 0
        if month:
            found = _days_around(tokens, place, months)
            if found or any(map(_is_year, tokens[max(0, place - 2) : place + 5])):
                waiting.extend((month, day) for day in found or [0])
        elif isinstance(token, int) and _is_year(token):
            if waiting:
                yield from (Day(token, month, day) for month, day in waiting)
                waiting = []
            elif token != last_year:
                yield Day(token)
            last_year = token
            if end := _short_year(tokens, place):
                yield Day(end)
                last_year = end
        place += 1
    if last_year:
        yield from (Day(last_year, month, day) for month, day in waiting)


def _read_figures(tokens: list[str | int], place: int) -> Day | None:
    """Read a date of three numbers with one mark between: 2011-03-11, 11/3/2011, 11.3.2011."""
    part = tokens[place : place + 5]
    if len(part) < 5 or part[1] != part[3] or part[1] not in ("-", "/", ".", "–"):
        return None
    first, middle, last = part[0], part[2], part[4]
    if not (isinstance(first, int) and isinstance(middle, int) and isinstance(last, int)):
        return None
    if _is_year(first) and 1 <= middle <= 12 and _is_day(last):
        return Day(first, middle, last)
    if _is_year(last) and _is_day(first) and 1 <= middle <= 31:
        # The month is in the middle, except in American dates.
        return Day(last, middle, first) if middle <= 12 else Day(last, min(first, 12), middle)
    return None


def _days_around(tokens: list[str | int], place: int, months: dict[str, int]) -> list[int]:
    """Collect the days of the month named at `place`: "9 and 11 March", "March 9-11"."""
    # First the numbers before the month ("9 and 11 March"), up to a year, to another month or to a
    # word that ends a list of days; eight tokens are "from the 9th to the 11th of".
    before: list[int] = []
    step = place - 1
    while step >= 0 and place - step <= 8:
        token = tokens[step]
        if isinstance(token, int) and _is_day(token):
            before.append(token)
        elif isinstance(token, int) or token in months or _ends_days(token):
            break
        step -= 1
    if before and not (step >= 0 and tokens[step] in months):
        return before[::-1]
    # If the numbers before belong to the month before them ("March 9 - April 11"), or there are
    # none, the numbers behind the month are its days.
    after: list[int] = []
    for token in tokens[place + 1 : place + 8]:
        if isinstance(token, int) and _is_day(token):
            after.append(token)
        elif isinstance(token, int) or token in months or _ends_days(token):
            break
    return after or before[::-1]


def _ends_days(token: str) -> bool:
    """Check whether `token` ends a list of days: "to", "and", "bis" and punctuation do not."""
    return len(token) > 3 or token in (";", "\n", "/")


def _short_year(tokens: list[str | int], place: int) -> int:
    """Read the last year of "1994–95" or "1994/95", 0 for any other."""
    year, mark, end = (*tokens[place : place + 3], "", "")[:3]
    if not (isinstance(year, int) and isinstance(end, int) and mark in ("-", "–", "/")):
        return 0
    # "2001-09" is a month.
    if not year % 100 < end <= 99 or (end <= 12 and mark != "–"):
        return 0
    return year // 100 * 100 + end


_YEAR = re.compile(r"(?<![\w.,])(?:1\d{3}|20\d{2})(?![\w])")
_ROMAN = re.compile(r"(?<![\w'’.&])[IVXLC]{1,8}(?![\w'’&])(?!\.\w)")
_REAL_ROMAN = re.compile(r"C?(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BLANK = re.compile(r"<ref\b.*|<br.*|&nbsp;|\[\[\s*\]\]|[\s\-–—?.,]+", re.IGNORECASE | re.DOTALL)


Name = Annotated[str, Field(pattern=r"\S")]
# A template's name; the context has the prefixes for "template".
Squeezed = Annotated[Name, AfterValidator(lambda name, info: squeeze(name, info.context or ()))]
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
    """Squeezed names of a language's infobox fields, by their contents."""

    date: tuple[Squeezed, ...] = ()
    start: tuple[Squeezed, ...] = ()
    end: tuple[Squeezed, ...] = ()
    place: tuple[Squeezed, ...] = ()
    participants: tuple[Squeezed, ...] = ()
    recurring: tuple[Squeezed, ...] = ()


@dataclass(frozen=True, slots=True)
class TitleAndFields:
    """The input of a validator."""

    title: str
    fields: Mapping[str, str]
    words: DateWords
    names: EventFields


def title_with_date(seen: TitleAndFields) -> bool:
    """Check a title for a year (1000-2099), an ordinal, or a Roman numeral as an ordinal."""
    title, words = seen.title, seen.words
    if _YEAR.search(title):
        return True
    if _ordinal_figure(tuple(words.suffixes)).search(title):
        return True
    if not words.ordinals.isdisjoint(_WORD.findall(title.lower())):
        return True
    return _roman_ordinal(title, words.roman_first)


def date_span(seen: TitleAndFields) -> bool:
    """Check whether the infobox's dates lie within a month; without dates, the title for a year."""
    named = dates_of(seen)
    if named:
        return within_a_month(named)
    return _YEAR.search(seen.title) is not None


def edition(seen: TitleAndFields) -> bool:
    """Check for one edition of a series, by title, or an event of a month, by its infobox."""
    if title_with_date(seen):
        return True
    named = dates_of(seen)
    recurs = any(_has_content(seen.fields.get(name, "")) for name in seen.names.recurring)
    return bool(named) and within_a_month(named) and not recurs


def location(seen: TitleAndFields) -> bool:
    """Check whether the infobox names a place."""
    return any(_has_content(seen.fields.get(name, "")) for name in seen.names.place)


VALIDATORS: Mapping[str, Callable[[TitleAndFields], bool]] = MappingProxyType(
    {
        "title_with_date": title_with_date,
        "date_span": date_span,
        "edition": edition,
        "location": location,
    }
)


def dates_of(seen: TitleAndFields) -> list[Day]:
    """Read the dates of an infobox: of start and end, else of the first field with a date."""
    start = _read_first(seen, seen.names.start)
    end = _read_first(seen, seen.names.end)
    if start and end:
        return [min(start), max(end)]
    return _read_first(seen, seen.names.date) or start or end


def _read_first(seen: TitleAndFields, names: Iterable[str]) -> list[Day]:
    """Read the dates of the first of these infobox fields with any."""
    words = seen.words
    for name in names:
        value = seen.fields.get(name)
        if value and (named := days(value, words.months, words.before_christ)):
            return named
    return []


def _has_content(value: str) -> bool:
    """Check whether a field has content besides comments, references and dashes."""
    return bool(_BLANK.sub("", without_comments(value)))


@cache
def _ordinal_figure(suffixes: tuple[str, ...]) -> re.Pattern[str]:
    """Compile the pattern of ordinals in figures with these suffixes: "39th"."""
    if not suffixes:
        return re.compile(r"(?!)")
    choice = "|".join(re.escape(suffix) for suffix in sorted(suffixes, key=len, reverse=True))
    return re.compile(rf"(?<![\w.,])\d{{1,3}}(?:{choice})(?!\w)", re.IGNORECASE)


def _roman_ordinal(title: str, first: bool) -> bool:
    """Check whether a Roman numeral below 200 is an ordinal in `title`.

    Larger numerals are other words (MC, CD, DC). A single letter is an ordinal only at the end or,
    if `first`, at the start of the title: elsewhere it is an initial, a name, or a word.
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
