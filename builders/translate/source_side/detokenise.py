"""Turn Penn Treebank tokens into plain English text for a translator.

1. Brackets and quotes are written as such: -LRB- is (, `` and '' are ". A plain " opens where the
   last one closed. A single ' closes after an s (plurals' possessive) or an opened `, else opens.
2. Clitics and contractions join their word: n't 's 'll ..., gon na, wan na, got ta, can not.
3. Commas, full stops and their like join the word before, $ and # the word after, / both. A hyphen
   joins both where it is tagged HYPH or, without tags, between two words; -- stands apart.
4. What is no text is left out: traces (*T*-1, *PRO*, *), the transcribers' marks of OntoNotes'
   speech (%pw, %um), and words tagged -NONE-. Its /. /, /? /- lose their slash.
   An escaped slash or star (\\/ \\*) loses its backslash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

PUNCTUATION = {
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
"""What the Penn Treebank and OntoNotes write for punctuation, and what a pipeline knows."""
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
_SLASHES = {"/", "\\/"}
_JOINTS = {*_SLASHES, "-", "–", "‑"}


def detokenise(tokens: Sequence[str], tags: Sequence[str | None] | None = None) -> str:
    """Write the text of a sentence; `tags` are its parts of speech in the Penn tagset, if known."""
    return "".join(pieces(tokens, tags))


def pieces(tokens: Sequence[str], tags: Sequence[str | None] | None = None) -> tuple[str, ...]:
    """Split the text by tokens, each with the blank before it; "" for what is left out."""
    return _pieces(tuple(tokens), (None,) * len(tokens) if tags is None else tuple(tags))


# Several stages of the chain ask for the same utterance.
@lru_cache(1 << 12)
def _pieces(tokens: tuple[str, ...], tags: tuple[str | None, ...]) -> tuple[str, ...]:
    kept = [
        at
        for at, (token, tag) in enumerate(zip(tokens, tags, strict=True))
        if tag != _NONE and (token.isalpha() or (token.strip() and not _NO_TEXT.fullmatch(token)))
    ]
    apart = _find_blanks([tokens[at] for at in kept], [tags[at] or "" for at in kept])
    made = [""] * len(tokens)
    for place, at in enumerate(kept):
        made[at] = " " * apart[place]
        made[at] += PUNCTUATION.get(tokens[at]) or tokens[at].replace("\\/", "/").replace(
            "\\*", "*"
        )
    return tuple(made)


def _find_blanks(tokens: Sequence[str], tags: Sequence[str]) -> list[bool]:
    """Find for each token of a sentence whether a blank stands before it."""
    before = [False] * len(tokens)  # whether a token joins the one before it
    after = [False] * len(tokens)  # whether it joins the one after it
    opened = {'"': False, "'": False}
    for at, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
        last = tokens[at - 1] if at else ""
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        # A word stands apart, unless it is the second half of one (gon na).
        if token.isalpha():
            before[at] = token.lower() in _SECOND and (last.lower(), token.lower()) in _HALVES
            continue
        if token == "`":
            opened["'"] = True
        # What opens joins the word after it; what closes or ends, and clitics, the one before.
        if token in _OPENING or _MONEY.fullmatch(token):
            after[at] = True
        elif token in _CLOSING or token in _STOPS or (last and _CLITIC.fullmatch(token)):
            before[at] = True
        elif token in ('"', "'", "’"):
            # Undirected quotes open and close by turns; ' also closes as a plural's possessive.
            mark = '"' if token == '"' else "'"
            closes = opened[mark]
            if mark == "'":
                closes = closes or tag in ("POS", "''") or (not tag and last.endswith("s"))
            (before if closes else after)[at] = True
            opened[mark] = not closes
        elif token in _JOINTS:
            within = last[-1:].isalnum() and following[:1].isalnum() and tag in ("HYPH", "")
            before[at] = after[at] = within or token in _SLASHES
    return [at > 0 and not (before[at] or after[at - 1]) for at in range(len(tokens))]
