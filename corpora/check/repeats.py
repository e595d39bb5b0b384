"""Finds what occurs again in a file, at 24 bytes of memory an item."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b

import numpy as np


def digest(*parts: object) -> int:
    """64 bits of what the parts say."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


class Repeats:
    """Keys with a value and a line each; `found` names every key that came before.

    Keys and values are 64-bit digests. Two million items take 48 MB, and as much again to sort.
    """

    def __init__(self) -> None:
        self._keys, self._values, self._lines = array("Q"), array("Q"), array("q")

    def add(self, key: int, line: int, value: int = 0) -> None:
        """One item more."""
        self._keys.append(key)
        self._values.append(value)
        self._lines.append(line)

    def found(self) -> Iterator[tuple[int, int, bool]]:
        """(line, line of the key's first item, whether both have the same value), by line."""
        keys = np.frombuffer(self._keys, dtype=np.uint64)
        order = np.argsort(keys, kind="stable")
        again = np.flatnonzero(keys[order][1:] == keys[order][:-1]) + 1
        first = {int(keys[order[i]]): int(order[i - 1]) for i in again[::-1]}
        for i in sorted(int(order[i]) for i in again):
            origin = first[self._keys[i]]
            yield self._lines[i], self._lines[origin], self._values[i] == self._values[origin]
