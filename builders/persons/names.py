"""Personal names in an analysed passage, as found (paper) or tidied (clean)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.table import PersonWords, plain

_EDGE = " \t\n.,;:!?¡¿\"'’“”„‘«»()[]{}*_–—-"
_LAST_WORD = re.compile(r"[^\s\"'“”‘’«¡¿(\[—–-]+$")
_ELIDED = re.compile(r"\w+['’]$")
_CLAUSE_BEGINS = "\n.,;:!?…—–\"'“‘«(¡¿"
_MOST_PREPOSITIONS = 3  # "de la": what stands between an honorific and a surname


@dataclass(frozen=True, slots=True)
class Name:
    """An occurrence of a personal name: half-open offsets into the analysed text.

    `text` is what the name is called wherever names are compared: the text's own words in paper
    mode; else as the document writes it, "d'Artagnan" also where a sentence begins with
    "D'Artagnan", and in the nominative where names decline ("Kowalski", see `one_name`). `article`
    is how many characters of an article the offsets begin with ("o João", see `with_article`).
    """

    start: int
    end: int
    text: str
    article: int = 0

    @property
    def mention(self) -> tuple[int, int]:
        """Where the name itself stands, without its article."""
        return self.start + self.article, self.end


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
    do, where the language has them, particles ("Van den Berg").
    """
    names: list[Name] = []
    text = analysis.text
    for name in as_found(analysis):
        start, end = _trimmed(text, name.start, name.end, table)
        if table.things and text[start:end].endswith(table.things):
            continue  # "Schillerstraße"
        if table.particles:
            start = _with_particles(text, start, names, table)
        start = with_honorifics(text, start, table)
        words = text[start:end].split()
        if not words or all(word in table.no_names_or_titles for word in words):
            continue
        if table.particles and names and start == names[-1].start:
            names.pop()  # the first name before a particle
        if names and start < names[-1].end:
            continue
        names.append(Name(start, end, text[start:end]))
    return names


def _trimmed(text: str, start: int, end: int, table: PersonWords) -> tuple[int, int]:
    """The name's place without possessive endings, stray punctuation, articles, elided words
    ("qu'") and nouns behind it."""
    for ending in sorted(table.possessive):
        if len(ending) > 1 and text[start:end].endswith(ending):
            end -= len(ending)
    while end > start and text[end - 1] in _EDGE and not _initial(text, start, end):
        end -= 1
    while start < end and text[start] in _EDGE:
        start += 1
    while (space := text.rfind(" ", start, end)) > 0 and text[space + 1 : end] in table.nouns:
        end = space  # "Annas Hand"
    while (space := text.find(" ", start, end)) > 0 and text[start:space] in table.articles:
        start = space + 1
    prefix = table.elided_prefix(text[start:end])
    if plain(prefix) not in table.prepositions:
        start += len(prefix)
    return start, end


def with_honorifics(text: str, start: int, table: PersonWords) -> int:
    """Where a name that begins at `start` begins with the honorifics before it."""
    while (before := _honorific(text, start, table)) is not None:
        start = before
    return start


def _honorific(text: str, start: int, table: PersonWords) -> int | None:
    """Where the honorific before a name begins, if there is one.

    An article may stand between two ("M. le comte"), and prepositions between it and a surname
    ("comte de la Fère") where they do not say whose it is ("père de Julien").
    """
    word, at = word_before(text, start, table)
    if word in table.titles:
        return at
    if plain(word) in table.subject_articles and text[start:].partition(" ")[0] in table.titles:
        word, at = word_before(text, at, table)
        return at if word in table.titles else None
    for _ in range(_MOST_PREPOSITIONS):
        if plain(word) not in table.prepositions and plain(word) not in table.elided:
            break
        word, at = word_before(text, at, table)
    return at if word in table.landed_titles else None


def _with_particles(text: str, start: int, names: list[Name], table: PersonWords) -> int:
    """Where a name begins, the particles before it taken in.

    "Jan van den Berg", "Herr von Berg": in small letters they are a name's behind a first name or
    an honorific only, else prepositions. With a capital ("Van den Berg") not where a single one
    begins a sentence: "Van Anna".
    """
    found: list[int] = []
    word, at = word_before(text, start, table)
    while word.lower() in table.particles:
        found.append(at)
        word, at = word_before(text, at, table)
    for at in reversed(found):
        if text[at].islower():
            if names and names[-1].end == at - 1:
                return names[-1].start
            if word_before(text, at, table)[0] in table.landed_titles:
                return at
        elif len(found) > 1 or not _begins_sentence(text, at):
            return at
    return start


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(" \n\"'“”„‘’«»(—–-")
    return not before or before[-1] in ".!?…:;"


def with_article(name: Name, text: str, table: PersonWords) -> Name:
    """The name with the article before it, where a pronoun would replace both: at the head of a
    clause ("o João disse", but not "vi o João", "do João"), or anywhere ("den Peter")."""
    start = _article(text, name.start, table) if table.subject_articles else name.start
    if table.articles:
        word, at = word_before(text, name.start, table)
        # Behind a comma it may be a relative word: ", die Anna liebt".
        if word in table.articles and not text[:at].rstrip().endswith(","):
            start = at
    return replace(name, start=start, article=name.start - start)


def _article(text: str, start: int, table: PersonWords) -> int:
    """Where the article before a name begins at the head of a clause, else the name itself."""
    word, at = word_before(text, start, table)
    if plain(word) not in table.subject_articles:
        return start
    if not text[:at].rstrip(" ") or text[:at].rstrip(" ")[-1] in _CLAUSE_BEGINS:
        return at
    return at if word_before(text, at, table)[0] in table.joining | table.relatives else start


def word_before(text: str, start: int, table: PersonWords) -> tuple[str, int]:
    """The word right before a place, a blank or its elided end between, and where it begins."""
    left = text[max(0, start - 20) : start]
    is_apart = left.endswith(" ")
    match = _LAST_WORD.search(left[:-1]) if is_apart else _ELIDED.search(left)
    if match is None or not (is_apart or plain(match.group()) in table.elided):
        return "", start
    return match.group(), start - len(left) + match.start()


def _initial(text: str, start: int, end: int) -> bool:
    """Whether the full stop at the end is an initial's or an abbreviation's ("Jr.")."""
    last = text[start:end].rsplit(" ", 1)[-1]
    return last.endswith(".") and len(last) <= 3


def bare(name: str, table: PersonWords) -> str:
    """The name without the honorifics before it."""
    words = name.split()
    behind_title = False
    while len(words) > 1 and (
        words[0] in table.titles or (behind_title and plain(words[0]) in table.subject_articles)
    ):
        behind_title = words.pop(0) in table.titles
    return " ".join(words)


def core(name: str, table: PersonWords) -> str:
    """The bare name without what stands before a surname: "Tucher" of "Herr von Tucher",
    "Albergotti" of "M. d'Albergotti".

    A recogniser may leave that out of the name.
    """
    words = bare(name, table).split()
    while len(words) > 1 and plain(words[0]) in table.within_names:
        words.pop(0)
    short = " ".join(words)
    prefix = table.elided_prefix(short)
    return short[len(prefix) :] if plain(prefix) in table.prepositions else short


def name_words(name: str, table: PersonWords) -> list[str]:
    """The words of a name without honorifics and what stands before a surname ("van den")."""
    words = bare(name, table).split()
    return [word for word in words if plain(word) not in table.within_names] or words
