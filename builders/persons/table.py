"""A language's words about persons, in tables/LANG.toml, and which filters cannot do without."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib import resources
from typing import Literal, TypeVar

from corefmill.corpora.errors import DataError

Gender = Literal["male", "female"]

Stops = TypeVar("Stops", bound=Callable[..., bool])

_ELIDED = re.compile(r"\w+['’](?=\w)")


def requires(key: str) -> Callable[[Stops], Stops]:
    """Says of a filter that it can stop nothing in a language whose table has no words at `key`."""

    def mark(stops: Stops) -> Stops:
        stops.__dict__["requires"] = key
        return stops

    return mark


def idle(
    in_force: Iterable[str], filters: Mapping[str, Callable[..., bool]], lang: str
) -> tuple[str, ...]:
    """Those of the filters `in_force` that can stop nothing in the language."""
    words = load(lang)
    needed = {name: getattr(filters.get(name), "requires", None) for name in in_force}
    return tuple(name for name, key in needed.items() if key and not getattr(words, key))


@dataclass(frozen=True)
class PersonWords:
    """The sets of words of tables/LANG.toml, where each is explained; empty where unknown."""

    never_names: frozenset[str] = frozenset()
    never_persons: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    male_titles: frozenset[str] = frozenset()
    female_titles: frozenset[str] = frozenset()
    married_titles: frozenset[str] = frozenset()
    male_pronouns: frozenset[str] = frozenset()
    female_pronouns: frozenset[str] = frozenset()
    also_called: frozenset[str] = frozenset()
    diminutives: frozenset[str] = frozenset()
    nicknames: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    naming: frozenset[str] = frozenset()
    relatives: frozenset[str] = frozenset()
    genitive: frozenset[str] = frozenset()
    after_names: frozenset[str] = frozenset()
    possessive: frozenset[str] = frozenset()
    saying: frozenset[str] = frozenset()
    before_things: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    landed_titles: frozenset[str] = frozenset()
    elided: frozenset[str] = frozenset()
    subject_articles: frozenset[str] = frozenset()
    speech_dashes: frozenset[str] = frozenset()

    def gender_of_title(self, title: str) -> Gender | None:
        """The gender that an honorific tells."""
        return _which(title, self.male_titles, self.female_titles)

    def gender_of_pronoun(self, pronoun: str) -> Gender | None:
        """The gender that a pronoun in small letters tells, also behind a verb or an elided word:
        "dit-elle" by the pronoun "-elle", "qu'elle" by "elle"."""
        if pronoun.isalpha():
            return _which(pronoun, self.male_pronouns, self.female_pronouns)
        prefix = self.elided_prefix(pronoun)
        rest = pronoun[len(prefix) :]
        behind = rest[rest.rfind("-") :] if "-" in rest else rest
        return _which(behind, self.male_pronouns, self.female_pronouns)

    def elided_prefix(self, word: str) -> str:
        """The elided word that a word begins with ("qu'" of "qu'Emma"), "" for none."""
        match = _ELIDED.match(word)
        return match.group() if match and plain(match.group()) in self.elided else ""

    @cached_property
    def no_names(self) -> frozenset[str]:
        """The words that are no person's name on their own."""
        return self.never_names | self.never_persons

    @cached_property
    def name_groups(self) -> Mapping[str, frozenset[str]]:
        """The entries of `nicknames` that have a name, by the name."""
        groups: dict[str, set[str]] = {}
        for group in sorted(self.nicknames):
            for name in group.split():
                groups.setdefault(name, set()).add(group)
        return {name: frozenset(having) for name, having in groups.items()}

    @cached_property
    def no_names_or_titles(self) -> frozenset[str]:
        """The same, and honorifics."""
        return self.no_names | self.titles


def plain(word: str) -> str:
    """A word as tables write it: in small letters, with a straight apostrophe."""
    return word.lower().replace("’", "'")


def _which(word: str, male: frozenset[str], female: frozenset[str]) -> Gender | None:
    if word in male:
        return "male"
    return "female" if word in female else None


@cache
def load(lang: str) -> PersonWords:
    """The table of a language, an empty one where none ships.

    Raises `DataError` for a key that no filter knows.
    """
    path = resources.files("corefmill.builders.persons").joinpath("tables", f"{lang}.toml")
    if not path.is_file():
        return PersonWords()
    words = tomllib.loads(path.read_text("utf-8"))
    known = [field.name for field in fields(PersonWords)]
    for key in words:
        if key not in known:
            raise DataError(
                f"unknown key {key!r}, known are {', '.join(known)}", path=f"tables/{lang}.toml"
            )
    return PersonWords(**{key: frozenset(values) for key, values in words.items()})
