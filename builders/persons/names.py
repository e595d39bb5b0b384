"""Personal names in an analysed passage, as found (paper) or tidied (clean)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.table import PersonWords

_EDGE = " \t\n.,;:!?\"'’“”‘«»()[]{}*_–—-"
_LAST_WORD = re.compile(r"[^\s\"'“”‘’(\[—–-]+$")


@dataclass(frozen=True, slots=True)
class Name:
    """An occurrence of a personal name: half-open offsets into the analysed text."""

    start: int
    end: int
    text: str


def as_found(analysis: Analysis) -> list[Name]:
    """Every entity that the recogniser calls a person, to the letter (the paper's names)."""
    return [
        Name(entity.start, entity.end, analysis.text[entity.start : entity.end])
        for entity in analysis.entities
        if entity.label == "PERSON" and entity.end > entity.start
    ]


def tidied(analysis: Analysis, table: PersonWords) -> list[Name]:
    """The same without possessive endings and stray punctuation, and with the honorific before it.

    "Mr. Darcy" and "Mrs. Darcy" are two persons, and "Mr. Darcy" is what a pronoun replaces, so
    an honorific right before the name joins it. What is nothing but an honorific is no name.
    """
    names: list[Name] = []
    text = analysis.text
    for name in as_found(analysis):
        start, end = name.start, name.end
        for ending in sorted(table.possessive):
            if len(ending) > 1 and text[start:end].endswith(ending):
                end -= len(ending)
        while end > start and text[end - 1] in _EDGE and not _initial(text, start, end):
            end -= 1
        while start < end and text[start] in _EDGE:
            start += 1
        while (before := _LAST_WORD.search(text, max(0, start - 20), start - 1)) is not None:
            if text[start - 1] != " " or before.group() not in table.titles:
                break
            start = before.start()
        words = text[start:end].split()
        if not words or all(word in table.no_names_or_titles for word in words):
            continue
        if names and start < names[-1].end:
            continue
        names.append(Name(start, end, text[start:end]))
    return names


def _initial(text: str, start: int, end: int) -> bool:
    """Whether the full stop at the end is an initial's or an abbreviation's ("Jr.")."""
    last = text[start:end].rsplit(" ", 1)[-1]
    return last.endswith(".") and len(last) <= 3


def bare(name: str, table: PersonWords) -> str:
    """The name without the honorifics before it."""
    words = name.split()
    while len(words) > 1 and words[0] in table.titles:
        words.pop(0)
    return " ".join(words)
