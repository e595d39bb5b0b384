"""The pairs of languages that have placeholders, and the realiser's tables of their targets."""

from __future__ import annotations

from corefmill.builders.translate.gamma.language import TargetLanguage
from corefmill.corpora.errors import UsageError
from corefmill.rules.es.articles import ARTICLES as SPANISH_ARTICLES
from corefmill.rules.es.writing import before_enclitic as before_spanish_enclitic
from corefmill.rules.it.articles import ARTICLES as ITALIAN_ARTICLES
from corefmill.rules.it.sounds import elides
from corefmill.rules.it.writing import before_enclitic as before_italian_enclitic

ITALIAN = TargetLanguage("it", ITALIAN_ARTICLES, before_italian_enclitic, elides)
SPANISH = TargetLanguage("es", SPANISH_ARTICLES, before_spanish_enclitic)
_TARGETS = {("en", language.lang): language for language in (ITALIAN, SPANISH)}
PAIRS = ", ".join(f"{source} to {target}" for source, target in _TARGETS)
"""The pairs of languages that have placeholders, in words."""


def has_realiser(source: str, target: str) -> bool:
    """Whether a pair of languages has placeholders and their realiser."""
    return (source, target) in _TARGETS


def target_of(source: str, target: str) -> TargetLanguage:
    """What the realiser must know of the target of a pair. Raises `UsageError` where it has no
    placeholders."""
    if (source, target) not in _TARGETS:
        raise UsageError(
            f"no placeholders from {source!r} to {target!r}",
            remedy=f"there are some from {PAIRS}; --method marks takes any pair",
        )
    return _TARGETS[source, target]
