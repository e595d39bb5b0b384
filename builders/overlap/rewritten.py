"""Test items in a text that rewrote them: names swapped, another tense, a sentence made two.

1. An item is the row of its words' stems, without the names of its candidates, its pronoun and
   auxiliaries. A stem weighs -ln of the share of sentences that a word of it stands in, so that the
   sum over stems found together is how unlikely they are to meet by chance.
2. An item's rarest stems that together weigh more than may be missing are its anchors: one at
   least stands in any text that rewrote it. Around each place of one the words of the paragraph
   are looked at, in about the item's length (anchors.py finds the places).
3. The item is there where the stems found in their order weigh `share` of all its stems, and with
   the candidates' words and the pronoun found beside them `chance` more than ln of the number of
   sentences, i.e. e^-chance such places are expected by chance. One whose words weigh less than
   that is never found, and is counted as `too_short`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.overlap.anchors import AnchorScan, WordNumbers
from corefmill.builders.overlap.stems import alike, auxiliaries, stem
from corefmill.builders.overlap.words import clean, hashed
from corefmill.corpora.records import MaskedExample

SHARE, CHANCE = 0.7, 8.0
"""Chosen on 400 problems planted into 22 novels with seeds 11 to 14 (benchmarks/rewriting.py)."""
LONGER, MORE = 1.3, 8
"""The words looked at: so many times those of the item, and so many more."""
AGAIN = 1.0
"""What a word weighs at most where it stood before in the item."""
EXTRA = 1.0
"""What each word between counts against an item, but for as many as its names and verbs had."""

_Ordered = tuple[float, int, int, int]
"""The weight of a subsequence, its first and last place, and how many words it has."""


@dataclass(frozen=True, slots=True)
class RewrittenItem:
    """An item's stems in order with their weights, its length, and those of its names.

    `names` are the words of its candidates and its pronoun, which a text need not have.
    """

    stems: tuple[int, ...]
    weights: tuple[float, ...]
    names: tuple[tuple[int, float], ...]
    size: int
    bag: dict[int, float] = field(init=False, repr=False)
    """Each stem once, with all that it weighs."""
    once: frozenset[int] = field(init=False, repr=False)
    total: float = field(init=False)

    def __post_init__(self) -> None:
        bag: dict[int, float] = {}
        for one, weight in zip(self.stems, self.weights, strict=True):
            bag[one] = bag.get(one, 0.0) + weight
        object.__setattr__(self, "bag", bag)
        object.__setattr__(self, "once", frozenset(bag))
        object.__setattr__(self, "total", sum(self.weights))

    @property
    def reach(self) -> int:
        """Words of a text that are looked at for it."""
        return int(LONGER * self.size) + MORE

    def anchors(self, share: float) -> frozenset[int]:
        """Its rarest stems, of which one at least is where `share` of the weight is."""
        missing = (1 - share) * self.total
        found: set[int] = set()
        for one in sorted(self.bag, key=lambda one: -self.bag[one]):
            if missing < 0:
                break
            found.add(one)
            missing -= self.bag[one]
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class RewrittenQuery:
    """What is looked for: the items, and what finds where they may be.

    `least` is what the words found must weigh together. `stems` are all stems of the items, by the
    numbers that `numbers` gives to words.
    """

    lang: str
    items: tuple[RewrittenItem, ...]
    share: float
    least: float
    stems: tuple[int, ...] = field(init=False, repr=False)
    numbers: WordNumbers = field(init=False, repr=False)
    scan: AnchorScan = field(init=False, repr=False)

    def __post_init__(self) -> None:
        every = (
            one for item in self.items for one in (*item.bag, *(name for name, _ in item.names))
        )
        stems = (0, *dict.fromkeys(every))
        numbers = {one: number for number, one in enumerate(stems) if number}
        anchors = [
            frozenset() if self.too_short(number) else item.anchors(self.share)
            for number, item in enumerate(self.items)
        ]
        widest = max((item.reach for item in self.items), default=0)
        bags = [item.bag for item in self.items]
        object.__setattr__(self, "stems", stems)
        object.__setattr__(self, "numbers", WordNumbers(self.lang, numbers))
        object.__setattr__(self, "scan", AnchorScan(bags, anchors, self.share, widest, numbers))

    def too_short(self, number: int) -> bool:
        """Whether an item has too few rare words to be told from chance."""
        item = self.items[number]
        return item.total + sum(weight for _, weight in item.names) < self.least


def wanted(
    examples: Sequence[MaskedExample],
    lang: str,
    frequency: Callable[[str], int],
    sentences: int,
    *,
    share: float = SHARE,
    chance: float = CHANCE,
) -> RewrittenQuery:
    """What is looked for of these items in a text of so many sentences.

    `frequency` gives in how many of them a word in lower case stands. A stem is as frequent as all
    words together that have it, since any of them is taken for it.
    """

    @cache
    def weight(word: str) -> float:
        found = sum(map(frequency, alike(word, lang)))
        return max(0.0, math.log((sentences + 1) / (found + 1)))

    items = tuple(_item(one, lang, weight) for one in examples)
    return RewrittenQuery(lang, items, share, math.log(sentences + 1) + chance)


def _item(example: MaskedExample, lang: str, weight: Callable[[str], float]) -> RewrittenItem:
    named = {word.form for name in example.candidates for word in clean(name)}
    start, end = example.target
    words = clean(example.text)
    others = [
        one.form
        for one in words
        if one.form not in named
        and one.form not in auxiliaries(lang)
        and not (one.start < end and start < one.end)
    ]
    pronoun = {one.form for one in words if one.start < end and start < one.end}
    beside = sorted(named | pronoun - auxiliaries(lang))
    stems = [stem(word, lang) for word in others]
    # A word that came before is likely to come again.
    weights = (
        min(weight(word), AGAIN) if one in stems[:at] else weight(word)
        for at, (one, word) in enumerate(zip(stems, others, strict=True))
    )
    return RewrittenItem(
        tuple(map(hashed, stems)),
        tuple(weights),
        tuple((hashed(stem(word, lang)), weight(word)) for word in beside),
        len(words),
    )


def matches(
    looked_for: RewrittenQuery, flat: Sequence[str], ends: NDArray[np.int64]
) -> Iterator[tuple[int, float, int, int]]:
    """Each item that is found: its number, the share, and its first and last word in `flat`.

    `flat` are the words of paragraphs in a row, `ends` where each paragraph ends.
    """
    codes = np.fromiter(map(looked_for.numbers.__getitem__, flat), dtype=np.int64, count=len(flat))
    stems = looked_for.stems
    done: dict[int, int] = {}  # of an item the last word of where it was found
    for one in looked_for.scan.suspects(codes, ends):
        around = [stems[code] for code in codes[one.start : one.end].tolist()]
        behind = done.get(one.item, -1) + 1 - one.start
        for worth, left, right in _each(
            looked_for, looked_for.items[one.item], around, max(0, behind)
        ):
            done[one.item] = max(done.get(one.item, -1), one.start + right)
            yield one.item, worth, one.start + left, one.start + right


def _each(
    looked_for: RewrittenQuery, item: RewrittenItem, around: Sequence[int], first: int
) -> Iterator[tuple[float, int, int]]:
    """Each place of an item from the word `first` on: the best, and those before and behind it."""
    left = [(first, len(around))]
    while left:
        low, high = left.pop()
        found = _met(looked_for, item, around[low:high])
        if found:
            worth, begin, end = found[0], low + found[1], low + found[2]
            yield worth, begin, end
            left += [(end + 1, high), (low, begin)]


def _met(
    looked_for: RewrittenQuery, item: RewrittenItem, around: Sequence[int]
) -> tuple[float, int, int] | None:
    """The share of the item's weight found in order, and where, if it is found.

    `around` is longer than the item may be, so that parts of it are tried.
    """
    needed = looked_for.share * item.total
    least = looked_for.least
    if not _has(item, set(around), needed, least):
        return None
    width = item.reach
    best: tuple[float, int, int] | None = None
    for begin in range(0, max(1, len(around) - width + 1), max(1, width // 4)):
        part = around[begin : begin + width]
        if not _has(item, set(part), needed, least):
            continue
        worth, left, right, number = _in_order(item, part)
        between = right + 1 - left - number - (item.size - len(item.stems))
        sure = worth + _worth_of(item.names, set(part)) - EXTRA * max(0, between)
        if worth >= needed and sure >= least and (best is None or worth > best[0]):
            best = worth, begin + left, begin + right
    return best and (best[0] / item.total, *best[1:])


def _has(item: RewrittenItem, there: set[int], needed: float, least: float) -> bool:
    bag = _worth_of(item.bag.items(), there)
    return bag >= needed and bag + _worth_of(item.names, there) >= least


def _worth_of(words: Iterable[tuple[int, float]], there: set[int]) -> float:
    return sum(weight for word, weight in words if word in there)


def _in_order(item: RewrittenItem, around: Sequence[int]) -> _Ordered:
    """The heaviest common subsequence of the item's stems and `around`."""
    places = [at for at, one in enumerate(around) if one in item.once]  # no other adds to it
    own = [around[at] for at in places]
    width = len(own)
    best: list[_Ordered] = [(0.0, len(around), -1, 0)] * (width + 1)  # of each prefix of `own`
    for one, weight in zip(item.stems, item.weights, strict=True):
        now = [best[0]]
        for at, other in enumerate(own):
            value = best[at + 1] if best[at + 1][0] >= now[at][0] else now[at]
            if one == other and best[at][0] + weight > value[0]:
                before, left, _, number = best[at]
                value = before + weight, min(left, places[at]), places[at], number + 1
            now.append(value)
        best = now
    return best[width]
