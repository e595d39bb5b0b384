"""Whether a passage is running text, and whether somebody is quoted in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Set
from functools import cache, lru_cache

from corefmill.corpora.records import Span
from corefmill.corpora.words import split_words

OPENING_MARKS = "\"“”‘'`«»„‚‹›¡¿(["
"""The marks that may stand before the first word of a sentence or of what somebody says."""
CLOSING_MARKS = "\"”“’‘'´»«›‹)]"
"""The marks that may stand behind the last one."""

QUOTES = re.compile(
    r"(?P<close>”|(?<=[^\s(\[—–-])[“«‹‘´](?!\w)|(?<=[—–-])[“«](?=\s[a-zß-ÿ]|$)"
    r"|[»›](?:(?<=[^\s(\[—–-].)|(?!\w))|(?<=[.,!?…—-])['’](?!\w))"
    r"|(?P<open>[“«„»‚‹›]|(?<![\w.,!?…])[‘'`](?=\w))"
    r'|(?P<either>")'
)
"""Quotation marks. What opens in one language closes in another („so“, »so«, ‚so‘), so “, « and »
are told by what they touch: behind a word they close, before one and behind a blank they open.
Behind a dash they close before a small letter: »Nein –« rief er."""
_NOT_PROSE = re.compile(r"[|=_\[\]{}<>~^*•]|https?:|www\.|\.\.\.\.")
DASH = re.compile(r"—|–|--|(?<!\S)-(?=[^\s-])|(?<=[\w.!?…,;:»])-(?=[\s.,;:!?…]|$)")
"""A dash, also one written as a hyphen with a blank, or a stop, on one side of it."""
_BEFORE_SPEECH = ":.!?…»\n"
_ITALICS = re.compile(r"(?<!\w)_(?=\w)([^_]*)_(?!\w)")
# Also before what is said in the next paragraph, and where somebody breaks off.
_SENTENCE_END = re.compile(rf"[.!?…:,—।۔؟։။。！？-](?:\s[»›])?[{re.escape(CLOSING_MARKS)}]*$")
_OPENING = re.compile(r"[\"“‘'`«„‚‹¡¿]|[»›](?=\w)")
_NUMERAL = re.compile(r"\d")


def is_debris(passage: str, dashes: Set[str] = frozenset()) -> bool:
    """Tell whether a passage has marks of markup, many numbers or capitals, or no sentence's end.

    Words between underscores are italics in transcripts of books, and prose. `dashes` are those
    with which the language begins what somebody says.
    """
    passage = _ITALICS.sub(r"\1", passage)
    opening = DASH.match(passage)
    if opening and opening.group() in dashes:
        passage = passage[opening.end() :].lstrip()
    words = split_words(passage)
    if _NOT_PROSE.search(passage) or not _SENTENCE_END.search(passage):
        return True
    first = passage[0]
    # A script without capitals may begin a sentence with any letter.
    begins = (first.isalpha() and first == first.title()) or _OPENING.match(passage)
    if passage.count("(") != passage.count(")") or not begins:
        return True
    numbers = sum(bool(_NUMERAL.search(word)) for word in words)
    shouted = sum(word.isupper() and len(word) > 2 for word in words)
    return numbers > len(words) / 5 or shouted > len(words) / 4


def in_quotation(text: str, position: int) -> bool:
    """Tell whether a quotation opened before `position` is still open there."""
    marks, is_open = _find_quotations(text)
    before = bisect_left(marks, position)
    return before > 0 and is_open[before - 1]


@lru_cache(maxsize=4)
def _find_quotations(text: str) -> tuple[list[int], list[bool]]:
    """List the quotation marks of a text, and whether a quotation is open behind each.

    The last texts are cached, since a whole book is asked for at thousands of places.
    """
    marks: list[int] = []
    found: list[bool] = []
    for match in QUOTES.finditer(text):
        closes = match["close"] or (match["either"] and found and found[-1])
        marks.append(match.start())
        found.append(not closes)
    return marks, found


def is_addressed(before: str, after: str) -> bool:
    """Tell whether a name between two texts addresses somebody ("Go, Ann!")."""
    opened = not before or before.rstrip()[-1:] in ",.!?;:—-–\"“‘'«»„¡¿"
    closes = after[:1] in ("", ",", ".", "!", "?", ";", "—", "-", "…")
    return opened and (closes or after[:2] in (" !", " ?", " ;", " …"))


def find_dash_speech(paragraph: str, dashes: Set[str], saying: Set[str]) -> list[Span]:
    """Find the spans of a paragraph that are speech behind dashes, without "he said" and the like.

    Speech begins at a dash at the head of the paragraph or behind the end of a sentence or a colon
    ("—Sí —dijo Juan—. Vamos."). From then on a dash before a small letter parts speech from who
    speaks, and back; behind any other, somebody speaks. A clause of saying may also stand between
    commas ("— Oui, dit Jean, je viens."); what follows it is speech of its own, since no mark tells
    where the narrator ends.
    """
    found: list[Span] = []
    is_open = speaks = False
    clause = _compile_saying_clause(frozenset(saying))
    marks = [mark for mark in DASH.finditer(paragraph) if mark.group() in dashes]
    ends = [*(mark.start() for mark in marks[1:]), len(paragraph)]
    for mark, end in zip(marks, ends, strict=False):
        before = paragraph[: mark.start()].rstrip()
        goes_on = paragraph[mark.end() : end].lstrip()[:1].islower()
        is_open = is_open or not before or (before[-1] in _BEFORE_SPEECH and not goes_on)
        if not is_open:
            continue
        speaks = not (speaks and goes_on)
        if speaks:
            start = mark.end()
            for said in clause.finditer(paragraph, start, end):
                found.append((start, said.start()))
                start = said.end()
            found.append((start, end))
    return found


@cache
def _compile_saying_clause(verbs: frozenset[str]) -> re.Pattern[str]:
    """Compile a pattern of clauses of saying: behind a comma or the like, with a verb first, or the
    short words that may stand before it ("lui dit-elle", "s'écria Jean"), up to the next mark."""
    listed = "|".join(map(re.escape, sorted(verbs))) or "(?!)"
    return re.compile(rf"(?<=[,!?…»])\s+(?:\w{{1,3}}[ '’]){{0,2}}(?:{listed})\b[^,.;:!?…—]*")
