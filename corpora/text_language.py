"""Detects the language of a text, to warn where another one was named for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SHORTEST = 200
"""Letters that a text must have: of shorter ones the answer is too often wrong."""
_LONGEST = 20_000
"""Characters that are looked at."""
_CERTAIN = 0.9

_ALIKE = (
    {"no", "nb", "nn", "da"},
    {"bs", "hr", "sh", "sr"},
    {"id", "ms"},
    {"zh", "yue", "wuu"},
    {"ar", "ary", "arz"},
    {"el", "grc"},
    {"en", "simple", "pcm", "sco"},
)
"""Languages that are written so much alike that one is not reported for another."""


def detect_language(text: str) -> tuple[str, float] | None:
    """Detect the language of a text: its ISO 639 code, and a certainty from 0 to 1.

    None for a text of fewer than `SHORTEST` letters, for one that is no prose, and where py3langid,
    which comes with the extras build and train, is not installed.
    """
    text = text[:_LONGEST]
    if sum(map(str.isalpha, text)) < SHORTEST or (identifier := _identifier()) is None:
        return None
    lang, certainty = identifier.classify(text)
    return None if lang == "zxx" else (lang, certainty)


def other_language(text: str, lang: str) -> str | None:
    """Return the language of a text where it is certainly another than `lang`, else None."""
    own = lang.lower().replace("_", "-").partition("-")[0]
    found = detect_language(text)
    if found is None or found[1] < _CERTAIN or found[0] == own:
        return None
    if any({own, found[0]} <= group for group in _ALIKE):
        return None
    identifier = _identifier()
    # Of a language that the identifier does not know, a neighbour is its best answer.
    known = identifier is not None and own in identifier.labels
    return found[0] if known or own == "simple" else None


@cache
def _identifier() -> LanguageIdentifier | None:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ModuleNotFoundError:
        return None
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
