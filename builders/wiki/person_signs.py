"""Tell from the wikitext alone whether a page is about a person, in any language.

Four signs are checked in this order, without cleaning the page, which would cost a hundred times as
much:

table        categories and templates that persons.toml has for the language
parameter    an infobox's parameter for the date or place of birth, in any language
sort key     "Surname, Given" of a title "Given Surname", with a year beside the title
years        "(5 May 1813 – 11 November 1855)" behind the bold title, or a year there that a
             category has, too
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from corefmill.builders.wiki.markup.settings import without_qualifier
from corefmill.corpora import languages
from corefmill.corpora.files import disk
from corefmill.corpora.words import without_accents

# Decide by categories and templates whether an article is about a person.


@dataclass(frozen=True, slots=True)
class _Patterns:
    categories: re.Pattern[str]
    templates: re.Pattern[str]
    things: re.Pattern[str]


def is_person(categories: Iterable[str], templates: Iterable[str], lang: str) -> bool | None:
    """Check if an article has a person's category or template (True), or a thing's (False).

    Returns None if no pattern matches, and for a language without an entry in persons.toml.
    `categories` come without their prefix, `templates` are names.
    """
    patterns = _patterns(lang)
    if patterns is None:
        return None
    names = [name.replace("_", " ").strip() for name in templates]
    if any(map(patterns.categories.search, categories)) or any(
        map(patterns.templates.match, names)
    ):
        return True
    return False if any(map(patterns.things.match, names)) else None


@cache
def _patterns(lang: str) -> _Patterns | None:
    """Compile the patterns of a language in persons.toml; None without an entry."""
    entry = disk.read_package_table(__file__, "persons").get(lang)
    if entry is None:
        return None
    return _Patterns(
        categories=_any(entry["categories"], re.NOFLAG),
        templates=_any(entry.get("templates", ()), re.IGNORECASE),
        things=_any(entry.get("things", ()), re.IGNORECASE),
    )


def _any(expressions: Sequence[str], flags: re.RegexFlag) -> re.Pattern[str]:
    # An empty expression would match everywhere instead of nowhere.
    return re.compile("|".join(f"(?:{one})" for one in expressions) or "(?!)", flags)


SIGNS = ("table", "parameter", "sort key", "years")

_LEAD = 30_000
"""Characters above the first heading to search: an infobox and a first sentence."""
_BRACKET = 500
"""Characters behind the bold title to search for the years."""
_SHORTEST_LIFE, _LONGEST_LIFE = 15, 115

_TEMPLATE = re.compile(r"\{\{\s*([^{}|\n<:]{1,100}+)")
# Any prefix before the colon, since wikis name their categories freely; links with the prefix of
# another namespace or language have no year in their title.
_CATEGORY = re.compile(
    r"\[\[[^\[\]|:\n]{1,40}+:([^\[\]|\n]{1,200}+)(?:\|([^\[\]|\n]{0,200}+))?\]\]"
)
_SORT_KEY = re.compile(r"\{\{\s*([^\W\d_]{4,30}+)\s*:\s*([^{}|\n]{3,200}+)\}\}")
_BOLD = re.compile(r"'''+([^'\n]{1,200}+)'''")
_COORDINATES = re.compile(r"\{\{\s*coord", re.IGNORECASE)
_LABELLED = re.compile(r"\[\[(?:[^\[\]|\n]{0,200}+\|)?([^\[\]|\n]{0,200}+)\]\]")
_MARKS = re.compile(r"<[^<>\n]{0,300}+>|[{}|\[\]']")
_OPENED = re.compile(r"[(（]([^()（）\n]{3,400}+)")
_YEAR = re.compile(r"(?<![\d])\d{3,4}(?![\d])")
_DASH = re.compile(r"[-–—―−~〜]|&[nm]dash;")
_NUMBER = re.compile(r"\d+")


def sign_of_person(title: str, wikitext: str, lang: str) -> str:
    """Find the first sign (of SIGNS) that a page is about a person, "" without one."""
    lead = wikitext[: max(wikitext.find("\n=="), 0) or _LEAD][:_LEAD]
    categories = _CATEGORY.findall(wikitext)
    names = dict.fromkeys(_TEMPLATE.findall(wikitext))
    said = is_person((name for name, _ in categories), names, lang)
    if said:
        return "table"
    if _parameters().search(lead.replace("_", " ")):
        return "parameter"
    if said is False or _COORDINATES.search(lead):
        return ""
    life = _life(lead)
    # Sort keys are behind a magic word in capitals, in any language, or in categories.
    keys = [key for word, key in _SORT_KEY.findall(wikitext) if word == word.upper()]
    keys += [key for _, key in categories if key]
    if life.years and _is_sorted_by_surname(title, keys):
        return "sort key"
    return "years" if life.is_persons(title, [name for name, _ in categories]) else ""


def begins_with_given_name(title: str, lang: str) -> bool:
    """Check whether a title is usual given names, each of one gender, and one more name."""
    words = [word for word in title.split() if word[-1] != "."]  # no initials
    given = words[:-1]
    return (
        bool(given)
        and given[0].lower() not in disk.read_package_table(__file__, "person_signs")["no_given"]
        and all(word[0].isupper() and word[1:2].islower() for word in words)
        and all(languages.is_frequent_name(word, lang) for word in given)
        and all(len(languages.genders_of_name(word)) == 1 for word in given)
    )


@cache
def _parameters() -> re.Pattern[str]:
    """Compile the pattern of infobox parameters for the date or place of birth."""
    words = "|".join(disk.read_package_table(__file__, "person_signs")["parameters"])
    return re.compile(
        rf"\|\s{{0,20}}+(?:{words})[ \t]{{0,30}}+=[ \t]{{0,30}}+[^\s|}}]", re.IGNORECASE
    )


@dataclass(frozen=True, slots=True)
class _Life:
    """The years in the bracket behind the bold title, and whether each has a day beside it."""

    years: tuple[int, ...] = ()
    dated: bool = False

    def is_persons(self, title: str, categories: list[str]) -> bool:
        """Check whether the years are a life's.

        Two years must be as far apart as birth and death, and have days or be in two categories. A
        single year must have a day and be in a category, and the title must have two words.
        """
        having = [
            [name for name in categories if str(year) in _NUMBER.findall(_plain_digits(name))]
            for year in self.years
        ]
        if len(self.years) == 2:
            born, died = self.years
            if not _SHORTEST_LIFE <= died - born <= _LONGEST_LIFE:
                return False
            return self.dated or (bool(having[0]) and bool(having[1]))
        if len(self.years) != 1 or not self.dated:
            return False
        return bool(having[0]) and len(without_qualifier(title).split()) > 1


def _life(lead: str) -> _Life:
    """Read the years of life in the bracket behind the bold title."""
    bold = _BOLD.search(lead)
    if bold is None:
        return _Life()
    behind = lead[bold.end() : bold.end() + 2 * _BRACKET].partition("\n\n")[0]
    plain = _MARKS.sub(" ", _LABELLED.sub(r"\1", behind))[:_BRACKET]
    for opened in _OPENED.finditer(_plain_digits(plain)):
        inner = opened[1]
        years = [int(year) for year in _YEAR.findall(inner)]
        if not years:
            continue
        # A day or a month stands beside each year, as a number or a word.
        parts = _DASH.split(inner) if len(years) == 2 else [inner]
        dated = len(parts) >= len(years) and all(
            len(_NUMBER.findall(part)) > 1 for part in parts if _YEAR.search(part)
        )
        return _Life(tuple(years), dated) if len(years) < 3 else _Life()
    return _Life()


def _plain_digits(text: str) -> str:
    """Replace the digits of other scripts by 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in text)


def _is_sorted_by_surname(title: str, keys: Iterable[str]) -> bool:
    """Check the sort keys for "Surname, Given" of the title "Given Surname"."""
    own = _fold_words(without_qualifier(title))
    if len(own) < 2:
        return False
    behind = frozenset(disk.read_package_table(__file__, "person_signs")["behind"])
    for key in keys:
        surname, comma, given = key.partition(",")
        if comma and given.strip().casefold() not in behind:
            words = [*_fold_words(given), *_fold_words(surname)]
            if words == own:
                return True
    return False


def _fold_words(text: str) -> list[str]:
    """Split into words without case and accents, as sort keys are written."""
    return without_accents(text).split()
