"""The realisers, by source and target language: what puts mentions where placeholders stood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from corefmill.builders.nlp.analysis import Analysis
from corefmill.builders.translate.english.parts import ChainMention, SourceUtterance
from corefmill.builders.translate.gamma.language import TargetLanguage
from corefmill.builders.translate.gamma.mention import MentionToPlace, Mode
from corefmill.builders.translate.gamma.names import name_in
from corefmill.builders.translate.gamma.placeholders import PlaceholderWords
from corefmill.builders.translate.gamma.realise import Realised, realise
from corefmill.corpora.errors import UsageError
from corefmill.rules.es.articles import ARTICLES as SPANISH_ARTICLES
from corefmill.rules.es.writing import before_enclitic as before_spanish_enclitic
from corefmill.rules.it.articles import ARTICLES as ITALIAN_ARTICLES
from corefmill.rules.it.sounds import elides
from corefmill.rules.it.writing import before_enclitic as before_italian_enclitic


class Realise(Protocol):
    """Gives every mention of a translation its own words: a noun phrase or name its article, joined
    to the preposition before it, a pronoun or possessive its form and place."""

    def __call__(
        self,
        translation: str,
        mentions: Sequence[MentionToPlace],
        analysis: Analysis | None = None,
        *,
        mode: Mode = "clean",
        capitalised: bool = True,
    ) -> Realised:
        """See `gamma.realise.realise`, which has the language besides."""


@dataclass(frozen=True, slots=True)
class Realiser:
    """The placeholders of a pair of languages, and what takes their place in the target.

    `name` is what a mention that is a person's name is in the target, by the clusters of persons.
    `needs_tree` is whether nouns, too, are put back by the tree of the translation.
    """

    words: Callable[[], PlaceholderWords]
    realise: Realise
    name: Callable[[SourceUtterance, ChainMention, frozenset[int]], str | None]
    needs_tree: bool = False

    @classmethod
    def into(cls, language: TargetLanguage) -> Realiser:
        """From English into a language by its tables."""
        return cls(
            partial(PlaceholderWords.shipped, language),
            partial(realise, language),
            partial(name_in, language),
            bool(language.persons),
        )


ITALIAN = TargetLanguage("it", ITALIAN_ARTICLES, before_italian_enclitic, elides)
SPANISH = TargetLanguage("es", SPANISH_ARTICLES, before_spanish_enclitic)
_REALISERS = {("en", language.lang): Realiser.into(language) for language in (ITALIAN, SPANISH)}
PAIRS = ", ".join(f"{source} to {target}" for source, target in _REALISERS)
"""The pairs of languages that have one, in words."""


def has_realiser(source: str, target: str) -> bool:
    """Whether a pair of languages has placeholders and their realiser."""
    return (source, target) in _REALISERS


def realiser(source: str, target: str) -> Realiser:
    """The realiser of a pair. Raises `UsageError` where it has none."""
    if (source, target) not in _REALISERS:
        raise UsageError(
            f"no placeholders from {source!r} to {target!r}",
            remedy=f"there are some from {PAIRS}; --method marks takes any pair",
        )
    return _REALISERS[source, target]
