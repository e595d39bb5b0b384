"""Penn Treebank tokens as the English text that a translator expects, with where each stands.

1. Brackets and quotes get their signs back: -LRB- is (, `` and '' are ". A plain " opens where the
   last one closed. A single ' closes after an s (plurals' possessive) or an opened `, else opens.
2. Clitics and contractions join their word: n't 's 'll ..., gon na, wan na, got ta, can not.
3. Commas, full stops and their like join the word before, $ and # the word after, / both. A hyphen
   joins both where it is tagged HYPH or, without tags, between two words; -- stands apart.
4. What is no text is left out: traces (*T*-1, *PRO*, *), the transcribers' marks of OntoNotes'
   speech (%pw, %um), and words tagged -NONE-. Its /. /, /? /- are the signs without their slash.
   An escaped slash or star (\\/ \\*) loses its backslash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from corefmill.corpora.records import Span

SIGNS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
    "`": "'",
    "/.": ".",
    "/,": ",",
    "/?": "?",
    "/!": "!",
    "/:": ":",
    "/;": ";",
    "/-": "-",
    "/--": "--",
}
"""What the Penn Treebank and OntoNotes write for a sign, and the sign, which a pipeline knows."""
_OPENING = {"(", "[", "{", "“", "‘", "«", "``", "`", "¿", "¡", "-LRB-", "-LSB-", "-LCB-"}
_CLOSING = {")", "]", "}", "”", "»", "''", "-RRB-", "-RSB-", "-RCB-"}
_STOPS = {",", ".", ";", ":", "?", "!", "%", "...", "…", "/.", "/,", "/?", "/!", "/:", "/;"}
_MONEY = re.compile(r"(?:[A-Z]{0,3}\$|[£€¥#])")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m|em))", re.IGNORECASE)
_HALVES = {
    ("can", "not"),
    ("gim", "me"),
    ("gon", "na"),
    ("got", "ta"),
    ("lem", "me"),
    ("wan", "na"),
}
_SECOND = {second for _, second in _HALVES}
_NO_TEXT = re.compile(r"\*(?:[A-Z?]+\*)?(?:-\d+)*|%[A-Za-z]+|<[A-Z]+>")
_NONE = "-NONE-"


@dataclass(frozen=True, slots=True)
class Text:
    """A text and the span of each token in it; empty for a token that is no text."""

    text: str
    spans: tuple[Span, ...]


def detokenise(tokens: Sequence[str], tags: Sequence[str | None] | None = None) -> Text:
    """The text of a sentence; `tags` are its parts of speech in the Penn tagset, if known."""
    return _detokenised(tuple(tokens), None if tags is None else tuple(tags))


# The same utterance is asked for by several steps of the chain.
@lru_cache(1 << 12)
def _detokenised(tokens: tuple[str, ...], tags: tuple[str | None, ...] | None) -> Text:
    tagged = [tag or "" for tag in tags] if tags is not None else [""] * len(tokens)
    kept = [
        place
        for place, (token, tag) in enumerate(zip(tokens, tagged, strict=True))
        if tag != _NONE and (token.isalpha() or (token.strip() and not _NO_TEXT.fullmatch(token)))
    ]
    joins = _Joins([tokens[place] for place in kept], [tagged[place] for place in kept])
    spans: list[Span] = [(0, 0)] * len(tokens)
    text = ""
    following = 0
    for number, place in enumerate(kept):
        text += " " * (number > 0 and joins.apart(number))
        start = len(text)
        text += _plain(tokens[place])
        # A token left out stands, empty, where the next one begins.
        spans[following:place] = [(start, start)] * (place - following)
        spans[place] = (start, len(text))
        following = place + 1
    spans[following:] = [(len(text), len(text))] * (len(tokens) - following)
    return Text(text, tuple(spans))


def _plain(token: str) -> str:
    return SIGNS.get(token) or token.replace("\\/", "/").replace("\\*", "*")


class _Joins:
    """For each token of a sentence, whether it joins the one before and the one after."""

    def __init__(self, tokens: Sequence[str], tags: Sequence[str]) -> None:
        self._before = [False] * len(tokens)
        self._after = [False] * len(tokens)
        opened = {'"': False, "'": False}
        for place, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
            last = tokens[place - 1] if place else ""
            following = tokens[place + 1] if place + 1 < len(tokens) else ""
            if token.isalpha():
                halves = token.lower() in _SECOND and (last.lower(), token.lower()) in _HALVES
                self._before[place] = halves
                continue
            if token == "`":
                opened["'"] = True
            if token in _OPENING or _MONEY.fullmatch(token):
                self._after[place] = True
            elif token in _CLOSING or token in _STOPS or (last and _CLITIC.fullmatch(token)):
                self._before[place] = True
            elif token == '"':
                (self._before if opened['"'] else self._after)[place] = True
                opened['"'] = not opened['"']
            elif token in ("'", "’"):
                closes = tag in ("POS", "''") or opened["'"] or (not tag and last.endswith("s"))
                (self._before if closes else self._after)[place] = True
                opened["'"] = not closes
            elif token in ("/", "\\/"):
                self._before[place] = self._after[place] = True
            elif token in ("-", "–", "‑"):
                words = last[-1:].isalnum() and following[:1].isalnum()
                both = words and (tag == "HYPH" or not tag)
                self._before[place] = self._after[place] = both

    def apart(self, place: int) -> bool:
        """Whether a blank stands before this token."""
        return not (self._before[place] or self._after[place - 1])
