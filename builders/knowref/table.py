"""A language's table for the pronoun-problem builder: connectives, pronouns, persons, names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib import resources
from typing import Any, Literal

from corefmill.corpora.errors import DataError, UsageError

Gender = Literal["male", "female"]


@dataclass(frozen=True)
class KnowrefWords:
    """The words of tables/LANG.toml, where each key is explained."""

    connectives: tuple[str, ...]
    more_connectives: tuple[str, ...]
    openers: tuple[str, ...]
    male_pronouns: tuple[str, ...]
    female_pronouns: tuple[str, ...]
    bound_pronouns: tuple[str, ...]
    addressing: frozenset[str]
    naming: frozenset[str]
    plural_titles: frozenset[str]
    male_people: frozenset[str]
    female_people: frozenset[str]
    people: frozenset[str]
    male_names: tuple[str, ...]
    female_names: tuple[str, ...]

    @cached_property
    def connective(self) -> re.Pattern[str]:
        """Matches a connective within a sentence, in small letters, longest first."""
        return _words((*self.connectives, *self.more_connectives))

    @cached_property
    def opener(self) -> re.Pattern[str]:
        """Matches an opener at the head of a sentence."""
        return re.compile(rf"\W*{_words(self.openers).pattern}", re.IGNORECASE)

    @cached_property
    def pronoun(self) -> re.Pattern[str]:
        """Matches a pronoun that may be asked for, or one that is bound to a person."""
        listed = (*self.male_pronouns, *self.female_pronouns, *self.bound_pronouns)
        return re.compile(_words(listed).pattern, re.IGNORECASE)

    def gender_of(self, pronoun: str) -> Gender | None:
        """Whom a pronoun stands for, None for one that is not asked for."""
        if pronoun.lower() in self.male_pronouns:
            return "male"
        return "female" if pronoun.lower() in self.female_pronouns else None

    def names_of(self, gender: Gender) -> tuple[str, ...]:
        """The names that may replace a person's own."""
        return self.male_names if gender == "male" else self.female_names


def _words(listed: Iterable[str]) -> re.Pattern[str]:
    longest = sorted(listed, key=lambda words: (-len(words), words))
    return re.compile(rf"(?<![\w'’-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])")


@cache
def load(lang: str) -> KnowrefWords:
    """The table of a language.

    Raises `UsageError` where none ships, `DataError` for a key too many or too few.
    """
    folder = resources.files("corefmill.builders.knowref").joinpath("tables")
    path = folder.joinpath(f"{lang}.toml")
    if not path.is_file():
        known = sorted(entry.name.partition(".")[0] for entry in folder.iterdir())
        raise UsageError(
            f"no connectives and pronouns of {lang!r} are known",
            remedy=f"there are {', '.join(known)}; a table in builders/knowref/tables adds one",
        )
    words = tomllib.loads(path.read_text("utf-8"))
    known = [field.name for field in fields(KnowrefWords)]
    if wrong := set(words) ^ set(known):
        raise DataError(
            f"key {min(wrong)!r} is unknown or missing, known are {', '.join(known)}",
            path=f"tables/{lang}.toml",
        )
    kinds = {field.name: field.type for field in fields(KnowrefWords)}
    made: dict[str, Any] = {
        key: frozenset(values) if "frozenset" in str(kinds[key]) else tuple(values)
        for key, values in words.items()
    }
    return KnowrefWords(**made)
