"""Which spans of words can be mentions, and which of them are kept for ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def within_sentences(lengths: Sequence[int], most: int) -> tuple[Ints, Ints]:
    """Starts and ends [c] of all spans of at most `most` words that lie in one sentence.

    `lengths` are the sentences' numbers of words. DocumentWords count over the document, ends are
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
