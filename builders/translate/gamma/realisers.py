"""The realisers, by source and target language: what puts mentions where placeholders stood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from corefmill.builders.nlp.analysis import Analysis
from corefmill.builders.translate.english.parts import ChainMention, SourceUtterance
from corefmill.builders.translate.gamma.mention import MentionToPlace, Mode
from corefmill.builders.translate.gamma.names import italian_name
from corefmill.builders.translate.gamma.placeholders import PlaceholderWords
from corefmill.builders.translate.gamma.realise import Realised, realise
from corefmill.corpora.errors import UsageError


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
        """See `gamma.realise.realise`, the Italian one."""


@dataclass(frozen=True, slots=True)
class Realiser:
    """The placeholders of a pair of languages, and what takes their place in the target.

    `name` is what a mention that is a person's name is in the target, by the clusters of persons.
    """

    words: Callable[[], PlaceholderWords]
    realise: Realise
    name: Callable[[SourceUtterance, ChainMention, frozenset[int]], str | None]


_REALISERS = {("en", "it"): Realiser(PlaceholderWords.shipped, realise, italian_name)}


def has_realiser(source: str, target: str) -> bool:
    """Whether a pair of languages has placeholders and their realiser."""
    return (source, target) in _REALISERS


def realiser(source: str, target: str) -> Realiser:
    """The realiser of a pair. Raises `UsageError` where it has none."""
    if (source, target) not in _REALISERS:
        pairs = ", ".join(f"{one} to {other}" for one, other in _REALISERS)
        raise UsageError(
            f"no placeholders from {source!r} to {target!r}",
            remedy=f"there are some from {pairs}; --method marks takes any pair",
        )
    return _REALISERS[source, target]
