"""Sentences that a query finds, by the order and distance of its words, and their BM25."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from builders.overlap.query import Query
from builders.overlap.tokens import Tokens, code

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_FEW, _BLOCK = 32, 100_000
"""Candidates up to which each is looked at alone, and those that are looked at together."""

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
    if len(candidates) <= _FEW:
        scored = list(_one_by_one(collection, query, ranking, candidates.tolist()))
    else:
        scored = []
        for start in range(0, len(candidates), _BLOCK):
            block = candidates[start : start + _BLOCK]
            numbers, scores = _together(collection, query, ranking, block)
            scored += zip(scores.tolist(), (-numbers).tolist(), strict=True)
    codes = {word: code(word) for word in query.scored}
    best = [(-number, score) for score, number in heapq.nlargest(top, scored)]
    return Found(
        len(scored),
        tuple(
            Hit(number, score, *collection.text(number), _matched(codes, collection, number))
            for number, score in best
        ),
    )


def _matched(codes: Mapping[str, int], collection: Collection, number: int) -> tuple[str, ...]:
    there = set(collection.tokens.of(number))
    return tuple(word for word, one in codes.items() if one in there)


def _weights(collection: Collection, query: Query, ranking: BM25) -> dict[str, float]:
    """The idf of each word that is scored, as often as it is."""
    weights: dict[str, float] = {}
    for word in query.scored:
        if having := collection.frequency(word):
            weight = IDF[ranking.idf](collection.sentences, having)
            weights[word] = weights.get(word, 0.0) + weight
    return weights


def _one_by_one(
    collection: Collection, query: Query, ranking: BM25, candidates: Sequence[int]
) -> Iterator[tuple[float, int]]:
    """As `_together`, sentence by sentence, which is faster where they are few.

    Yields scores, and numbers with a minus, so that the first of equals is the largest.
    """
    phrase = [code(word) for word in query.phrase]
    content = {code(word) for word in query.content}
    weights = [(code(word), w) for word, w in _weights(collection, query, ranking).items()]
    average = collection.words / collection.sentences
    for number in candidates:
        words = collection.tokens.of(number)
        if not _stands(phrase, words, query.slop):
            continue
        if query.needs_content and content.isdisjoint(words):
            continue
        norm = _norm(ranking, len(words), average)
        score = 0.0
        for one, weight in weights:
            if count := words.count(one):
                score += weight * (count * (ranking.k1 + 1)) / (count + norm)
        yield score, -number


@lru_cache(1 << 12)
def _norm(ranking: BM25, length: int, average: float) -> float:
    return float(ranking.norm(np.array([length]), average)[0])


def _stands(phrase: Sequence[int], words: Sequence[int], slop: int) -> bool:
    ends = [place for place, word in enumerate(words) if word == phrase[0]]
    for wanted in phrase[1:]:
        if not ends:
            break
        ends = [
            place
            for place in range(ends[0] + 1, min(len(words), ends[-1] + slop + 1))
            if words[place] == wanted and any(0 < place - end <= slop for end in ends)
        ]
    return bool(ends)


def _together(
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
    idf = _weights(collection, query, ranking)
    weights = np.array([[idf.get(word, 0.0)] for word in words])
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
