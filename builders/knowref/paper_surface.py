"""Paper mode's rules on raw text: what is cleaned away, which sentences are kept (spec C1, S1)."""

from __future__ import annotations

import re

PRONOUNS = (
    "he",
    "she",
    "it",
    "they",
    "him",
    "her",
    "them",
    "their",
    "his",
    "hers",
    "these",
    "those",
)
CONNECTIVES = (
    ",", ";", "or", "since", "but", "because", "although", "even though", "though", "after", "so",
    "if", "whether", "until", "where", "when",
)  # fmt: skip

REASONS = (
    "paragraph_quoted_or_empty",
    "paragraph_without_pattern",
    "no_connective",
    "no_end",
    "no_capital",
    "spaces",
    "signs",
    "no_pronoun",
)

# The comma and the semicolon match where they are glued between two letters, so hardly ever.
_CONNECTIVE = re.compile(rf"\b(?:{'|'.join(map(re.escape, CONNECTIVES))})\b")
_PRONOUN = re.compile(rf"\b(?:{'|'.join(PRONOUNS)})\b")
_SIGNS = re.compile(r"[+=<\d]")
_FEWEST_SPACES, _MOST_SPACES = 10, 32

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}\}?")
_BRACES = re.compile(r"\{([^{}]*)\}")
_BREAK = re.compile(r"<br ?/?>")
_PARENTHESES = re.compile(r"\([^()]*\)")
_HEADING = re.compile(r"^(?:=.*|\*.*)$", re.MULTILINE)
_ARTICLE = re.compile(r"\bart\. \d")
_LINK = re.compile(r"\[\[([^\[\]|]*)(?:\|[^\[\]]*)?\]\]")
_COLON = re.compile(r":\d+")
_LINE = re.compile(r"^[\d*=~#:].*$", re.MULTILINE)
_BLANKS = re.compile(r"\s+")


def cleaned(text: str) -> str:
    """The text without markup and without anything that is not ASCII; "" if it holds a quote."""
    text = _BREAK.sub(" ", _BRACES.sub(r"\1", _TEMPLATE.sub("", text)))
    text = _HEADING.sub("", _PARENTHESES.sub("", _NOT_ASCII.sub("", text)))
    if '"' in text or _ARTICLE.search(text):
        return ""
    text = _LINK.sub(r"\1", text.replace(" M.A. ", " MA "))
    text = _LINE.sub("", _COLON.sub("", text))
    return _BLANKS.sub(" ", text).strip()


def may_hold(text: str) -> bool:
    """Whether a text has a connective with a pronoun behind it at all."""
    connective = _CONNECTIVE.search(text)
    return connective is not None and _PRONOUN.search(text, connective.end()) is not None


def fault(sentence: str) -> str | None:
    """The reason why a sentence is not kept, None if it is."""
    connective = _CONNECTIVE.search(sentence)
    if connective is None:
        return "no_connective"
    if sentence[-1] not in ".!?;,":
        return "no_end"
    if not "A" <= sentence[0] <= "Z":
        return "no_capital"
    if not _FEWEST_SPACES <= sentence.count(" ") <= _MOST_SPACES:
        return "spaces"
    if _SIGNS.search(sentence):
        return "signs"
    return None if _PRONOUN.search(sentence, connective.end()) else "no_pronoun"
