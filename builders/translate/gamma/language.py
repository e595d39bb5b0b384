"""What the realiser must know of a target language: its tables, its articles, its enclitics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corefmill.corpora import beside
from corefmill.rules.articles import Articles


def table(name: str) -> dict[str, Any]:
    """A table beside this module, by its name: `english`, `it/pronouns`."""
    return beside.table(__file__, name)


@dataclass(frozen=True, slots=True)
class TargetLanguage:
    """A language by its code, with the tables of the folder of that name.

    `before_enclitic` is how a verb is written before a clitic, by its kind (Inf, Ger, or Fin of an
    imperative), None where it takes none. `elides` is whether words are shortened before a text.
    """

    lang: str
    articles: Articles
    before_enclitic: Callable[[str, str], str | None]
    elides: Callable[[str], bool] = lambda following: False

    @property
    def pronouns(self) -> dict[str, Any]:
        """Pronouns by role and class, and what stands around them."""
        return table(f"{self.lang}/pronouns")

    @property
    def places(self) -> dict[str, Any]:
        """Names that take an article."""
        return table(f"{self.lang}/places")

    @property
    def titles(self) -> dict[str, Any]:
        """Titles before names of persons."""
        titles: dict[str, Any] = table(f"{self.lang}/names")["titles"]
        return titles

    @property
    def lexicon(self) -> dict[str, Any]:
        """Placeholders by type and gender."""
        return table(f"{self.lang}/lexicon")

    @property
    def persons(self) -> str:
        """The preposition before persons who are objects, "" where there is none."""
        return str(self.pronouns["prepositions"].get("persons", ""))
