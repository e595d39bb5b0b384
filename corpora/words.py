"""Cuts a text without tokens into words, for formats that need some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from corefmill.corpora.records import Span

_WORD = re.compile(r"\w+|[^\w\s]")
_BLANKS = re.compile(r"\S+")
_APART = re.compile(r"\s[.,;!?](?:\s|$)")
_ATTACHED = re.compile(r"\w[.,;!?](?:\s|$)")


def cut(text: str, borders: Iterable[int]) -> list[Span]:
    """Words and punctuation, cut at each of the `borders`, so that no mention splits one."""
    return _cut(text, borders, _WORD)


def cut_or_tokens(text: str, borders: Iterable[int]) -> list[Span]:
    """As `cut`; but where the text is tokens with blanks between, as in `Women 's`, those tokens.

    It is taken for such a text if a full stop or comma stands apart and none touches its word.
    """
    tokens = _APART.search(text) and not _ATTACHED.search(text)
    return _cut(text, borders, _BLANKS if tokens else _WORD)


def cut_tokens(tokens: Iterable[Span], borders: Iterable[int]) -> list[Span]:
    """The tokens of a text, cut in two where one of the `borders` lies within one."""
    borders = sorted(set(borders))
    pieces: list[Span] = []
    for start, end in tokens:
        for border in borders:
            if start < border < end:
                pieces.append((start, border))
                start = border
        pieces.append((start, end))
    return pieces


def together(tokens: Sequence[Span], places: Iterable[int]) -> list[Span]:
    """The tokens at `places`, ascending: those that follow each other are one piece of the text."""
    pieces: list[Span] = []
    last = None
    for place in places:
        start, end = tokens[place]
        if last is not None and place == last + 1:
            pieces[-1] = pieces[-1][0], end
        else:
            pieces.append((start, end))
        last = place
    return pieces


def _cut(text: str, borders: Iterable[int], word: re.Pattern[str]) -> list[Span]:
    cuts = sorted({0, len(text), *borders})
    return [
        (match.start() + left, match.end() + left)
        for left, right in pairwise(cuts)
        for match in word.finditer(text[left:right])
    ]
