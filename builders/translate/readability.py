"""Compute readability: Flesch's index for English, Flesch-Vacca's for Italian (the paper's 5.2).

Syllables are counted by pyphen's hyphenation patterns of the language. A hyphen does not separate
vowels in hiatus, so `idea` counts two syllables in Italian and one in English. Flesch-Vacca is the
index of Franchina and Vacca (1986). The 79.26 in the paper's figure 10 is not: it is the English
index of the Italian text, with English patterns and means rounded to one decimal.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

import pyphen

CLASSES = ("<20", "20-40", "40-60", "60-80", ">80")
"""The classes of the paper's table 16: 20 is in 20-40, 40 in 40-60, 60 and 80 in 60-80."""

_WORD = re.compile(r"\S*\w\S*")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_LONGEST = 100
"""Letters of a word that are looked at."""


class _Formula(NamedTuple):
    """A readability index: base - sentence * (words / sentence) - word * (syllables / word).

    `left` and `right` are the first and last letters that patterns may leave alone: Italian ends in
    a syllable of one vowel (bio-lo-gi-a), English does not (gov-ern-ment).
    """

    name: str
    base: float
    sentence: float
    word: float
    patterns: str
    left: int
    right: int


FORMULAS = {
    "it": _Formula("Flesch-Vacca", 217, 1.3, 60, "it_IT", 1, 1),
    "en": _Formula("Flesch", 206.835, 1.015, 84.6, "en_US", 1, 2),
}


def counts(text: str, lang: str) -> tuple[int, int]:
    """Count words (with a letter, between blanks) and syllables of a text."""
    words = _WORD.findall(text)
    return len(words), sum(
        _syllables(word if word.isalpha() else _EDGES.sub("", word), lang) for word in words
    )


def readability(text: str, lang: str) -> float | None:
    """Compute the readability of one sentence: 100 very easy, 0 very hard; None without words.

    The index has two decimals; it is also None if the language has no formula.
    """
    formula = FORMULAS.get(lang)
    if formula is None:
        return None
    words, syllables = counts(text, lang)
    if not words:
        return None
    index = formula.base - formula.sentence * words - formula.word * (syllables / words)
    return round(index, 2)


def level(value: float) -> str:
    """Find the class of a readability index, such as 40-60."""
    if value > 80:
        return CLASSES[4]
    for edge, name in zip((20, 40, 60), CLASSES, strict=False):
        if value < edge:
            return name
    return CLASSES[3]


@cache
def _patterns(lang: str) -> pyphen.Pyphen:
    formula = FORMULAS[lang]
    return pyphen.Pyphen(lang=formula.patterns, left=formula.left, right=formula.right)


@lru_cache(1 << 16)
def _syllables(word: str, lang: str) -> int:
    """Count the syllables of a word, at least one; figures and punctuation count one a word."""
    return len(_patterns(lang).positions(word[:_LONGEST].lower())) + 1
