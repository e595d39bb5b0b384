"""Gender and number of a noun: by itself, its ending, and its agreeing words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Self

from corefmill.corpora.records import Token
from corefmill.rules.tree import (
    GENDERS,
    NUMBERS,
    Tree,
    feature,
    low,
    read_words,
    table,
)

_ONE = frozenset(("1", "un", "uno", "una"))
_ARTICLE, _END, _NOUN, _OTHER, _OWN = 3.0, 3.0, 2.0, 1.0, 0.5


@dataclass(frozen=True, slots=True)
class GenderNumber:
    """Gender and number by their names in Universal Dependencies, None if unknown."""

    gender: str | None
    number: str | None

    @property
    def is_known(self) -> bool:
        """Whether gender and number are known."""
        return self.gender is not None and self.number is not None

    @property
    def key(self) -> str:
        """ms, fs, mp or fp, as in tables; unknown values count as masculine, singular."""
        gender = "f" if self.gender == "Fem" else "m"
        return gender + ("p" if self.number == "Plur" else "s")

    @classmethod
    def common_to(cls, keys: Iterable[str]) -> Self:
        """Find the features in common to all these keys, None for a feature that differs."""
        genders, numbers = map(set, zip(*keys, strict=True))
        return cls(
            next((name for name, key in GENDERS.items() if {key} == genders), None),
            next((name for name, key in NUMBERS.items() if {key} == numbers), None),
        )


NOTHING = GenderNumber(None, None)


@dataclass(frozen=True, slots=True)
class Nouns:
    """A language's nouns by their form alone: functions for gender and number by ending, and for
    nouns with equal singular and plural."""

    by_end: Callable[[Token], GenderNumber] = lambda token: NOTHING
    is_invariable: Callable[[Token], bool] = lambda token: False


ANY = Nouns()
"""For a language without such knowledge."""


def describe_nouns_in_s(ends: str, by_end: Callable[[Token], GenderNumber]) -> Nouns:
    """Describe the nouns of a language with plurals in -s, by their endings and lemmas.

    `by_end` is the field of `Nouns`. `ends` is a regular expression for the ends of invariable
    nouns in small letters: temps, crisis, lunes.
    """
    pattern = re.compile(f"(?:{ends})$")

    def is_invariable(token: Token) -> bool:
        form = low(token)
        return (token.lemma or "").lower() == form and pattern.search(form) is not None

    return Nouns(by_end, is_invariable)


def read_noun_agreement(
    tree: Tree,
    noun: int,
    *,
    but: int,
    around: bool,
    own: GenderNumber = NOTHING,
    nouns: Nouns = ANY,
) -> GenderNumber:
    """Decide gender and number of a noun by its form, its features and, if `around`, a vote.

    The article weighs most, since its form is certain and the analysis of the noun may be wrong; so
    does the noun's ending, if known to `nouns`. Less weight have the analysis of the noun, its
    adjectives, a numeral for the plural, and the verb of a single subject. The word `but`, which is
    to agree with the noun, has no vote, but its features (`own`) decide a tie.
    """
    if not around:
        token = tree.tokens[noun]
        return GenderNumber(_single(token, "Gender"), _single(token, "Number"))
    # First, the noun and its dependents vote: the analysis of the noun weighs 2, its article 3, all
    # else 1. An invariable noun (città) has no vote on its number, which an analysis guesses.
    genders: dict[str, float] = {}
    numbers: dict[str, float] = {}
    for at in [noun, *tree.children(noun)]:
        if at == but:
            continue
        token = tree.tokens[at]
        weight = _NOUN if at == noun else 0.0
        if at != noun and token.upos == "DET":
            weight = _ARTICLE if feature(token, "PronType") == "Art" else _OTHER
        elif at != noun and (token.upos == "ADJ" or token.deprel == "amod"):
            weight = _OTHER
        _vote(genders, _single(token, "Gender"), weight)
        if not (at == noun and nouns.is_invariable(token)):
            _vote(numbers, _single(token, "Number"), weight)
        if at < noun and token.deprel == "nummod" and low(token) not in _ONE:
            _vote(numbers, "Plur", _NOUN)
    # Second, the ending, which outweighs a wrong analysis (questa ciclone), and the verb.
    end = nouns.by_end(tree.tokens[noun])
    _vote(genders, end.gender, _END)
    _vote(numbers, end.number, _END)
    _vote(numbers, _read_verb_number(tree, noun), _OTHER)
    # Third, the agreeing word itself breaks a tie between values with votes.
    for votes, value in ((genders, own.gender), (numbers, own.number)):
        if value in votes:
            _vote(votes, value, _OWN)
    return GenderNumber(_most(genders), _most(numbers))


def _read_verb_number(tree: Tree, noun: int) -> str | None:
    """Read the number of the finite verb whose only subject is the noun."""
    head = tree.head(noun)
    if head is None or tree.children(head, "nsubj") != [noun] or tree.children(noun, "conj"):
        return None
    for at in (*tree.children(head, "aux", "cop"), head):
        if feature(tree.tokens[at], "VerbForm") == "Fin":
            return _single(tree.tokens[at], "Number")
    return None


def _vote(votes: dict[str, float], value: str | None, weight: float) -> None:
    if value is not None and weight:
        votes[value] = votes.get(value, 0) + weight


def _most(votes: dict[str, float]) -> str | None:
    return max(votes, key=lambda value: votes[value]) if votes else None


def _single(token: Token, name: Literal["Gender", "Number"]) -> str | None:
    value = feature(token, name)
    return None if value is None or "," in value else value


_VALUES = {"m": "Masc", "f": "Fem", "s": "Sing", "p": "Plur"}


def by_end(lang: str) -> Callable[[Token], GenderNumber]:
    """Make a function to look up a noun's gender and number by its ending in nouns.toml.

    The function returns unknown values for a name, and for an exception of the table.
    """
    nouns = table(lang, "nouns")
    exceptions = read_words(nouns, "words", "exceptions")
    whole = {
        word: GenderNumber(gender, "Sing")
        for name, gender in (("masculine", "Masc"), ("feminine", "Fem"))
        for word in nouns["words"].get(name, ())
    }

    @lru_cache(1 << 14)
    def look_up(word: str) -> GenderNumber:
        """Look up a word among exceptions, then by its longest known ending."""
        if word in whole or word in exceptions:
            return whole.get(word, NOTHING)
        for start in range(1, len(word)):
            if (known := nouns["ends"].get(word[start:])) is not None:
                return GenderNumber(_VALUES.get(known[0]), _VALUES.get(known[1]))
        return NOTHING

    return lambda token: look_up(low(token)) if token.upos == "NOUN" else NOTHING
