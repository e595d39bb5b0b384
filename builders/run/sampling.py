"""Random samples in one pass and flat memory, whatever order and number the values come in.

Each value has a key and a hash of seed and key; the sample is the values with the lowest hashes.
So the same corpus gives the same sample however its input was cut or sorted.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Generic, TypeVar

K = TypeVar("K", int, str)
V = TypeVar("V")


class Lowest(Generic[K, V]):
    """The `size` keys with the lowest hashes so far, each with the value first offered with it.

    draws = Lowest[str, Example](12)
    for example in examples:
        draws.offer(seeded(seed, "sample", example.id).random(), example.id, example)
    samples = list(draws.values())
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[K, V] = {}
        self._heap: list[tuple[float, K]] = []
        """Hashes negated: the highest is on top and leaves first."""

    def offer(self, hashed: float, key: K, value: V) -> V | None:
        """Returns the value that is held for the key, None where its hash is too high.

        A key must always come with the same hash. Of equal hashes the higher key counts as lower.
        """
        if key not in self._values:
            self._values[key] = value
            heapq.heappush(self._heap, (-hashed, key))
            if len(self._heap) > self._size:
                del self._values[heapq.heappop(self._heap)[1]]
        return self._values.get(key)

    def values(self) -> Iterator[V]:
        """The sample, the lowest hash first."""
        return (self._values[key] for _, key in sorted(self._heap, reverse=True))
