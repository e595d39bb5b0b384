"""Finds spans that overlap without one holding the other, and spans that cut words."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import NamedTuple

MOST = 100
"""A thousand spans that all cross make half a million pairs."""


class EntitySpan(NamedTuple):
    """A span of an entity; `owner` is the entity's index."""

    start: int
    end: int
    owner: int


def crossing(spans: Iterable[EntitySpan]) -> Iterator[tuple[EntitySpan, EntitySpan]]:
    """Each two that cross, the earlier one first; of any span with `MOST` earlier ones at most."""
    opened: list[tuple[int, int, EntitySpan]] = []  # by their ends, then by their order
    for number, span in enumerate(sorted(set(spans), key=lambda s: (s.start, -s.end, s.owner))):
        del opened[: bisect_left(opened, (span.start + 1,))]
        # What ends within the span began before it: of those that begin with it, the longer ones
        # came first.
        crossed = opened[: min(MOST, bisect_left(opened, (span.end,)))]
        for *_, one in sorted(crossed, key=itemgetter(1)):
            yield one, span
        insort(opened, (span.end, number, span))


def cuts_word(text: str, start: int, end: int) -> bool:
    """Whether the span begins or ends between two letters of a script with blanks between words."""
    return any(
        0 < border < len(text) and _letter(text[border - 1]) and _letter(text[border])
        for border in (start, end)
    )


def _letter(char: str) -> bool:
    # Scripts with two cases put blanks between words; Chinese, Japanese or Thai do not.
    return char.lower() != char.upper()
