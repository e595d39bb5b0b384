"""Italian articles, the prepositions that hold one, and the other words that fit what follows.

The forms stand in articles.toml. Of a word that is written with an article (`della`, `nell'`)
`opened` gives preposition and article; `contracted` joins them again. `fitted` gives any of these
words the form that the next word asks for: `il` before `studente` is `lo`, `dello` before `amica`
is `dell'`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.tables import table
from corefmill.rules.tree import with_initial_of

_TABLE = table("it", "articles")
_ORDER = (Onset.PLAIN, Onset.STRONG, Onset.VOWEL)


@dataclass(frozen=True, slots=True)
class Determiner:
    """A determiner as a choice: its family in articles.toml, gender m or f, number s or p."""

    family: str
    gender: str
    number: str

    def before(self, following: str) -> str:
        """The form before the text `following`; raises `KeyError` where the family has none."""
        forms = _TABLE["families"][self.family][self.gender + self.number]
        return str(forms[_ORDER.index(onset(following))])


@dataclass(frozen=True, slots=True)
class Opened:
    """A written word as preposition ("" where there is none) and what it may be a form of.

    There are several readings where the form does not show gender (`l'`).
    """

    preposition: str
    readings: tuple[Determiner, ...]


@cache
def _forms() -> dict[str, Opened]:
    """Small-letter form -> preposition and readings, of every word of articles.toml."""
    readings: dict[str, list[Determiner]] = {}
    for family, classes in _TABLE["families"].items():
        for key, forms in classes.items():
            for form in dict.fromkeys(forms):
                readings.setdefault(form, []).append(Determiner(family, key[0], key[1]))
    known = {form: Opened("", tuple(found)) for form, found in readings.items()}
    for form, found in readings.items():
        if found[0].family == "definite":
            for preposition in _TABLE["contractions"]:
                known[_joined(preposition, form)] = Opened(preposition, tuple(found))
    for preposition, words in _TABLE["apart"].items():
        for form, article in words.items():
            known[form] = Opened(preposition, tuple(readings[article]))
    return known


def _joined(preposition: str, article: str) -> str:
    """di + il -> del, con + il -> con il."""
    if preposition not in _TABLE["contractions"]:
        return f"{preposition} {article}"
    stem = _TABLE["contractions"][preposition]
    if article == "il":
        return f"{stem}l"
    return f"{stem}l{article}" if article in ("lo", "la", "l'", "le") else f"{stem}{article}"


def opened(word: str) -> Opened | None:
    """Preposition and determiner of a word written so, in any capitals; None for another word."""
    return _forms().get(word.lower().replace("’", "'"))


def contracts(preposition: str) -> bool:
    """Whether a definite article after this preposition is written with it."""
    return preposition.lower() in _TABLE["contractions"]


def contracted(preposition: str, article: str) -> str:
    """di + il -> del, con + il -> con il; the preposition's capital is kept."""
    return with_initial_of(preposition, _joined(preposition.lower(), article.lower()))


def definite(gender: str, number: str, following: str) -> str:
    """The definite article of this gender (m, f) and number (s, p) before the text `following`."""
    return Determiner("definite", gender, number).before(following)


def fitted(word: str, following: str, gender: str | None = None, number: str | None = None) -> str:
    """The form of `word` before `following`; a word that articles.toml has not is left alone.

    The gender and number of the word itself are kept where none are given; where the word does not
    show its gender (`l'`) and none is given it is masculine. A capital is kept.
    """
    known = opened(word)
    if known is None:
        return word
    fits = [
        reading
        for reading in known.readings
        if gender in (None, reading.gender) and number in (None, reading.number)
    ]
    reading = fits[0] if fits else known.readings[0]
    chosen = Determiner(reading.family, gender or reading.gender, number or reading.number)
    try:
        form = chosen.before(following)
    except KeyError:  # uno has no plural
        form = reading.before(following)
    if not known.preposition:
        return with_initial_of(word, form)
    if form in _TABLE["apart"].get(known.preposition, {}).values():
        return word
    return with_initial_of(word, _joined(known.preposition, form))
