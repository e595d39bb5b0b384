"""Finds what follows `[[` in a dump's bytes, all of a unit at once, in numpy.

A name is read through a window of its first bytes, one row of a matrix a name: a table tells each
byte's kind, the first that ends a name gives the length, and what stands before it is summed up.
The few that are longer than the window are read again through a wider one. Names with bytes that
may be written otherwise are only marked. Some thousand go together, so that no matrix leaves the
processor's cache.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Integers = np.ndarray[Any, np.dtype[np.int64]]
Sums = np.ndarray[Any, np.dtype[np.uint64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

LONGEST = 256
"""Bytes of a name that are looked at, and one more than any title has."""

_WINDOWS = (32, 64, LONGEST)
_BLOCK = 1 << 18  # bytes searched at a time
_NAMES = 2048  # looked at together
_END, _ODD, _SPACE, _BLANK = 1, 2, 8, 4  # _BLANK goes with _SPACE and _END

# One odd number for each eight bytes of a name; such sums are as good as random ones.
_KEYS = tuple(
    int.from_bytes(hashlib.blake2b(b"%d" % word, digest_size=8).digest(), "little") | 1
    for word in range(LONGEST // 8)
)
_ALL = (1 << 64) - 1


def kinds(*, ends: bytes, odd: bytes, spaces: bool) -> bytes:
    """A table for `names_at`: which bytes end a name, and which ask for a closer look.

    With `spaces` one that begins or ends a name, or stands beside another, does so too.
    """
    table = bytearray(256)
    for byte in odd:
        table[byte] = _ODD
    for byte in ends:
        table[byte] = _END | _BLANK
    if spaces:
        table[ord(" ")] = _SPACE | _BLANK
    return bytes(table)


@dataclass(frozen=True, slots=True)
class Names:
    """What begins at each of some places: `lengths` in bytes, `sums` (see `total`), and `odd`,
    whether that needs a closer look. Of what is longer than `LONGEST` the length is 0."""

    lengths: Integers
    sums: Sums
    odd: Flags


def total(name: bytes) -> int:
    """The sum of a name's eight-byte words, each times its key, modulo 2**64."""
    words = struct.unpack(f"<{-(-len(name) // 8)}Q", name.ljust(-(-len(name) // 8) * 8, b"\0"))
    products = (word * key for word, key in zip(words, _KEYS, strict=False))
    return int(sum(products)) & _ALL


def squares(array: Bytes) -> Integers:
    """Where `[[` stands, those that overlap too."""
    found = [np.empty(0, np.int64)]
    for begin in range(0, len(array) - 1, _BLOCK):
        is_open = array[begin : begin + _BLOCK + 1] == ord("[")
        found.append(np.flatnonzero(is_open[:-1] & is_open[1:]) + begin)
    return np.concatenate(found)


def names_at(array: Bytes, places: Integers, table: bytes) -> Names:
    """The names that begin at `places`, by a table of `kinds`; odd where `array` ends too soon."""
    lengths = np.zeros(len(places), np.int64)
    sums = np.zeros(len(places), np.uint64)
    odd = np.zeros(len(places), np.bool_)
    left: Integers = np.arange(len(places))
    for window in _WINDOWS:
        whole = max(len(array) - window + 1, 0)
        # One item for each place, which overlaps the next.
        windows = np.ndarray((whole,), f"V{window}", array, strides=(1,))
        near = places[left] < whole
        odd[left[~near]] = True
        left = left[near]
        too_long = [np.empty(0, np.int64)]
        for begin in range(0, len(left), _NAMES):
            some = left[begin : begin + _NAMES]
            seen = windows[places[some]].view(np.uint8).reshape(-1, window)
            lengths[some], sums[some], odd[some], is_long = _looked_at(seen, table)
            too_long.append(some[is_long])
        left = np.concatenate(too_long)
    odd[left] = True
    return Names(lengths, sums, odd)


def _looked_at(seen: Bytes, table: bytes) -> tuple[Integers, Sums, Flags, Flags]:
    """Lengths, sums, oddness of names and whether they are longer; `seen` is (names, window)."""
    kind = np.frombuffer(seen.tobytes().translate(table), np.uint8)
    by_name = kind.reshape(seen.shape)
    ends = (by_name & _END).view(np.bool_)
    lengths = ends.argmax(axis=1)
    is_long = (lengths == 0) & ~ends[:, 0]
    columns = np.arange(seen.shape[1], dtype=np.uint8)
    inside = (lengths.astype(np.uint8)[:, None] > columns).view(np.uint8)
    # A space before another or before the end has its bit moved onto that of what comes after.
    faults = kind & _ODD
    faults[:-1] |= (kind[:-1] >> 1) & kind[1:] & _BLANK
    at_fault = _all_words((faults.reshape(seen.shape) * inside).view(np.uint64))
    starts_blank = (by_name[:, 0] & _SPACE) != 0
    return lengths, _sums((seen * inside).view(np.uint64)), at_fault | starts_blank, is_long


def _all_words(words: Sums) -> Flags:
    """Whether any word of a row is not zero."""
    found = words[:, 0].copy()
    for column in range(1, words.shape[1]):
        found |= words[:, column]
    is_any: Flags = found != 0
    return is_any


def _sums(words: Sums) -> Sums:
    sums = words[:, 0] * np.uint64(_KEYS[0])
    for column in range(1, words.shape[1]):
        sums += words[:, column] * np.uint64(_KEYS[column])
    return sums
