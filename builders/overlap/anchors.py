"""Which items may stand where in a text: all that a few numpy operations can rule out is left out.

Words become small numbers, those of the items' stems. The text is looked at in blocks of words. An
item is asked for in a block where one of its anchors stands, and is ruled out there as soon as the
heaviest of its stems that are missing around the block weigh more than may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.overlap.stems import stem
from corefmill.builders.overlap.words import hashed

BLOCK = 64
"""Words whose anchors are looked at together."""
_TOGETHER = 256
"""Blocks that are looked at by the same operations."""
_HEAVIEST = 12
"""Stems of an item that can rule it out."""
_SLACK = 1e-6
"""Sums in another order differ by less."""
_KNOWN_WORDS = 1 << 18

Ints = NDArray[np.int64]


class WordNumbers(dict[str, int]):
    """The number of each word's stem, 0 for one that is in no item; kept as words are met."""

    def __init__(self, lang: str, numbers: Mapping[int, int]) -> None:
        super().__init__()
        self.lang, self.numbers = lang, numbers

    def __missing__(self, word: str) -> int:
        if len(self) >= _KNOWN_WORDS:
            self.clear()
        number = self[word] = self.numbers.get(hashed(stem(word, self.lang)), 0)
        return number

    def __reduce__(self) -> tuple[type[WordNumbers], tuple[str, Mapping[int, int]]]:
        """What another process needs of it."""
        return WordNumbers, (self.lang, self.numbers)


@dataclass(frozen=True, slots=True)
class Suspect:
    """An item that may stand in the words [start, end) of a text."""

    item: int
    start: int
    end: int


class AnchorScan:
    """Finds suspects of n items by the numbers of a text's words.

    `bags` are the items' stems with their weights; an item without anchors is never found.
    """

    def __init__(
        self,
        bags: Sequence[Mapping[int, float]],
        anchors: Sequence[frozenset[int]],
        share: float,
        reach: int,
        numbers: Mapping[int, int],
    ) -> None:
        self._reach = reach
        self._size = len(numbers) + 1
        self._heavy = np.zeros((_HEAVIEST, len(bags)), dtype=np.int64)  # 0 weighs nothing
        self._weights = np.zeros((_HEAVIEST, len(bags)))
        self._spare = np.zeros(len(bags))  # what may be missing
        postings: list[list[int]] = [[] for _ in range(self._size)]
        for item, (bag, own) in enumerate(zip(bags, anchors, strict=True)):
            heaviest = sorted(bag, key=lambda one: -bag[one])[:_HEAVIEST]
            self._heavy[: len(heaviest), item] = [numbers[one] for one in heaviest]
            self._weights[: len(heaviest), item] = [bag[one] for one in heaviest]
            self._spare[item] = (1 - share) * sum(bag.values()) + _SLACK
            for one in own:
                postings[numbers[one]].append(item)
        self._counts = np.array([len(own) for own in postings], dtype=np.int64)
        self._firsts = self._counts.cumsum() - self._counts
        self._postings = np.array([item for own in postings for item in own], dtype=np.int64)

    def suspects(self, codes: Ints, ends: Ints) -> Iterator[Suspect]:
        """Those in a text of words `codes`, whose paragraphs end at `ends`: by block, then item."""
        places = np.flatnonzero(self._counts[codes])
        if not len(places):
            return
        paragraphs = np.searchsorted(ends, places, side="right")
        borders = np.diff(paragraphs * len(codes) + places // BLOCK, prepend=-1) != 0
        firsts = np.flatnonzero(borders)
        lasts = np.append(firsts[1:], len(places)) - 1
        inside = paragraphs[firsts]
        begins = np.where(inside > 0, ends[inside - 1], 0)
        starts = np.maximum(begins, places[firsts] - self._reach)
        stops = np.minimum(ends[inside], places[lasts] + self._reach)
        blocks = borders.cumsum() - 1  # the block of each place
        for low in range(0, len(firsts), _TOGETHER):
            high = min(low + _TOGETHER, len(firsts))
            own = slice(firsts[low], lasts[high - 1] + 1)
            rows, items = self._asked(blocks[own] - low, codes[places[own]], high - low)
            there = self._there(codes, starts[low:high], stops[low:high])
            for row, item in self._left(there, rows, items):
                yield Suspect(item, int(starts[low + row]), int(stops[low + row]))

    def _asked(self, rows: Ints, anchors: Ints, count: int) -> tuple[Ints, Ints]:
        """The blocks and items of which an anchor stands there, in order."""
        counts, width = self._counts[anchors], len(self._spare)
        items = self._postings[_ranges(self._firsts[anchors], counts)]
        found = np.zeros(count * width, dtype=bool)  # in a row, of which numpy finds the true fast
        found[np.repeat(rows * width, counts) + items] = True
        rows, items = np.divmod(np.flatnonzero(found), width)
        return rows, items

    def _there(self, codes: Ints, starts: Ints, stops: Ints) -> NDArray[np.bool_]:
        """Of each block which stems stand around it: [blocks * stems]."""
        counts = stops - starts
        there = np.zeros(len(starts) * self._size, dtype=bool)
        rows = np.repeat(np.arange(len(starts)) * self._size, counts)
        there[rows + codes[_ranges(starts, counts)]] = True
        return there

    def _left(self, there: NDArray[np.bool_], rows: Ints, items: Ints) -> Iterator[tuple[int, int]]:
        """Those of whose heaviest stems not too much is missing."""
        spare = self._spare[items]
        for heavy, weights in zip(self._heavy, self._weights, strict=True):
            missing = ~there[rows * self._size + heavy[items]]
            spare = spare - missing * weights[items]
            kept = spare >= 0
            rows, items, spare = rows[kept], items[kept], spare[kept]
        yield from zip(rows.tolist(), items.tolist(), strict=True)


def _ranges(firsts: Ints, counts: Ints) -> Ints:
    """`counts` numbers from each of `firsts` on, in a row."""
    ends = counts.cumsum()
    whole = int(ends[-1]) if len(ends) else 0
    found: Ints = np.arange(whole) + np.repeat(firsts - ends + counts, counts)
    return found
