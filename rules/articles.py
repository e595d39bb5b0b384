"""Articles and demonstratives of a language, and prepositions contracted with an article.

The language's table `articles` has their forms. `split` cuts a word written with an article
(`della`, `nell'`, `del`) into preposition and article; `contract` joins them again. `fit` gives a
word the form that the next word requires: in Italian `il` becomes `lo` before `studente`, `dello`
becomes `dell'` before `amica`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from corefmill.rules.tree import with_initial_of


@dataclass(frozen=True, slots=True)
class Determiner:
    """A determiner by its family in the table, its gender (m, f) and number (s, p)."""

    family: str
    gender: str
    number: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A written word as a preposition ("" for none) and the possible determiners in it.

    There are several readings where the form does not show gender (`l'`).
    """

    preposition: str
    readings: tuple[Determiner, ...]

    @property
    def family(self) -> str:
        """The family of the readings."""
        return self.readings[0].family


class Articles:
    """A language's determiners and contractions, read from its table `articles`.

    `families` maps a family, then gender and number, to the forms of a word; `sound` returns the
    index of the form that a following text requires. A preposition of `contractions` and an article
    of `pieces` are written together, as stem and piece. `apart` are contractions that are read, but
    written only if the text had them.
    """

    def __init__(
        self, table: Mapping[str, Any], sound: Callable[[str], int] = lambda following: 0
    ) -> None:
        self._table = table
        self._sound = sound
        self._apart: Mapping[str, Mapping[str, str]] = table.get("apart", {})
        readings: dict[str, list[Determiner]] = {}
        for family, classes in table["families"].items():
            for key, forms in classes.items():
                for form in dict.fromkeys(forms):
                    readings.setdefault(form, []).append(Determiner(family, key[0], key[1]))
        known = {form: Opened("", tuple(found)) for form, found in readings.items()}
        for form, found in readings.items():
            if found[0].family == "definite" and form in table["pieces"]:
                for preposition in table["contractions"]:
                    known[self._join(preposition, form)] = Opened(preposition, tuple(found))
        for preposition, words in self._apart.items():
            for form, article in words.items():
                known[form] = Opened(preposition, tuple(readings[article]))
        self._forms = known

    def form(self, family: str, gender: str, number: str, following: str) -> str:
        """Return the form before the text `following`; raises `KeyError` for a missing one."""
        forms = self._table["families"][family][gender + number]
        return str(forms[self._sound(following)])

    def definite(self, gender: str, number: str, following: str) -> str:
        """Return the definite article of a gender and number before the text `following`."""
        return self.form("definite", gender, number, following)

    def split(self, word: str) -> Opened | None:
        """Split a word in any capitals into preposition and determiner; None for another word."""
        return self._forms.get(word.lower().replace("’", "'"))

    def contracts(self, preposition: str) -> bool:
        """Tell whether a definite article after this preposition may be written with it."""
        return preposition.lower() in self._table["contractions"]

    def contract(self, preposition: str, article: str) -> str:
        """Contract di + il to del, leave con il; the preposition's capital is kept."""
        return with_initial_of(preposition, self._join(preposition.lower(), article.lower()))

    def visible_part(self, preposition: str, article: str) -> str:
        """Return the article's letters in the form of `contract`: l of il in `del`."""
        joined = self._join(preposition, article)
        return article if " " in joined else str(self._table["pieces"][article])

    def _join(self, preposition: str, article: str) -> str:
        """Join a preposition and an article by the table of contractions, else with a blank."""
        stem = self._table["contractions"].get(preposition)
        piece = self._table["pieces"].get(article)
        if stem is None or piece is None:
            return f"{preposition} {article}"
        return f"{stem}{piece}"

    def fit(
        self, word: str, following: str, gender: str | None = None, number: str | None = None
    ) -> str:
        """Choose the form of a determiner before the text `following`; other words stay.

        By default the word keeps its gender and number; a word that shows no gender (`l'`) becomes
        masculine unless `gender` is given. A capital is kept.
        """
        known = self.split(word)
        if known is None:
            return word
        fits = [
            reading
            for reading in known.readings
            if gender in (None, reading.gender) and number in (None, reading.number)
        ]
        reading = fits[0] if fits else known.readings[0]
        own = (gender or reading.gender, number or reading.number)
        try:
            form = self.form(reading.family, *own, following)
        except KeyError:  # uno has no plural
            form = self.form(reading.family, reading.gender, reading.number, following)
        if not known.preposition:
            return with_initial_of(word, form)
        if form in self._apart.get(known.preposition, {}).values():
            return word
        return with_initial_of(word, self._join(known.preposition, form))
