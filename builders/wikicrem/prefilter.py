"""Finds the stretches of a paragraph that can hold an example, so that NER reads only those.

An example needs a name twice within two adjacent sentences, and another name before the second
occurrence. Every name has a capitalised word, so a stretch without a repeated capitalised word
after another one cannot give an example, whatever the recogniser says. Sentences are cut only
where any splitter would cut (a full stop after a word in lower case), so real sentences never
reach over more than our pieces do.

In scripts without capitals any repeated word counts, and where words are not spaced, everything.
"""

from __future__ import annotations

import re
import sys
import unicodedata

from builders.nlp import Analysis
from corpora.records import Span


def _ranges(codes: list[int]) -> str:
    """A regex class of the code points, as ranges."""
    parts: list[list[int]] = []
    for code in codes:
        if parts and code == parts[-1][1] + 1:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in parts)


_UPPER = _ranges(
    [c for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) in ("Lu", "Lt")]
)
_CAPITALISED = re.compile(rf"(?<!\w)[{_UPPER}]\w+")
_WORD = re.compile(r"\w+")
_CASED = re.compile(rf"[a-z{_UPPER}]")
_BORDER = re.compile(rf"(?<=[a-z]{{3}})[.?!]['\"’”»)\]]*\s+(?=['\"‘“«(\[]*[{_UPPER}])")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def windows(text: str, no_names: frozenset[str]) -> list[Span]:
    """The stretches worth a recogniser's while, in order and apart from one another."""
    if _UNSPACED.search(text):
        return [(0, len(text))]
    pattern = _CAPITALISED if _CASED.search(text) else _WORD
    words = [w for w in pattern.findall(text) if w not in no_names]
    if len(words) < 3 or len(set(words)) in (1, len(words)):
        return []
    borders = [0, *(match.end() for match in _BORDER.finditer(text)), len(text)]
    found: list[Span] = []
    previous: list[str] = []
    for index in range(len(borders) - 1):
        current = [
            word
            for word in pattern.findall(text[borders[index] : borders[index + 1]])
            if word not in no_names
        ]
        if _repeats(previous, current):
            start, end = borders[max(0, index - 1)], borders[index + 1]
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        previous = current
    return found


def cut_at_borders(analysis: Analysis) -> list[Span]:
    """The analysed sentences, cut once more where any splitter would cut (clean mode).

    Splitters trained on short modern sentences run long ones of other times together.
    """
    sentences: list[Span] = []
    for start, end in analysis.sentences:
        for match in _BORDER.finditer(analysis.text, start, end):
            sentences.append((start, start + len(analysis.text[start : match.end()].rstrip())))
            start = match.end()
        if start < end:
            sentences.append((start, end))
    return sentences


def _repeats(previous: list[str], current: list[str]) -> bool:
    """Whether a word of `current` stands before it, too, with another one before it."""
    seen = set(previous)
    for word in current:
        if word in seen and len(seen) > 1:
            return True
        seen.add(word)
    return False
