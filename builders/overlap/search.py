"""Sentences that a query finds, by the order and distance of its words, and their BM25."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from builders.overlap.query import Query
from builders.overlap.tokens import Tokens, code

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_BLOCK = 100_000
"""Candidates that are looked at together."""

# util/numeric.py of Whoosh 2.7.4 has 85 more, for texts longer than any sentence.
_WHOOSH_LENGTHS = np.array(
    [
        *(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 23, 25, 26, 28, 30, 32),
        *(34, 36, 38, 40, 42, 45, 47, 49, 52, 54, 57, 60, 63, 66, 69, 72, 75, 79, 82, 86, 89, 93),
        *(97, 101, 106, 110, 114, 119, 124, 129, 134, 139, 145, 150, 156, 162, 169, 175, 182, 189),
        *(196, 203, 211, 219, 227, 235, 244, 253, 262, 271, 281, 291, 302, 313, 324, 336, 348, 360),
        *(373, 386, 399, 414, 428, 443, 459, 475, 491, 508, 526, 544, 563, 583, 603, 623, 645, 667),
    ]
)


def _whoosh(number: int, having: int) -> float:
    return math.log(number / (having + 1)) + 1


def _robertson(number: int, having: int) -> float:
    return math.log((number - having + 0.5) / (having + 0.5))


def _lucene(number: int, having: int) -> float:
    return math.log1p((number - having + 0.5) / (having + 0.5))


IDF: dict[str, Callable[[int, int], float]] = {
    "whoosh": _whoosh,
    "robertson": _robertson,
    "lucene": _lucene,
}
"""By name: Whoosh's, with which the paper's scores and cut-offs were made; the one printed in
section 3.3, negative for a word of most sentences; the same kept above zero."""


@dataclass(frozen=True, slots=True)
class BM25:
    """The parameters; `rounded` lengths are those of Whoosh, which keeps a length in one byte."""

    k1: float = 1.2
    b: float = 0.75
    idf: str = "whoosh"
    rounded: bool = False

    def norm(self, lengths: Integers, average: float) -> Floats:
        """What is added to a word's count below the line, for sentences of these lengths."""
        if self.rounded:
            lengths = rounded(lengths)
        parts = lengths.astype(np.float64) / average
        return self.k1 * (1 - self.b + self.b * parts)


def rounded(lengths: Integers) -> Integers:
    """Lengths as Whoosh 2.7.4 keeps them: the next of its sizes, exact up to 10.

    Those over the last size known here are kept as they are.
    """
    places = np.searchsorted(_WHOOSH_LENGTHS, lengths)
    known = places < len(_WHOOSH_LENGTHS)
    return np.where(known, _WHOOSH_LENGTHS[np.where(known, places, 0)], lengths)


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence that meets a query: its place in the index, and the words of the query it has."""

    number: int
    score: float
    title: str
    text: str
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """How many sentences meet a query, and the best of them, the best first."""

    number: int
    best: tuple[Hit, ...]

    @property
    def score(self) -> float:
        """The best one's, or 0."""
        return self.best[0].score if self.best else 0.0


class Collection(Protocol):
    """Sentences in which words can be looked for."""

    @property
    def sentences(self) -> int:
        """N: how many there are."""

    @property
    def words(self) -> int:
        """How many words they have together."""

    @property
    def tokens(self) -> Tokens:
        """Their words by number."""

    def frequency(self, word: str) -> int:
        """n: in how many sentences a word stands."""

    def candidates(self, query: Query) -> Integers:
        """Numbers, ascending, of all sentences that may meet the query, and perhaps of others."""

    def text(self, number: int) -> tuple[str, str]:
        """The title over the sentence of this number, and the sentence."""


def search(collection: Collection, query: Query, ranking: BM25, top: int) -> Found:
    """All sentences that meet the query, the `top` of them with their scores.

    Of two with the same score the one that was indexed first comes first.
    """
    if not query.phrase:
        return Found(0, ())
    candidates = collection.candidates(query)
    if not len(candidates):
        return Found(0, ())
    blocks = [
        _matching(collection, query, ranking, candidates[start : start + _BLOCK])
        for start in range(0, len(candidates), _BLOCK)
    ]
    numbers, scores = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    order = np.lexsort((numbers, -scores))[:top]
    best = zip(numbers[order].tolist(), scores[order].tolist(), strict=True)
    return Found(
        len(numbers),
        tuple(
            Hit(number, score, *collection.text(number), _matched(collection, query, number))
            for number, score in best
        ),
    )


def _matched(collection: Collection, query: Query, number: int) -> tuple[str, ...]:
    there = set(collection.tokens.of(number).tolist())
    return tuple(dict.fromkeys(word for word in query.scored if code(word) in there))


def _matching(
    collection: Collection, query: Query, ranking: BM25, candidates: Integers
) -> tuple[Integers, Floats]:
    """The candidates that meet the query, with their scores."""
    flat, lengths = collection.tokens.gathered(candidates)
    starts = lengths.cumsum() - lengths
    words = list(dict.fromkeys((*query.phrase, *query.scored)))
    rows = {word: row for row, word in enumerate(words)}
    codes = np.array([code(word) for word in words], dtype=np.uint32)
    is_word = flat == codes[:, None]  # [words, tokens]
    ends = _ends(query, [is_word[rows[word]] for word in query.phrase], starts)
    meets = np.unique(np.searchsorted(starts, ends, side="right") - 1)
    if not len(meets):
        return candidates[:0], np.zeros(0)
    counts = np.add.reduceat(is_word, starts, axis=1, dtype=np.int64)[:, meets]
    if query.needs_content:
        has = counts[[rows[word] for word in query.content]].any(axis=0)
        meets, counts = meets[has], counts[:, has]
    weights = np.zeros((len(words), 1))
    for word in query.scored:
        if having := collection.frequency(word):
            weights[rows[word]] += IDF[ranking.idf](collection.sentences, having)
    norm = ranking.norm(lengths[meets], collection.words / collection.sentences)
    scores = (weights * (counts * (ranking.k1 + 1)) / (counts + norm)).sum(axis=0)
    return candidates[meets], scores


def _ends(query: Query, is_word: Sequence[NDArray[np.bool_]], starts: Integers) -> Integers:
    """The tokens at which the phrase comes to its end; `is_word` tells those of each of its words.

    A word counts where the nearest token before it at which the phrase may have come so far is in
    the same sentence and within the slop: if that one is too far away, so are all the others.
    """
    ends = np.flatnonzero(is_word[0])
    for own in is_word[1:]:
        if not len(ends):
            break
        places = np.flatnonzero(own)
        before = np.searchsorted(ends, places) - 1
        places, before = places[before >= 0], ends[before[before >= 0]]
        begins = starts[np.searchsorted(starts, places, side="right") - 1]
        ends = places[(places - before <= query.slop) & (before >= begins)]
    return ends
