"""Puts the mentions of a language model's text into the documents that it was asked to repeat.

A model leaves out words, adds some and changes others; its text is in the form of text2text.py. Its
words are aligned to the document's by those that stand once in both, then within the gaps between
these, so that a book takes seconds: n log n steps, where an edit distance takes n squared.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise, zip_longest
from pathlib import Path
from typing import Any

from corefmill.corpora import lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import text2text
from corefmill.corpora.records import Document, Mention

_DEEPEST = 16
"""Gaps within gaps; each level takes n log n steps."""

_SMALL = 4096
"""Pairs of words in a gap that are compared each with each."""

Pair = tuple[int, int]


def align(words: Sequence[str], wanted: Sequence[str]) -> list[int | None]:
    """For each word the place in `wanted` of the one that it repeats, or stands in for; or None.

    Places rise. Of a stretch that differs, words stand in for as many others, one for one.
    """
    found: list[int | None] = [None] * len(words)
    gaps = [(0, len(words), 0, len(wanted), 0)]
    while gaps:
        a, b, c, d, depth = gaps.pop()
        while a < b and c < d and words[a] == wanted[c]:
            found[a] = c
            a, c = a + 1, c + 1
        while a < b and c < d and words[b - 1] == wanted[d - 1]:
            b, d = b - 1, d - 1
            found[b] = d
        if a == b or c == d:
            continue
        anchors = _anchors(words[a:b], wanted[c:d]) if depth < _DEEPEST else []
        if anchors:
            placed = [(a + x, c + y) for x, y in anchors]
            for x, y in placed:
                found[x] = y
            borders = pairwise([(a - 1, c - 1), *placed, (b, d)])
            gaps += [(x + 1, x2, y + 1, y2, depth + 1) for (x, y), (x2, y2) in borders]
        else:
            for x, y in _compared(words[a:b], wanted[c:d]):
                found[a + x] = c + y
    return found


def _anchors(words: Sequence[str], wanted: Sequence[str]) -> list[Pair]:
    """The longest rising row of words that stand once in both."""
    there = _once(wanted)
    pairs = [(x, there[word]) for word, x in _once(words).items() if word in there]
    ends: list[int] = []  # the last place of the best row of each length
    tops: list[int] = []  # which pair that is
    before: list[int] = []
    for number, (_, y) in enumerate(pairs):
        length = bisect_left(ends, y)
        before.append(tops[length - 1] if length else -1)
        ends[length : length + 1] = [y]
        tops[length : length + 1] = [number]
    row: list[Pair] = []
    number = tops[-1] if tops else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


def _once(words: Sequence[str]) -> dict[str, int]:
    counts = Counter(words)
    return {word: place for place, word in enumerate(words) if counts[word] == 1}


def _compared(words: Sequence[str], wanted: Sequence[str]) -> Iterator[Pair]:
    """The pairs of a gap without a word that stands once in both."""
    if len(words) * len(wanted) > _SMALL:
        if len(words) == len(wanted):
            yield from ((n, n) for n in range(len(words)))
        return
    for _, a, b, c, d in SequenceMatcher(None, words, wanted, autojunk=False).get_opcodes():
        if b - a == d - c:
            yield from zip(range(a, b), range(c, d), strict=True)


def documents(
    answers: Path, key: Iterable[tuple[int, Document]], counts: Counter[str]
) -> Iterator[Document]:
    """The key's documents with the mentions of the answers, a line each in the same order.

    `counts` takes the words that were left out, added, changed, and what became of mentions and
    brackets. Raises `DataError` where there are more or fewer lines than documents.
    """
    number = 0
    for line, pair in zip_longest(lines.read(answers), key):
        if line is None or pair is None:
            which = "fewer" if line is None else "more"
            raise DataError(
                f"{which} lines than the key has documents",
                path=answers,
                line=number + 1,
                remedy="an answer is one line; an empty line stands for none",
            )
        number = line[0]
        yield realigned(pair[1], line[1].split(), counts)


def realigned(document: Document, answer: Sequence[str], counts: Counter[str]) -> Document:
    """The document with the mentions of an answer, cut at blanks, in place of its own."""
    cells = [_cut(word, counts) for word in answer]
    text = _AlignedAnswer([word for word, _ in cells], document, counts)
    found: list[tuple[str, Mention | None]] = []
    # Of those that come to the same words the first that lost none, else the first.
    best: dict[Mention, tuple[bool, int]] = {}
    for number, (entity, start, end) in enumerate(_spans([tags for _, tags in cells], counts)):
        mention, lost = text.mention(start, end, counts)
        if mention is not None and not mention.zero:
            best[mention] = min(best.get(mention, (True, number)), (lost, number))
        found.append((entity, mention))
    clusters: dict[str, list[Mention]] = {}
    for number, (entity, mention) in enumerate(found):
        if mention is None or best.get(mention, (False, number))[1] != number:
            counts["mentions dropped"] += 1
        else:
            clusters.setdefault(entity, []).append(mention)
    return replace(
        document, clusters=tuple(map(tuple, clusters.values())), meta=meta_of_text(document)
    )


class _AlignedAnswer:
    """The words of an answer and the places of the document's that they repeat.

    A place counts the document's words from 0. `counts` takes what became of the words.
    """

    def __init__(self, words: Sequence[str], document: Document, counts: Counter[str]) -> None:
        empty = [word.startswith(text2text.ZERO) for word in words]
        said = [word for word, zero in zip(words, empty, strict=True) if not zero]
        wanted = [
            re.sub(r"\s", "_", token.form)
            for sentence in document.sentences
            for token in sentence.tokens
        ]
        self._placed = align(said, wanted)
        self._places = [place for place in self._placed if place is not None]  # they rise
        # How many words before each of the answer's are no empty nodes; of these before each, how
        # many have a place; the place at which each sentence begins, and the end.
        self._written = [0, *accumulate(not zero for zero in empty)]
        self._before = [0, *accumulate(place is not None for place in self._placed)]
        self._starts = [0, *accumulate(len(sentence.tokens) for sentence in document.sentences)]
        counts["words added"] += len(said) - len(self._places)
        counts["words left out"] += len(wanted) - len(self._places)
        counts["words changed"] += sum(
            word != wanted[place]
            for word, place in zip(said, self._placed, strict=True)
            if place is not None
        )

    def mention(self, start: int, end: int, counts: Counter[str]) -> tuple[Mention | None, bool]:
        """The mention on words of the answer, None where the document has none of them.

        It goes from the first word to the last that has a place, cut where the sentence of the
        first ends; beside it whether words at its ends were lost so. Mere empty nodes are one after
        the word before them.
        """
        first, last = self._written[start], self._written[end]
        before, after = self._before[first], self._before[last]
        if before == after:
            return (self._zero(before) if first == last else None), False
        sentence, begin = self._found(self._places[before])
        lost = None in (self._placed[first], self._placed[last - 1])
        if self._places[after - 1] >= self._starts[sentence + 1]:
            counts["mentions cut at the end of a sentence"] += 1
            after, lost = bisect_left(self._places, self._starts[sentence + 1]), True
        return Mention(sentence, begin, self._found(self._places[after - 1])[1] + 1), lost

    def _found(self, place: int) -> tuple[int, int]:
        """The sentence of a place, and the number of the word in it."""
        sentence = bisect(self._starts, place) - 1
        return sentence, place - self._starts[sentence]

    def _zero(self, before: int) -> Mention | None:
        """An empty node after the last of so many places."""
        if not before:
            return Mention(0, 0, 0, zero=True) if self._starts[-1] else None
        sentence, word = self._found(self._places[before - 1])
        return Mention(sentence, word + 1, word + 1, zero=True)


def _cut(word: str, counts: Counter[str]) -> tuple[str, list[str]]:
    """A word and its brackets.

    Those of nested mentions too that a model wrote without commas, `dog|e2]e1]`, or behind bars;
    what is no bracket among them is left out.
    """
    whole, tags = text2text.cut(word)
    form, bar, behind = whole.partition("|")
    if not (form and bar and ("[" in behind or "]" in behind)):
        return whole, tags
    counts["brackets mended"] += 1
    return form, [*text2text.TAG.findall(behind), *tags]


def _spans(cells: Sequence[list[str]], counts: Counter[str]) -> list[tuple[str, int, int]]:
    """The mentions that the brackets make; one without its other is of one word."""
    found: list[tuple[str, int, int]] = []
    unclosed: dict[str, list[int]] = {}
    for number, tags in enumerate(cells):
        for tag in sorted(tags, key=lambda tag: (tag[-1] == "]", tag[0] != "[")):
            entity = tag.strip("[]")
            if tag[0] == "[" and tag[-1] != "]":
                unclosed.setdefault(entity, []).append(number)
                continue
            start = number
            if tag[0] != "[":
                if unclosed.get(entity):
                    start = unclosed[entity].pop()
                else:
                    counts["brackets mended"] += 1
            found.append((entity, start, number + 1))
    for entity, starts in unclosed.items():
        counts["brackets mended"] += len(starts)
        found += [(entity, start, start + 1) for start in starts]
    return sorted(found, key=lambda span: (span[1], -span[2]))


def meta_of_text(document: Document) -> dict[str, Any]:
    """Return the meta without what it says of the document's own mentions and entities."""
    own = {"header", "ids", "attributes", "related"}
    kept = dict(document.meta)
    if isinstance(corefud := kept.get("corefud"), dict):
        kept["corefud"] = {k: v for k, v in corefud.items() if k not in own}
    if isinstance(conll := kept.get("conll"), dict):
        kept["conll"] = {k: v for k, v in conll.items() if k not in ("ids", "unsorted")}
    return kept
