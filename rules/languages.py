"""The languages with refinement rules, by their codes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, Protocol

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Token
from corefmill.rules import es, fr, it
from corefmill.rules.rule import Rule
from corefmill.rules.tree import table


class LanguageRules(Protocol):
    """The interface of the package of rules of each language, `rules/LANG/`."""

    def rules(
        self,
        mode: Literal["paper", "clean"],
        without: Collection[str] = (),
        *,
        others: Collection[str] = (),
    ) -> tuple[Rule, ...]:
        """Return the rules of a mode, in order.

        `paper` has the published rules alone, `clean` also their refinements and further rules.
        `without` names rules to leave out, or refinements as in `subject-deletion/focus`; it may
        also name `others`, the caller's own additions to clean mode. Raises `UsageError` for any
        other name.
        """

    def join(self, words: Sequence[Token]) -> str | None:
        """Join words into one written token (di + il: del), None for separate tokens."""


_LANGUAGES: dict[str, LanguageRules] = {"es": es, "fr": fr, "it": it}
LANGUAGES = tuple(_LANGUAGES)


def enclitics(lang: str) -> frozenset[str]:
    """Return the pronouns written onto a language's verbs (mandami); none without rules."""
    known = table(lang, "pronouns")["words"] if lang in LANGUAGES else {}
    return frozenset(known.get("enclitics", ()))


def load(lang: str) -> LanguageRules:
    """Import the rules of a language. Raises `UsageError` for a language without rules."""
    if lang not in _LANGUAGES:
        raise UsageError(
            f"no refinement rules for language {lang!r}",
            remedy=f"rules exist for {', '.join(LANGUAGES)}",
        )
    return _LANGUAGES[lang]
