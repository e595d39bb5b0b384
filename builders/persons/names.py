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
    """An occurrence of a personal name: half-open offsets into the analysed text.

    `text` is what the name is called wherever names are compared: the text's own words in paper
    mode and where names have one form; else the nominative that its other forms share, without an
    article that the offsets take in ("der Peter").
    """

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
    an honorific right before the name joins it. What is nothing but an honorific is no name. So
    do, where the language has them, particles ("Van den Berg") and an article ("der Peter").
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
        if table.things and text[start:end].endswith(table.things):
            continue  # "Schillerstraße"
        if table.particles:
            start = _with_particles(text, start, names, table)
        while (before := _LAST_WORD.search(text, max(0, start - 20), start - 1)) is not None:
            if text[start - 1] != " " or before.group() not in table.titles:
                break
            start = before.start()
        called = without_article(text[start:end], table)
        if all(word in table.no_names_or_titles for word in called.split()):
            continue
        if table.particles and names and start == names[-1].start:
            names.pop()  # the first name before a particle
        if names and start < names[-1].end:
            continue
        names.append(Name(_with_article(text, start, table), end, called))
    return names


def _with_particles(text: str, start: int, names: list[Name], table: PersonWords) -> int:
    """Where a name begins, the particles before it taken in.

    "Jan van den Berg", "Herr von Berg": in small letters they are a name's behind a first name or
    an honorific only, else prepositions. With a capital ("Van den Berg") not where a single one
    begins a sentence: "Van Anna".
    """
    found: list[int] = []
    at = start
    while (
        at and text[at - 1] == " " and (before := _LAST_WORD.search(text, max(0, at - 20), at - 1))
    ):
        if before.group().lower() not in table.particles:
            break
        at = before.start()
        found.append(at)
    if not found:
        return start
    for at in reversed(found):
        if text[at].islower():
            if names and names[-1].end == at - 1:
                return names[-1].start
            before = _LAST_WORD.search(text, max(0, at - 20), at - 1)
            if before and before.group() in table.titles:
                return at
        elif len(found) > 1 or not _begins_sentence(text, at):
            return at
    return start


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(" \n\"'“”„‘’«»(—–-")
    return not before or before[-1] in ".!?…:;"


def _with_article(text: str, start: int, table: PersonWords) -> int:
    """Where a name begins, an article before it taken in. Behind a comma it may be a relative word:
    ", die Anna liebt"."""
    if not table.articles or not start:
        return start
    before = _LAST_WORD.search(text, max(0, start - 20), start - 1)
    if before is None or text[start - 1] != " " or before.group() not in table.articles:
        return start
    return start if text[: before.start()].rstrip().endswith(",") else before.start()


def without_article(name: str, table: PersonWords) -> str:
    """The name without the articles that a recogniser took in."""
    first, _, rest = name.partition(" ")
    while rest and first in table.articles:
        name = rest
        first, _, rest = name.partition(" ")
    return name


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


def name_words(name: str, table: PersonWords) -> list[str]:
    """The words of a name without honorifics and particles."""
    words = bare(name, table).split()
    return [word for word in words if word.lower() not in table.particles] or words
