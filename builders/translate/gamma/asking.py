"""Asks a translator for many texts at once, and says why one of them has no translation."""

from __future__ import annotations

from collections.abc import Sequence

from corefmill.builders.translate.engines.protocol import NotAnswered, Translator, UnusableAnswer
from corefmill.corpora.errors import DataError, UsageError

ANSWERS = ("answer_repeats", "answer_unknown_sign", "answer_language")
"""Why answers are no translations, as reasons have it."""
_STUBBORN = 3
"""Texts on which a translator may fail one after the other before it is taken to be broken."""


def translations(texts: Sequence[str], translator: Translator) -> list[str | DataError]:
    """Translations at once; where that fails, one by one, with the error instead of its text."""
    try:
        return list(translator.translate(texts)) if texts else []
    except DataError:
        pass
    found: list[str | DataError] = []
    for text in texts:
        try:
            found += translator.translate([text])
        except DataError as error:
            found.append(error)
            if len(found) >= _STUBBORN and not any(
                isinstance(one, (str, NotAnswered, UnusableAnswer)) for one in found[-_STUBBORN:]
            ):
                raise UsageError(
                    f"{translator.name} fails on every text: {error.message}",
                    remedy=error.remedy,
                ) from error
    return found


def why_not(error: DataError) -> str:
    """Why a text has no translation, in one word."""
    return f"answer_{error.why}" if isinstance(error, UnusableAnswer) else "translator_failed"
