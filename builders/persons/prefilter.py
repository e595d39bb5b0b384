"""Finds the passages of a paragraph that can hold an example, so that NER reads only those.

An example needs a name twice within two adjacent sentences, and another name before the second
occurrence. Every name lies in a run of capitalised words, so a passage where no run has a word of
an earlier run, with a run apart from both before it, cannot give an example, whatever the
recogniser says (but for two persons named without so much as a comma between: "told Bob Ann").
Sentences are cut only where any splitter would cut (a full stop after a word in lower case that is
no title's abbreviation), so real sentences seldom reach over more than our pieces do.

Where names decline ("Anna", "Annie") words repeat that may be forms of one word. Where all nouns
have capitals most paragraphs repeat one; the table's `nouns` leave those out that are no names.

In scripts without capitals any repeated word counts, and where words are not spaced, everything.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator

from corefmill.builders.nlp import Analysis
from corefmill.corpora.records import Span
from corefmill.corpora.words import UNSPACED


def _ranges(codes: list[int]) -> str:
    """A regex class of the code points, as ranges."""
    parts: list[list[int]] = []
    for code in codes:
        if parts and code == parts[-1][1] + 1:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in parts)


_PLANES = 0x20000  # the first two, which have all letters with case
_UPPER = _ranges([c for c in range(_PLANES) if unicodedata.category(chr(c)) in ("Lu", "Lt")])
_LOWER = _ranges([c for c in range(0x250) if unicodedata.category(chr(c)) == "Ll"])  # Latin
_UNCASED = "\u0590-\u139f\u1400-\u18ff\ua980-\ud7ff\ufb1d-\ufdff\ufe70-\ufefc"
# A word begins behind a mark of emphasis ("_Ann_") or of transliteration ("ʿAli"), too, and its
# accents may be characters of their own.
_BEGIN, _REST = r"(?<![^\W_ʰ-˿])", r"[\w\u0300-\u036f]"
# Capitalised words with one blank, apostrophe or hyphen between: one name, or part of one.
_NAMES = rf"[{_UPPER}]{_REST}+(?:[ '’-][{_UPPER}]{_REST}*)*"
_RUN = re.compile(rf"{_BEGIN}{_NAMES}")
_MIXED = re.compile(rf"{_BEGIN}(?:{_NAMES}|(?=[{_UNCASED}])\w+)")
_WORD = re.compile(r"[^\W_]+")
_CASED = re.compile(rf"[a-z{_UPPER}]")
_HAS_UNCASED = re.compile(f"[{_UNCASED}]")
# A search for the mark itself, looking back from there, is many times as fast as one that looks
# back from every character.
# A blank may stand before the mark that closes (« Oui. »), and a dash before who speaks next.
_AFTER_MARK = (
    rf"(?:['\"’”»“«)\]]|\s»(?=\s))*\s+(?=['\"‘“«»„¡¿(\[]*(?:[—–-]{{1,2}}\s?)?[¡¿]?[{_UPPER}])"
)
_BEFORE_MARK = rf"(?<=\d{{4}}.)|(?<=[{_LOWER}]{{2}}[)\"”»“«].)|(?<=[{_LOWER}]{{3}}\s.)"
_BORDER = re.compile(rf"[.?!](?:(?<=[{_LOWER}]{{3}}.)|{_BEFORE_MARK}){_AFTER_MARK}")
_ANY_BORDER = re.compile(rf"[.?!](?:(?<=[{_LOWER}]{{2}}.)|{_BEFORE_MARK}){_AFTER_MARK}")
_OPENING = "'\"‘“«»„¡¿(["
# The mark that opens what is said next, which some splitters leave to the sentence before.
_NEXT_QUOTE = re.compile(r"\s+[\"“‘'«„]$")


def windows(
    text: str,
    no_names: Container[str],
    titles: Container[str] = frozenset(),
    may_be: Callable[[str], Iterable[str]] | None = None,
) -> list[Span]:
    """The passages that a recogniser must read, in order and apart from one another.

    `no_names` are words that are no name on their own; `titles` end in a full stop that is no
    sentence's ("Capt."). `may_be` gives the words of which one may be a form, where names have
    several forms: words that may be forms of one count as the same.
    """
    if UNSPACED.search(text):
        return [(0, len(text))]
    pattern = _pattern(text)
    if not _may_repeat(pattern.findall(text), no_names, may_be):
        return []
    inner = (match.end() for match in _borders(text, 0, len(text), titles))
    borders = [0, *inner, len(text)]
    found: list[Span] = []
    previous: list[list[str]] = []
    for index in range(len(borders) - 1):
        current = [
            words
            for run in pattern.findall(text, borders[index], borders[index + 1])
            if (words := [word for word in _WORD.findall(run) if word not in no_names])
        ]
        if may_be is not None:
            current = [[one for word in words for one in may_be(word)] for words in current]
        if _repeats(previous, current):
            start, end = borders[max(0, index - 1)], borders[index + 1]
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        previous = current
    return found


def raw_sentences(text: str, titles: Container[str] = frozenset()) -> Iterator[Span]:
    """The text cut at its full stops, also behind words of two letters, without blanks at the ends.

    Only abbreviations in `titles` are known, so it cuts behind "Jr." before a capital.
    """
    start = 0
    found = _borders(text, 0, len(text), titles, _ANY_BORDER)
    for border in (*(match.end() for match in found), len(text)):
        piece = text[start:border]
        left, right = len(piece) - len(piece.lstrip()), len(piece.rstrip())
        if left < right:
            yield start + left, start + right
        start = border


def name_runs(text: str, no_names: Container[str]) -> list[tuple[str, ...]]:
    """The runs of words that may be names, each as its words that `no_names` does not hold."""
    runs = (_WORD.findall(run) for run in _pattern(text).findall(text))
    return [kept for run in runs if (kept := tuple(w for w in run if w not in no_names))]


def _pattern(text: str) -> re.Pattern[str]:
    """What is taken for a run of names in a text of these scripts."""
    if not _CASED.search(text):
        return _WORD
    return _MIXED if _HAS_UNCASED.search(text) else _RUN


def _borders(
    text: str, start: int, end: int, titles: Container[str], border: re.Pattern[str] = _BORDER
) -> Iterator[re.Match[str]]:
    """Where any splitter would cut, the blanks behind the sentence included."""
    for match in border.finditer(text, start, end):
        last = text[max(start, match.start() - 20) : match.start() + 1].split()[-1]
        if last.lstrip(_OPENING) not in titles:
            yield match


def _may_repeat(
    runs: list[str],
    no_names: Container[str],
    may_be: Callable[[str], Iterable[str]] | None,
) -> bool:
    """Whether the paragraph has any word twice at all; most have none and end here."""
    words = [word for word in _WORD.findall(" ".join(runs)) if word not in no_names]
    if may_be is not None:
        words = [one for word in words for one in may_be(word)]
    return len(runs) > 2 and len(set(words)) < len(words)


def cut_at_borders(analysis: Analysis, titles: Container[str] = frozenset()) -> list[Span]:
    """The analysed sentences, cut once more where any splitter would cut (clean mode), and whole
    where one was cut behind an honorific's full stop ("M.").

    Splitters trained on short modern sentences run long ones of other times together.
    """
    sentences: list[Span] = []
    for start, end in _joined(analysis, titles):
        for match in _borders(analysis.text, start, end, titles):
            sentences.append((start, start + len(analysis.text[start : match.end()].rstrip())))
            start = match.end()
        if start < end:
            sentences.append((start, end))
    return [
        (start, start + len(_NEXT_QUOTE.sub("", analysis.text[start:end])))
        for start, end in sentences
    ]


def _joined(analysis: Analysis, titles: Container[str]) -> list[Span]:
    """The analysed sentences, those together of which the first ends in an honorific's stop."""
    whole: list[Span] = []
    for start, end in analysis.sentences:
        last = analysis.text[max(0, start - 20) : start].rstrip().rpartition(" ")[2]
        if whole and last.endswith(".") and last.lstrip(_OPENING) in titles:
            start = whole.pop()[0]
        whole.append((start, end))
    return whole


def _repeats(previous: list[list[str]], current: list[list[str]]) -> bool:
    """Whether a run of names in `current` has a word that an earlier run has, and one has not."""
    having: Counter[str] = Counter(word for run in previous for word in dict.fromkeys(run))
    runs = len(previous)
    for run in current:
        if any(0 < having[word] < runs for word in run):
            return True
        having.update(set(run))
        runs += 1
    return False
