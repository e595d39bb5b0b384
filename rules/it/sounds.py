"""Classify the beginning of an Italian word for the form of the word before it.

Articles, demonstratives, bello, buono, uno and the prepositions that hold an article all choose
their form by the first sound of the word that follows, whatever its part of speech:

- `Onset.VOWEL` elides: l'amico, un'idea, quell'uomo, dell'hotel, l'FBI, l'11 settembre.
- `Onset.STRONG` asks for lo, gli, uno, quello, quegli: s before a consonant, z, x, gn, ps, pn, pt
  and the other clusters of sounds.toml, and i, j or y before a vowel (lo studente, lo zio, gli
  gnomi, lo yogurt, lo iodio, lo 0,5 %).
- `Onset.PLAIN` is every other consonant: il cane, i cani, un cane, quel whisky.
"""

from __future__ import annotations

import re
from enum import StrEnum

from corefmill.corpora.words import without_accents
from corefmill.rules.tree import table


class Onset(StrEnum):
    """The classes of a word's first sound that decide the form of an article."""

    VOWEL = "vowel"
    STRONG = "strong"
    PLAIN = "plain"


_TABLE = table("it", "sounds")
_VOWELS = frozenset("aeiou")
# Quotes, brackets, dashes, currency signs: written before a word, but not spoken.
_SILENT = re.compile(r"[^\w]+")
_ORDINALS = ("º", "°", "ª")
_FIGURES = re.compile(r"\d[\d.,]*")
_ROMAN = re.compile(r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})(?!\w)")
_LONGEST = 40
"""Most letters of a word that are read."""


_BEGINNINGS = sorted(
    (
        (beginning, Onset(name))
        for name, beginnings in _TABLE["beginnings"].items()
        for beginning in beginnings
    ),
    key=lambda pair: -len(pair[0]),
)
"""(beginning, onset), the longest first."""


def onset(text: str) -> Onset:
    """Classify the first sound of `text`: a word, or the rest of a line.

    Numbers are read as words, abbreviations that are not words letter by letter. A text without
    sounds is `PLAIN`.
    """
    # First, signs that are not spoken, then figures, which are spoken as words (l'11 settembre).
    start = _SILENT.match(text)
    word = text[start.end() if start else 0 :][:_LONGEST]
    if not word:
        return Onset.PLAIN
    if figures := _FIGURES.match(word):
        ordinal = word[figures.end() : figures.end() + 1] in _ORDINALS
        return Onset.PLAIN if ordinal and figures[0] == "1" else _classify_number(figures[0])
    # Roman numbers are neither words nor abbreviations: l'XI, undicesimo, but il V, quinto.
    if roman := _ROMAN.match(word):
        return Onset.VOWEL if roman[0] in _TABLE["roman"]["vowel"] else Onset.PLAIN
    run = re.match(r"[^\W\d_]+", word)
    if run is None:
        return Onset.PLAIN
    # Second, words of the table, longest beginning first: foreign words and exceptions.
    letters = without_accents(run[0])
    for beginning, value in _BEGINNINGS:
        whole = beginning.endswith("$")
        if letters == beginning[:-1] if whole else letters.startswith(beginning):
            return value
    # Third, short abbreviations by the name of their first letter (l'FBI, effe), else the sound.
    if len(run[0]) <= 5 and _is_spelled(letters, run[0].isupper()):
        named = (name for name, own in _TABLE["letters"].items() if letters[0] in own)
        return Onset(next(named, Onset.PLAIN))
    return _classify_sound(letters)


def elides(text: str) -> bool:
    """Tell whether words are shortened before a text: before a vowel."""
    return onset(text) is Onset.VOWEL


def _classify_number(figures: str) -> Onset:
    """Classify the first sound of a number in figures: 8 otto, 80 ottanta, 11 undici, 0 zero."""
    whole = re.sub(r"[.,](?=\d{3}(?!\d))", "", figures)
    digits = re.match(r"\d+", whole)
    first = digits[0] if digits else ""
    if first.startswith("0"):
        return Onset.STRONG
    eleven = first.startswith("11") and len(first) % 3 == 2
    one = first.startswith("1") and len(first) % 3 == 1 and len(first) != 4
    return Onset.VOWEL if first.startswith("8") or eleven or one else Onset.PLAIN


def _is_spelled(letters: str, capitals: bool) -> bool:
    """Tell whether a short word is an abbreviation read letter by letter: FBI, but also Cnr."""
    vowel = next((n for n, letter in enumerate(letters) if letter in "aeiouy"), None)
    if vowel is None:
        return True
    return capitals and vowel >= 2 and letters[:2] not in _TABLE["abbreviations"]["together"]


def _classify_sound(letters: str) -> Onset:
    """Classify the first sound of a word by its first letters."""
    first, second = letters[:1], letters[1:2]
    vowel_next = second in _VOWELS if second else False
    if first == "h":
        return Onset.VOWEL if vowel_next or second == "y" else Onset.PLAIN
    if first in ("i", "y"):
        # A half vowel before another vowel: lo iodio, lo yogurt.
        return Onset.STRONG if vowel_next else Onset.VOWEL
    if first in _VOWELS:
        return Onset.VOWEL
    if first in ("z", "x"):
        return Onset.STRONG
    if first == "s":
        return Onset.STRONG if second and not vowel_next and second != "y" else Onset.PLAIN
    return Onset.STRONG if letters[:2] in _TABLE["clusters"] else Onset.PLAIN
