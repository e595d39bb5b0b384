"""Noun phrases, and what stands before them: articles, in Italian joined to prepositions."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Protocol

# XIV is read quattordicesimo. Numerals that are read with a vowel, such as VIII, are not used.
_ROMAN = re.compile(r"[XLV]+[XLVI]*\b")
_VOWELS = "aeiouàèéìòù"
# di + il, a + il ...: the joined form of each article il, lo, l', la, i, gli, le.
_ARTICLES = ("il", "lo", "l'", "la", "i", "gli", "le")
_JOINED = {
    "di": ("del", "dello", "dell'", "della", "dei", "degli", "delle"),
    "a": ("al", "allo", "all'", "alla", "ai", "agli", "alle"),
    "da": ("dal", "dallo", "dall'", "dalla", "dai", "dagli", "dalle"),
    "in": ("nel", "nello", "nell'", "nella", "nei", "negli", "nelle"),
    "su": ("sul", "sullo", "sull'", "sulla", "sui", "sugli", "sulle"),
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase without its article; `article` says whether it takes one."""

    text: str
    feminine: bool = False
    plural: bool = False
    article: bool = True

    def with_text(self, text: str) -> Phrase:
        """The same phrase in other words."""
        return replace(self, text=text)


class Grammar(Protocol):
    """What a language puts before a noun phrase."""

    def before(self, word: str, phrase: Phrase) -> str:
        """What stands before `phrase.text` when it follows `word` (a preposition, or ""), with
        the blank behind it if there is one."""


class English:
    """The article is `the`; {a:x} puts a or an."""

    def before(self, word: str, phrase: Phrase) -> str:
        if word == "a":
            return "an " if phrase.text[:1].lower() in "aeio" else "a "
        return (f"{word} " if word else "") + ("the " if phrase.article else "")


class Italian:
    """Articles by gender, number and the word's first sound, joined to di, a, da, in, su."""

    def before(self, word: str, phrase: Phrase) -> str:
        if word == "un":
            return _indefinite(phrase)
        if not phrase.article:
            if word == "a" and phrase.text[:1].lower() == "a":
                word = "ad"
            return f"{word} " if word else ""
        word = "" if word == "il" else word
        kind = _kind(phrase)
        forms = _JOINED.get(word)
        article = _ARTICLES[kind] if forms is None else forms[kind]
        space = "" if article.endswith("'") else " "
        return (f"{word} " if word and forms is None else "") + article + space


def _kind(phrase: Phrase) -> int:
    """The article's place in `_ARTICLES`."""
    start = "k" if _ROMAN.match(phrase.text) else phrase.text.lower()
    # 8 and 11 are read otto, undici.
    vowel = start[:1] in _VOWELS or start[:1] == "h" or re.match(r"8|11(?!\d)", start) is not None
    if phrase.feminine:
        return 6 if phrase.plural else 2 if vowel else 3
    if vowel:
        return 5 if phrase.plural else 2
    if _is_impure(start):
        return 5 if phrase.plural else 1
    return 4 if phrase.plural else 0


def _is_impure(start: str) -> bool:
    """Before s + consonant, z, gn, ps, pn, x and y it is lo, not il."""
    return start.startswith(("z", "gn", "ps", "pn", "x", "y")) or (
        start[:1] == "s" and len(start) > 1 and start[1] not in _VOWELS
    )


def _indefinite(phrase: Phrase) -> str:
    start = phrase.text.lower()
    if phrase.feminine:
        return "un'" if start[:1] in _VOWELS else "una "
    return "uno " if _is_impure(start) else "un "


GRAMMARS: dict[str, Grammar] = {"en": English(), "it": Italian()}
