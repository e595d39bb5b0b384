"""Finds what reads as an instruction to whoever judges a text, by rules that a table holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from corefmill.corpora import beside

_WORD = re.compile(r"\w+")
BLANK = "_"
"""Stands for each character of what was left out."""

Place = tuple[int, int]
"""Half-open, in characters of the text."""


def found(text: str) -> list[Place]:
    """Where a text tells its reader what to do, in order and apart; empty where it does not."""
    cleaned, places = _cleaned(text)
    words = list(_WORD.finditer(cleaned))
    rules = _rules()
    merged: list[Place] = []
    for index, word in enumerate(words):
        for then, between in rules.get(word[0], ()):
            near = words[index + 1 : index + 2 + between]
            if last := next((other for other in near if other[0] in then), None):
                start, end = places[word.start()], places[last.end() - 1] + 1
                if merged and start <= merged[-1][1]:
                    before = merged.pop()
                    start, end = before[0], max(end, before[1])
                merged.append((start, end))
    return merged


def blanked(text: str) -> str:
    """The text, as long as before, with what reads as an instruction left out."""
    for start, end in found(text):
        text = text[:start] + BLANK * (end - start) + text[end:]
    return text


def _cleaned(text: str) -> tuple[str, list[int]]:
    """The text in small letters, NFKC and without marks that have no width; and where each of its
    characters comes from."""
    made: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if unicodedata.category(character) == "Cf":
            continue
        for one in unicodedata.normalize("NFKC", character).lower():
            made.append(one)
            places.append(place)
    return "".join(made), places


@cache
def _rules() -> dict[str, list[tuple[frozenset[str], int]]]:
    """The rules by the word that they begin with: the words that end one, and the words between."""
    by_first: dict[str, list[tuple[frozenset[str], int]]] = {}
    for first, then, between in _listed():
        by_first.setdefault(first, []).append((then, between))
    return by_first


def _listed() -> Iterator[tuple[str, frozenset[str], int]]:
    for rule in beside.table(__file__, "instructions")["rules"]:
        for first in rule["first"]:
            yield first, frozenset(rule["then"]), rule["between"]
