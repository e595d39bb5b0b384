"""Classes of characters of words in any script, and texts cut into lines and words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # takes longer to import than a help takes
    from corefmill.corpora.records import Span

_PLANES = 0x20000  # the first two, which have all scripts that are in use


@cache
def marks_class() -> str:
    """Write the inside of a regex class of vowel signs and accents, in ranges, and joiners.

    They are characters of their own and parts of words in many scripts, and no letters to Python.
    """
    ranges: list[list[int]] = []
    for code in range(_PLANES):
        if unicodedata.category(chr(code)) in ("Mn", "Mc"):
            if ranges and code == ranges[-1][1] + 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges) + "\u200c\u200d"


_CHARACTERS = "\u3040-\u30ff\u3400-\u9fff"  # of Chinese and Japanese, about two a word
_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # of Thai and its neighbours, about five
UNSPACED = re.compile(f"[{_LETTERS}{_CHARACTERS}]")
"""A character of a script that puts no spaces between words."""
_PIECE = re.compile(rf"[{_CHARACTERS}]{{1,2}}|[{_LETTERS}]{{1,5}}|[^\s{_LETTERS}{_CHARACTERS}]+")

PARAGRAPH_END = "\u2029"
"""A line end that ends its paragraph, too, as an empty line does."""
_LINE_END = re.compile(f"\r{{0,2}}\n|[\n\r\x85\u2028{PARAGRAPH_END}]")

_WORD = re.compile(r"\w+|[^\w\s]")
_BLANKS = re.compile(r"\S+")
_APART = re.compile(r"\s[.,;!?](?:\s|$)")
_ATTACHED = re.compile(r"\w[.,;!?](?:\s|$)")


def split_lines(text: str) -> list[str]:
    """Split a text into its lines, each with its end: LF, CR, CR LF, NEL, U+2028, or U+2029.

    CR CR LF, which a file converted twice has, is one end.
    """
    # Most texts given are one line, and these ends are among those that `splitlines` knows.
    if len(text.splitlines()) < 2:
        return [text]
    places = [0, *(found.end() for found in _LINE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(places) if start < end]


def without_accents(text: str) -> str:
    """Write in small letters without accents, to compare spellings of one word."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def split_words(text: str) -> list[str]:
    """Split a text at its blanks, and what has none in pieces of about a word's length.

    Only how many there are is meant: where a word ends in Chinese, a pipeline tells.
    """
    if UNSPACED.search(text) is None:
        return text.split()
    return [piece for piece in _PIECE.findall(text) if any(map(str.isalnum, piece))]


def count_words(text: str) -> int:
    """Count the words of a text in any script, about as a reader would."""
    return len(split_words(text))


def cuts_word(text: str, border: int) -> bool:
    """Tell whether a border lies between two letters of a word.

    Scripts with two cases put blanks between words; Chinese, Japanese or Thai do not.
    """
    letters = text[border - 1 : border + 1] if border else ""
    return len(letters) == 2 and all(one.lower() != one.upper() for one in letters)


def strip_span(text: str, start: int, end: int) -> Span:
    """Leave out the blanks at the borders of a span."""
    start = end - len(text[start:end].lstrip())
    return start, start + len(text[start:end].rstrip())


def cut(text: str, borders: Iterable[int]) -> list[Span]:
    """Cut a text into words and punctuation, and at each of the `borders` of mentions."""
    return _cut(text, borders, _WORD)


def cut_or_tokens(text: str, borders: Iterable[int]) -> list[Span]:
    """Cut as `cut`, or at blanks where the text is tokenized already, as in `Women 's`.

    It is taken for such a text if a full stop or comma stands apart and none touches its word.
    """
    tokens = _APART.search(text) and not _ATTACHED.search(text)
    return _cut(text, borders, _BLANKS if tokens else _WORD)


def cut_tokens(tokens: Iterable[Span], borders: Iterable[int]) -> list[Span]:
    """Cut tokens of a text in two where one of the `borders` lies within."""
    borders = sorted(set(borders))
    pieces: list[Span] = []
    for start, end in tokens:
        for border in borders:
            if start < border < end:
                pieces.append((start, border))
                start = border
        pieces.append((start, end))
    return pieces


def join_neighbours(tokens: Sequence[Span], places: Iterable[int]) -> list[Span]:
    """Join the tokens at `places` (ascending) into pieces of neighbours."""
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
    """Find the words of a text, by the pattern `word`, between its borders."""
    cuts = sorted({0, len(text), *borders})
    return [
        (match.start() + left, match.end() + left)
        for left, right in pairwise(cuts)
        for match in word.finditer(text[left:right])
    ]
