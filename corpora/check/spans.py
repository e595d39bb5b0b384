"""Spans that overlap without one holding the other, and spans that cut words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Placed(NamedTuple):
    """A span of an entity; `owner` is whatever tells entities apart."""

    start: int
    end: int
    owner: int


def crossing(spans: Iterable[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """Each two that cross, the earlier one first."""
    opened: list[Placed] = []
    for span in sorted(set(spans), key=lambda s: (s.start, -s.end, s.owner)):
        opened = [one for one in opened if one.end > span.start]
        for one in opened:
            if one.start < span.start and one.end < span.end:
                yield one, span
        opened.append(span)


def cuts_word(text: str, start: int, end: int) -> bool:
    """Whether the span begins or ends between two letters of a script that parts its words."""
    return any(
        0 < border < len(text) and _letter(text[border - 1]) and _letter(text[border])
        for border in (start, end)
    )


def _letter(sign: str) -> bool:
    # Scripts with two cases part words by blanks; Chinese, Japanese or Thai do not.
    return sign.lower() != sign.upper()
