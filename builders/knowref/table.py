"""A language's table for the pronoun-problem builder: connectives, pronouns, persons, names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from corefmill.builders.persons import reference_words
from corefmill.builders.persons.reference_words import ReferenceWords
from corefmill.builders.persons.table import Gender
from corefmill.corpora.records import Span

_VOWELS = frozenset("aeiouhy")
"""First letters of names that sound like a vowel in French and Italian."""


@dataclass(frozen=True)
class KnowrefWords(ReferenceWords):
    """The words of tables/LANG.toml, with each key explained there, and the pronouns."""

    connectives: frozenset[str]
    more_connectives: frozenset[str]
    close_connectives: frozenset[str]
    openers: frozenset[str]
    male_clitics: frozenset[str]
    female_clitics: frozenset[str]
    clitic_verbs: frozenset[str]
    clitic_verb_endings: frozenset[str]
    impersonal: frozenset[str]
    leading_words: frozenset[str]
    name_articles: frozenset[str]
    no_agreement: frozenset[str]
    as_words: frozenset[str]
    male_names: tuple[str, ...]
    female_names: tuple[str, ...]
    swapped_cases: frozenset[str]
    before_vowels: frozenset[str]
    before_consonants: frozenset[str]

    @cached_property
    def connective(self) -> re.Pattern[str]:
        """Matches a connective within a sentence, in small letters, longest first."""
        return _words((*self.connectives, *self.more_connectives))

    @cached_property
    def opener(self) -> re.Pattern[str]:
        """Matches an opener at the head of a sentence."""
        return re.compile(rf"\W*{_words(self.openers).pattern}", re.IGNORECASE)

    @cached_property
    def close(self) -> re.Pattern[str]:
        """Compile a pattern of a close connective at the very end of the text searched."""
        marks = sorted(mark for mark in self.close_connectives if not mark[0].isalpha())
        words = _words(self.close_connectives - {*marks}).pattern
        marked = re.escape("".join(marks))
        return re.compile(rf"(?P<connective>[{marked}]|{words})(?:\s+|(?<=['’]))$")

    @cached_property
    def leading(self) -> re.Pattern[str]:
        """Compile a pattern of the pronoun at a sentence's head, behind possible leading words."""
        led = _words(self.leading_words).pattern
        gap = r"(?:,?\s+|(?<=['’]))"
        return re.compile(
            rf"(?:{led}{gap}){{0,2}}(?P<pronoun>{self.pronoun.pattern})", re.IGNORECASE
        )

    @cached_property
    def pronoun(self) -> re.Pattern[str]:
        """Compile a pattern of any pronoun that may be a problem's."""
        elides = any(word.endswith("'") for word in self.close_connectives)
        words = _scan_pattern((*self.male_pronouns, *self.female_pronouns), elides=elides)
        if self.impersonal:
            verbs = _ways(self.impersonal)
            words = rf"{words}(?! (?:\w{{1,4}}['’ ]){{0,2}}(?i:{verbs})(?!\w))"
        if self.clitics:
            endings = "|".join(map(re.escape, self.clitic_verb_endings))
            verbs = rf"{_words(self.clitic_verbs).pattern}|\w+(?:{endings})(?!\w)"
            words = rf"{words}|{_scan_pattern(self.clitics)}(?= (?i:{verbs}))"
        return re.compile(words)

    @property
    def clitics(self) -> frozenset[str]:
        """The words that count as pronouns before a verb only."""
        return self.male_clitics | self.female_clitics

    def collect_genders(self, text: str) -> set[Gender | None]:
        """Collect the genders of all pronouns and reflexives of a text."""
        told = {self.gender_of(match.group()) for match in self.pronoun.finditer(text)}
        words = re.findall(r"\w+", text)
        told |= {"male" for word in words if word in self.male_reflexives}
        told |= {"female" for word in words if word in self.female_reflexives}
        return told

    def find_first_pronouns(self, text: str) -> list[Span]:
        """Find the first pronoun of each gender, in order.

        Ambiguous words before it are found, too, since only a parse tells them from pronouns.
        """
        sure: set[Gender | None] = set()
        found: list[Span] = []
        for match in self.pronoun.finditer(text):
            gender = self.gender_of(match.group())
            if gender not in sure:
                found.append(match.span())
                if not self.is_ambiguous(match.group()):
                    sure.add(gender)
            if len(sure) == 2:
                break
        return found

    def gender_of(self, pronoun: str) -> Gender | None:
        """Look up a pronoun's gender, None for a word that is not in the table."""
        form = pronoun.lower()
        if form in self.male_clitics:
            return "male"
        return "female" if form in self.female_clitics else super().gender_of(form)

    def names_of(self, gender: Gender) -> tuple[str, ...]:
        """List the substitutes for a person's name."""
        return self.male_names if gender == "male" else self.female_names

    def goes_behind(self, word: str, name: str) -> bool:
        """Tell whether a name may stand right behind a word: "ad Anna", "de Marie".

        Some words stand before a vowel only, or before a consonant only.
        """
        vowel = unicodedata.normalize("NFD", name)[0].casefold() in _VOWELS
        return word not in (self.before_consonants if vowel else self.before_vowels)


def _scan_pattern(listed: Iterable[str], *, elides: bool = False) -> str:
    """Write a regex that finds any of the words in long texts, in small letters or not.

    The pattern begins with a letter and looks back from there: this is several times as fast as
    looking back from every character. If the language `elides`, an apostrophe may stand before the
    word ("qu'elle").
    """
    rests: dict[str, list[str]] = {}
    for word in sorted(listed, key=lambda word: (-len(word), word)):
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    first = "".join(f"{letter}{letter.upper()}" for letter in rests)
    ways = (f"(?<=[{a}{a.upper()}])(?i:{'|'.join(words)})" for a, words in rests.items())
    stops = r"\w-" if elides else r"\w'’-"
    return rf"[{first}](?<![{stops}].)(?:{'|'.join(ways)})(?![\w-])"


def _words(listed: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern of the words, the longest first.

    A word that ends with an apostrophe ("lorsqu'") is followed by the next word without a blank.
    """
    return re.compile(rf"(?<![\w'’-])(?:{_ways(listed)})(?:(?<=['’])|(?![\w-]))")


def _ways(listed: Iterable[str]) -> str:
    """Write the words as alternatives, the longest first, with either apostrophe."""
    longest = sorted(listed, key=lambda words: (-len(words), words))
    return "|".join(re.escape(word).replace("'", "['’]") for word in longest)


@cache
def load(lang: str) -> KnowrefWords:
    """Load the table of a language; raises `UsageError` if corefmill has none."""
    own = reference_words.read_words("knowref/tables", lang)
    return KnowrefWords(**own, **vars(reference_words.load(lang)))
