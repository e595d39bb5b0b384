"""The realiser's knowledge of a target language: tables, articles and enclitics.

The pairs of languages with placeholders are at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.rules.articles import Articles
from corefmill.rules.es.writing import ARTICLES as SPANISH_ARTICLES
from corefmill.rules.es.writing import before_enclitic as before_spanish_enclitic
from corefmill.rules.it.sounds import elides
from corefmill.rules.it.writing import ARTICLES as ITALIAN_ARTICLES
from corefmill.rules.it.writing import before_enclitic as before_italian_enclitic


def table(name: str) -> dict[str, Any]:
    """Read a table beside this module, by its name: `english`, `it/pronouns`."""
    return disk.read_package_table(__file__, name)


@dataclass(frozen=True, slots=True)
class TargetLanguage:
    """A target language of the method of placeholders, with its tables.

    `before_enclitic` returns the form of a verb before a clitic, by the verb's kind (Inf, Ger, or
    Fin for an imperative), or None if it takes no clitic. `elides` tells whether words are
    shortened before a text.
    """

    lang: str
    articles: Articles
    before_enclitic: Callable[[str, str], str | None]
    elides: Callable[[str], bool] = lambda following: False

    @property
    def pronouns(self) -> dict[str, Any]:
        """Pronouns by role and class, and the words around them."""
        return table(f"{self.lang}/pronouns")

    @property
    def places(self) -> dict[str, Any]:
        """Names with an article."""
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
        """The preposition before personal objects, "" for none."""
        return str(self.pronouns["prepositions"].get("persons", ""))


ITALIAN = TargetLanguage("it", ITALIAN_ARTICLES, before_italian_enclitic, elides)
SPANISH = TargetLanguage("es", SPANISH_ARTICLES, before_spanish_enclitic)
_TARGETS = {("en", language.lang): language for language in (ITALIAN, SPANISH)}
PAIRS = ", ".join(f"{source} to {target}" for source, target in _TARGETS)
"""The pairs of languages that have placeholders, in words."""


def has_realiser(source: str, target: str) -> bool:
    """Whether a pair of languages has placeholders and their realiser."""
    return (source, target) in _TARGETS


def target_of(source: str, target: str) -> TargetLanguage:
    """Look up the target language of a pair, or raise `UsageError` if it has no placeholders."""
    if (source, target) not in _TARGETS:
        raise UsageError(
            f"no placeholders from {source!r} to {target!r}",
            remedy=f"placeholders exist from {PAIRS}; --method marks takes any pair",
        )
    return _TARGETS[source, target]
