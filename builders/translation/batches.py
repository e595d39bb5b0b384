"""Texts put into batches whose shape each text decides alone, so that neighbours change nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

_STEP = 8
"""Tokens by which one width is above the next."""


class TranslationBatch(NamedTuple):
    """Texts that are translated at once: as a table of `rows` by `width` tokens, the rest padding.

    `places` are the texts by their numbers, at most `rows` of them; rows that are left over are
    copies of the first.
    """

    width: int
    rows: int
    places: list[int]


def batches(lengths: Sequence[int], budget: int) -> Iterator[TranslationBatch]:
    """Every text in one batch, by its length in tokens; a batch has at most `budget` tokens.

    A product of matrices rounds a row's sums by the size of the whole, and a mask that hides
    nothing takes another kernel than one that does. So the width follows from a text's own length,
    every text is padded by one token or more, and the number of rows follows from the width: a
    batch that is not full is filled up.
    """
    by_width = sorted(range(len(lengths)), key=lambda place: (lengths[place], place))
    for width, group in groupby(by_width, key=lambda place: width_of(lengths[place])):
        places = list(group)
        rows = max(1, budget // width)
        for first in range(0, len(places), rows):
            yield TranslationBatch(width, rows, places[first : first + rows])


def width_of(length: int) -> int:
    """The width of the batch in which a text of so many tokens goes."""
    return _STEP * (length // _STEP + 1)
