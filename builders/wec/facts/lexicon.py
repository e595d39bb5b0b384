"""A language's words for the event builder: words/LANG.toml, where each key is explained.

The months and the endings of ordinals are in the table of infoboxes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Annotated, ClassVar

from pydantic import AfterValidator, ConfigDict, TypeAdapter

from corefmill.builders.wec.facts import infoboxes

_WORD = re.compile(r"\w+")
_FIGURES = re.compile(r"\d+")
_ROMAN = re.compile(r"(?=[mdclxvi])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_SEASON = re.compile(r"(?<!\d)(1\d|20)\d\d[-–/](\d\d)(?!\d)")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}

Folded = Annotated[str, AfterValidator(str.casefold)]


@dataclass(frozen=True)
class EventLexicon:
    """The words, case-folded; empty where a language has no table."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    lang: str = ""
    inflected: bool = False
    compounds: bool = False
    function: frozenset[Folded] = frozenset()
    months: frozenset[Folded] = frozenset()
    times: frozenset[Folded] = frozenset()
    ordinals: tuple[Folded, ...] = ()
    ordinal_endings: tuple[Folded, ...] = ()
    happenings: frozenset[Folded] = frozenset()
    deeds: frozenset[Folded] = frozenset()
    phrases: tuple[Folded, ...] = ()
    occasions: frozenset[Folded] = frozenset()
    meetings: frozenset[Folded] = frozenset()
    undertakings: frozenset[Folded] = frozenset()
    measures: frozenset[Folded] = frozenset()
    plurals: tuple[Folded, ...] = ()
    general: frozenset[Folded] = frozenset()
    parts: frozenset[Folded] = frozenset()
    part_phrases: tuple[Folded, ...] = ()
    roles: frozenset[Folded] = frozenset()
    places: frozenset[Folded] = frozenset()
    marks: frozenset[Folded] = frozenset()
    bodies: frozenset[Folded] = frozenset()
    sittings: frozenset[Folded] = frozenset()
    agents: frozenset[Folded] = frozenset()
    of_texts: tuple[Folded, ...] = ()
    texts: frozenset[Folded] = frozenset()
    races: frozenset[Folded] = frozenset()
    genitive: frozenset[Folded] = frozenset()
    pointers: frozenset[Folded] = frozenset()
    ties: frozenset[Folded] = frozenset()
    articles: frozenset[Folded] = frozenset()
    nominal: tuple[Folded, ...] = ()
    since: tuple[Folded, ...] = ()
    hatnotes: tuple[Folded, ...] = ()
    back_matter: frozenset[Folded] = frozenset()

    @cached_property
    def _ranks(self) -> Mapping[str, int]:
        """The number of each ordinal in letters, by its forms."""
        return {form: n for n, forms in enumerate(self.ordinals, 1) for form in forms.split()}

    @cached_property
    def _ordinal(self) -> re.Pattern[str]:
        """Ordinals in figures: "39th"."""
        endings = "|".join(sorted(map(re.escape, self.ordinal_endings), key=len, reverse=True))
        return re.compile(rf"(\d+)(?:{endings})")

    @cached_property
    def events(self) -> frozenset[str]:
        """Every noun for an event."""
        return self.happenings | self.occasions

    def is_event(self, word: str) -> bool:
        """Check whether a word in lower case is a noun for events ("flood", "festival")."""
        return self._ends_in(word, self.events)

    def is_noun(self, word: str) -> bool:
        """Check for a noun in lower case that heads an event's name."""
        return word in self.events or word in self.undertakings

    def singular(self, word: str) -> str:
        """Return the singular of a noun at the head of an event's name, else the noun itself.

        "" for any other word, and where the language has no rules for plurals.
        """
        low = word.casefold()
        if not self.plurals or not self.is_noun(low):
            return ""
        for endings in self.plurals:
            plural, _, singular = endings.partition(" ")
            stem = word[: -len(plural)]
            if low.endswith(plural) and self.is_noun(f"{stem}{singular}".casefold()):
                return f"{stem}{singular}"
        return word

    def is_happening(self, word: str) -> bool:
        """Check for a noun for events befalling somebody ("earthquake", "crash")."""
        return self._ends_in(word, self.happenings)

    def is_meeting(self, word: str) -> bool:
        """Check for a noun for meetings, often called by their place ("conference", "council")."""
        return self._ends_in(word, self.meetings)

    def _ends_in(self, word: str, known: frozenset[str]) -> bool:
        """Check for a known word; where the language has compounds, also at the end of the word."""
        if word in known:
            return True
        return self.compounds and any(
            word[start:] in known for start in range(3, max(3, len(word) - 3))
        )

    def is_date(self, word: str) -> bool:
        """Check whether a word belongs to a date: a month, a time of the day or year, a number."""
        return word in self.months or word in self.times or self.number(word) is not None

    def number(self, word: str) -> int | None:
        """Read the number of a word's figures, an ordinal's ending left off ("39th")."""
        if _FIGURES.fullmatch(word):
            return int(word[:9])
        match = self._ordinal.fullmatch(word) if self.ordinal_endings else None
        return int(match[1][:9]) if match else None

    def numbers(self, text: str) -> Iterator[tuple[str, str]]:
        """Find numbers in a text, each as written and read: "39" for figures, "39." for ordinals.

        A Roman numeral counts as an ordinal; it is written in capitals, and has at least two
        letters or is V or X.
        """
        for word in _WORD.findall(text):
            folded = word.casefold()
            if folded in self._ranks:
                yield folded, f"{self._ranks[folded]}."
            elif (figures := self.number(folded)) is not None:
                yield folded, f"{figures}" if folded.isdigit() else f"{figures}."
            elif (len(word) > 1 or word in "VX") and word.isupper() and (value := roman(folded)):
                yield folded, f"{value}."

    def content(self, text: str) -> list[str]:
        """List the words of a text in lower case, without function words."""
        return [word for word in words(text) if word not in self.function]


def words(text: str) -> list[str]:
    """Split a text into words in lower case, also at apostrophes and hyphens."""
    return _WORD.findall(text.casefold())


def cased_words(text: str) -> list[str]:
    """Split a text into words as written, also at apostrophes and hyphens."""
    return _WORD.findall(text)


def years(text: str) -> frozenset[str]:
    """Find the years from 1000 to 2099 in a text; "2014-15" is two."""
    found = set(_YEAR.findall(text))
    found.update(f"{century}{later}" for century, later in _SEASON.findall(text))
    return frozenset(found)


def roman(word: str) -> int | None:
    """Read a Roman numeral in lower case."""
    if not _ROMAN.fullmatch(word):
        return None
    values = [_ROMAN_VALUES[letter] for letter in word]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


@cache
def load(lang: str) -> EventLexicon:
    """Load the lexicon of a language, an empty lexicon if corefmill has none."""
    path = resources.files("corefmill.builders.wec.facts").joinpath("words", f"{lang}.toml")
    if not path.is_file():
        return EventLexicon(lang)
    table = tomllib.loads(path.read_text("utf-8"))
    table["lang"] = lang
    if lang in infoboxes.shipped_languages():
        known = infoboxes.load(lang).words
        table["months"] = [month for names in known.months for month in names]
        table["ordinal_endings"] = known.suffixes
    return TypeAdapter(EventLexicon).validate_python(table)
