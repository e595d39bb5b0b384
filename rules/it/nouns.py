"""Gender and number of Italian nouns by their ending, whatever an analysis says."""

from __future__ import annotations

from functools import lru_cache

from corefmill.corpora.records import Token
from corefmill.rules.nominal import NOTHING, GenderNumber, Nouns
from corefmill.rules.tables import table
from corefmill.rules.tree import low, strings

_VALUES = {"m": "Masc", "f": "Fem", "s": "Sing", "p": "Plur"}


def by_end(token: Token) -> GenderNumber:
    """Of a common noun; nothing of a name, and of a word that nouns.toml excepts."""
    return _by_end(low(token)) if token.upos == "NOUN" else NOTHING


@lru_cache(1 << 14)
def _by_end(word: str) -> GenderNumber:
    nouns = table("it", "nouns")
    if word in strings(nouns, "words", "exceptions"):
        return NOTHING
    for start in range(1, len(word)):
        if (known := nouns["ends"].get(word[start:])) is not None:
            return GenderNumber(_VALUES.get(known[0]), _VALUES.get(known[1]))
    return NOTHING


def is_invariable(token: Token) -> bool:
    """Whether singular and plural are alike: città, virtù. Its number an analysis can but guess."""
    return token.upos == "NOUN" and low(token).endswith(("à", "è", "é", "ì", "ò", "ù"))


NOUNS = Nouns(by_end, is_invariable)
