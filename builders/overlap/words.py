"""The words of a text as the index and the queries know them, in clean and in paper mode."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from corefmill.corpora.records import Span

LONGEST = 128
"""Characters of a word that count; what is longer is no word."""

# Scripts that put no blanks between words: each character is a word.
_APART = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_CLEAN = re.compile(rf"[^\W_{_APART}]+?(?=n['’]t\b)|n['’]t\b|[{_APART}]|[^\W_{_APART}]+")

_NOT = re.compile(r"n't\b", re.ASCII)
_AS_ASCII = {"’": "'", "‘": "`", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."}
"""Marks of which no word is made, but for the apostrophe of "n’t"."""
_LETTERS = str.maketrans(
    {one: chr(one).lower() if chr(one).isalnum() else " " for one in range(128)}
)

_STANDARD = re.compile(r"\w+(?:\.\w+)*")
# Whoosh 2.7.4, analysis/filters.py
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can for from have if in is it may not of on or tbd that the this"
        " to us we when will with yet you your",
    )
)


class TextWord(NamedTuple):
    """A word in lower case, and where it stands."""

    form: str
    start: int
    end: int


Analyzer = Callable[[str], list[TextWord]]


def clean(text: str) -> list[TextWord]:
    """Letters and digits that stand together; where a script has no blanks, each character.

    "n't" is the word "not": "couldn't", "could n't" and "could not" are the same.
    """
    return [
        TextWord("not" if "'" in form or "’" in form else form[:LONGEST].lower(), *match.span())
        for match in _CLEAN.finditer(text)
        for form in (match[0],)
    ]


def standard(text: str) -> list[TextWord]:
    """Whoosh's StandardAnalyzer: no stop words, no word of one letter (spec C3).

    What it drops takes no place, so that distances are counted in the words that are left.
    """
    return [
        TextWord(form, *match.span())
        for match in _STANDARD.finditer(text)
        for form in (match[0].lower()[:LONGEST],)
        if len(form) > 1 and form not in _STOP
    ]


ANALYZERS: dict[str, Analyzer] = {"clean": clean, "paper": standard}


@lru_cache(1 << 18)
def hashed(word: str) -> int:
    """A word as a number of 64 bits, always the same."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


def forms(analyzer: Analyzer, text: str) -> list[str]:
    """The words alone, by quicker ways than where they are sought with their places."""
    if analyzer is not clean:
        return [word.form for word in analyzer(text)]
    plain = text
    if not text.isascii():
        for mark, ascii_mark in _AS_ASCII.items():
            plain = plain.replace(mark, ascii_mark)
    if not plain.isascii():
        return [
            "not" if "'" in form or "’" in form else form[:LONGEST].lower()
            for form in _CLEAN.findall(text)
        ]
    if "n't" in plain:
        plain = _NOT.sub(" not ", plain)
    return [form[:LONGEST] for form in plain.translate(_LETTERS).split()]


def within(words: list[TextWord], span: Span) -> list[str]:
    """The words that share a character with the span."""
    return [word.form for word in words if word.start < span[1] and span[0] < word.end]
