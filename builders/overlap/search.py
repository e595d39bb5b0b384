"""Finds the sentences that meet a query, by the order and distance of its words, and their BM25.

The paper's scores and its cut-offs 0, 25 and 35 were made with Whoosh, and tantivy's are others:
its phrases know no order, its idf and its rounding of lengths are not Whoosh's, and its scores are
32-bit. So tantivy gives candidates only, and this module checks and scores them, with the same
hits and scores as Whoosh's (benchmarks/results/overlap.md). Nine queries of ten have at most 32
candidates; these are checked one by one, in 0.6 of the time that the way for many takes there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.overlap.query import Query
from corefmill.builders.overlap.tokens import TokenFiles, code

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint32]

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
class SentenceHit:
    """A sentence that meets a query: its place in the index, and the words of the query it has."""

    number: int
    score: float
    title: str
    text: str
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How many sentences meet a query, and the best of them, the best first."""

    number: int
    best: tuple[SentenceHit, ...]

    @property
    def score(self) -> float:
        """The best one's, or 0."""
        return self.best[0].score if self.best else 0.0


class SearchableText(Protocol):
    """Sentences in which words can be looked for."""

    @property
    def sentences(self) -> int:
        """N: how many there are."""

    @property
    def words(self) -> int:
        """How many words they have together."""

    @property
    def tokens(self) -> TokenFiles:
        """Their words by number."""

    def frequency(self, word: str) -> int:
        """n: in how many sentences a word stands."""

    def candidates(self, query: Query) -> Integers:
        """Numbers, ascending, of all sentences that may meet the query, and perhaps of others."""

    def text(self, number: int) -> tuple[str, str]:
        """The title over the sentence of this number, and the sentence."""


def search(collection: SearchableText, query: Query, ranking: BM25, top: int) -> SearchResult:
    """All sentences that meet the query, the `top` of them with their scores.

    Of two with the same score the one that was indexed first comes first.
    """
    if not query.phrase:
        return SearchResult(0, ())
    candidates = collection.candidates(query)
    if not len(candidates):
        return SearchResult(0, ())
    plan = _plan(collection, query, ranking)
    if len(candidates) <= _FEW:
        scored = list(_one_by_one(collection, plan, candidates.tolist()))
        total = len(scored)
    else:
        scored, total = [], 0
        for start in range(0, len(candidates), _BLOCK):
            met, best = _together(collection, plan, candidates[start : start + _BLOCK], top)
            total += met
            scored += best
    scored.sort(key=lambda one: (-one.score, one.number))
    return SearchResult(
        total,
        tuple(
            SentenceHit(one.number, one.score, *collection.text(one.number), one.matched)
            for one in scored[:top]
        ),
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """A query as it is looked for: its words as numbers, and the weights of those to score."""

    phrase: tuple[int, ...]
    content: frozenset[int]
    """One of which must be there, if there are any."""
    slop: int
    weights: Mapping[str, float]
    codes: tuple[int, ...]
    """Of the words of `weights`."""
    ranking: BM25
    average: float
    """Words of a sentence."""


class _Scored(NamedTuple):
    """A sentence that meets a query, before its text is read."""

    number: int
    score: float
    matched: tuple[str, ...]


def _plan(collection: SearchableText, query: Query, ranking: BM25) -> _Plan:
    weights: dict[str, float] = {}
    number, idf = collection.sentences, IDF[ranking.idf]
    for word in query.scored:
        having = collection.frequency(word)
        weight = idf(number, having) if having else 0.0
        weights[word] = weights.get(word, 0.0) + weight  # as often as the query has it
    return _Plan(
        tuple(map(code, query.phrase)),
        frozenset(map(code, query.content)) if query.needs_content else frozenset(),
        query.slop,
        weights,
        tuple(map(code, weights)),
        ranking,
        collection.words / number,
    )


def _one_by_one(
    collection: SearchableText, plan: _Plan, candidates: Sequence[int]
) -> Iterator[_Scored]:
    """As `_together`, sentence by sentence, which is faster where they are few."""
    steps: dict[int, list[int]] = {}
    for step in reversed(range(len(plan.phrase))):
        steps.setdefault(plan.phrase[step], []).append(step)
    scored = list(zip(plan.weights.items(), plan.codes, strict=True))
    for number in candidates:
        words = collection.tokens.of(number)
        there = set(words)
        if plan.content and plan.content.isdisjoint(there):
            continue
        if not _stands(steps, len(plan.phrase), words, plan.slop):
            continue
        norm = _norm(plan.ranking, len(words), plan.average)
        score = 0.0
        matched = []
        for (word, weight), one in scored:
            if one in there:
                count = words.count(one)
                score += weight * (count * (plan.ranking.k1 + 1)) / (count + norm)
                matched.append(word)
        yield _Scored(number, score, tuple(matched))


@lru_cache(1 << 12)
def _norm(ranking: BM25, length: int, average: float) -> float:
    return float(ranking.norm(np.array([length]), average)[0])


def _stands(steps: Mapping[int, Sequence[int]], size: int, words: Sequence[int], slop: int) -> bool:
    """Whether a phrase stands there; `steps` has the places of its words in it, the last first.

    For each word of the phrase the last place is kept at which the phrase may have come so far: if
    that one is too far away, so are those before.
    """
    ends = [-slop - 1] * size
    for place, word in enumerate(words):
        for step in steps.get(word, ()):
            if not step or place - ends[step - 1] <= slop:
                ends[step] = place
    return ends[-1] >= 0


def _together(
    collection: SearchableText, plan: _Plan, candidates: Integers, top: int
) -> tuple[int, list[_Scored]]:
    """How many of the candidates meet the query, and the best of them."""
    flat, lengths = collection.tokens.gathered(candidates)
    places, slots = _known(np.array(plan.codes, dtype=np.uint32), flat)
    owners = np.repeat(np.arange(len(candidates)), lengths)[places]
    # With this much between two sentences no distance within the slop leads from one to the next.
    places += owners * plan.slop
    ends = _ends([places[slots == plan.codes.index(one)] for one in plan.phrase], plan.slop)
    meets = np.zeros(len(candidates), dtype=bool)
    meets[owners[np.searchsorted(places, ends)]] = True
    if plan.content:
        has = np.zeros(len(candidates), dtype=bool)
        has[owners[np.array([one in plan.content for one in plan.codes])[slots]]] = True
        meets &= has
    inner = meets[owners]
    rows = (meets.cumsum() - 1)[owners[inner]]
    candidates, lengths = candidates[meets], lengths[meets]
    shape = (len(candidates), len(plan.codes))
    cells = np.ravel_multi_index((rows, slots[inner]), shape)
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    weights = np.array(list(plan.weights.values()))
    norm = plan.ranking.norm(lengths, plan.average)[:, None]
    scores = (weights * (counts * (plan.ranking.k1 + 1)) / (counts + norm)).sum(axis=1)
    best = np.lexsort((candidates, -scores))[:top]
    words = tuple(plan.weights)
    return len(candidates), [
        _Scored(number, score, tuple(compress(words, has)))
        for number, score, has in zip(
            candidates[best].tolist(), scores[best].tolist(), counts[best].tolist(), strict=True
        )
    ]


def _known(codes: Words, flat: Words) -> tuple[Integers, Integers]:
    """Where one of these words stands, ascending, and which of them.

    Most of the text is passed over by the lower halves of its numbers.
    """
    marked = np.zeros(1 << 16, dtype=bool)
    marked[codes.astype(np.uint16)] = True
    places = np.flatnonzero(marked[flat.astype(np.uint16)])
    found = flat[places]
    order = np.argsort(codes)
    slots = order[np.searchsorted(codes[order], found).clip(max=len(codes) - 1)]
    right = codes[slots] == found
    return places[right], slots[right]


def _ends(phrase: Sequence[Integers], slop: int) -> Integers:
    """Where the phrase comes to its end, given where each of its words stands, ascending.

    A word counts where the nearest place before it at which the phrase may have come so far is
    within the slop: if that one is too far away, so are all the others.
    """
    ends = phrase[0]
    for places in phrase[1:]:
        if not len(ends):
            break
        before = np.searchsorted(ends, places) - 1
        places, before = places[before >= 0], ends[before[before >= 0]]
        ends = places[places - before <= slop]
    return ends
