"""Which spans can be mentions, which of them are ranked, and what clusters their links make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
M = TypeVar("M")


def within_sentences(lengths: Sequence[int], most: int) -> tuple[Ints, Ints]:
    """Starts and ends [c] of all spans of at most `most` words that lie in one sentence.

    `lengths` are the sentences' numbers of words. Words count over the document, ends are
    exclusive, and spans come in order of their start, then of their end.
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    last = np.repeat(np.cumsum(sizes), sizes)  # [words] where each word's sentence ends
    ends = np.arange(len(last))[:, None] + np.arange(1, most + 1)  # [words, most]
    starts, widths = np.nonzero(ends <= last[:, None])
    return starts, starts + widths + 1


def without_crossing(starts: Ints, ends: Ints, scores: NDArray[np.floating], limit: int) -> Ints:
    """The best `limit` spans of which no two cross, as indices [m] in the order of the spans.

    Taken one by one from the best (Lee et al. 2018, 3.1); a span that begins within one that was
    taken and ends beyond it, or the other way, is passed over. Among equal scores the first wins.
    """
    words = int(ends.max(initial=0))
    furthest = [-1] * (words + 1)  # by a span's start, the furthest end
    earliest = [words + 1] * (words + 1)  # by a span's end, the earliest start
    taken: list[int] = []
    order = np.argsort(-scores, kind="stable")
    for index, start, end in zip(
        order.tolist(), starts[order].tolist(), ends[order].tolist(), strict=True
    ):
        if len(taken) == limit:
            break
        if any(furthest[t] > end or earliest[t] < start for t in range(start + 1, end)):
            continue
        furthest[start] = max(furthest[start], end)
        earliest[end] = min(earliest[end], start)
        taken.append(index)
    return np.sort(np.array(taken, dtype=np.int64))


def joined(spans: Sequence[M], links: Sequence[int], singles: Sequence[bool]) -> list[list[M]]:
    """Spans that links join, in order of each cluster's first.

    `links` has the number of each span's antecedent, an earlier one, or -1 for none. A span that
    nothing joins is a cluster of its own where `singles` says so, and else left out.
    """
    home: list[int] = []
    found: list[list[int]] = []
    for number, link in enumerate(links):
        if not -1 <= link < number:
            raise ValueError(f"span {number} has no antecedent {link} before it")
        if link < 0:
            home.append(len(found))
            found.append([number])
        else:
            home.append(home[link])
            found[home[link]].append(number)
    return [
        [spans[number] for number in group]
        for group in found
        if len(group) > 1 or singles[group[0]]
    ]
