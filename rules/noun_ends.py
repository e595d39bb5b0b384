"""Gender and number of a language's common nouns by their ending, whatever an analysis says."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from corefmill.corpora.records import Token
from corefmill.rules.nominal import NOTHING, GenderNumber
from corefmill.rules.tables import table
from corefmill.rules.tree import low, strings

_VALUES = {"m": "Masc", "f": "Fem", "s": "Sing", "p": "Plur"}


def by_end(lang: str) -> Callable[[Token], GenderNumber]:
    """What the longest end of nouns.toml says of a noun, before it a list of singulars by gender;
    nothing of a name, and of a word that the table excepts."""
    nouns = table(lang, "nouns")
    exceptions = strings(nouns, "words", "exceptions")
    whole = {
        word: GenderNumber(gender, "Sing")
        for name, gender in (("masculine", "Masc"), ("feminine", "Fem"))
        for word in nouns["words"].get(name, ())
    }

    @lru_cache(1 << 14)
    def of_word(word: str) -> GenderNumber:
        if word in whole or word in exceptions:
            return whole.get(word, NOTHING)
        for start in range(1, len(word)):
            if (known := nouns["ends"].get(word[start:])) is not None:
                return GenderNumber(_VALUES.get(known[0]), _VALUES.get(known[1]))
        return NOTHING

    return lambda token: of_word(low(token)) if token.upos == "NOUN" else NOTHING
