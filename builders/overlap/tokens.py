"""The words of all sentences as 32-bit codes in flat files.

Tantivy says which sentences may meet a query. Whether words stand in the right order and distance,
and how often, is looked up here: its own phrase query knows no order, and its scores are not
Whoosh's (see search.py).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from corefmill.corpora.errors import DataError

WORDS, ENDS, PLACES = "words.u32", "ends.u64", "places.u64"

_IN_PARAGRAPH = 16
"""Bits for the index of a sentence in its paragraph, which has 20,000 characters at most."""


@lru_cache(1 << 16)
def code(word: str) -> int:
    """The code of a word: its CRC-32.

    What is looked at has every word of a query already, so that a wrong answer takes another word
    of the same code in the same sentence: once in 100 million sentences that match.
    """
    return zlib.crc32(word.encode())


class TokenFiles:
    """The codes of all sentences' words, where each sentence ends, and where its text is."""

    def __init__(
        self, words: NDArray[np.uint32], ends: NDArray[np.int64], places: NDArray[np.int64]
    ) -> None:
        """`ends` has a zero before the end of the first sentence."""
        self._words = words
        self._ends = ends
        self._places = places

    @classmethod
    def open(cls, folder: Path, sentences: int, words: int) -> TokenFiles:
        """Those that a `TokenWriter` left. Raises `DataError` where they cannot be."""
        sizes = {ENDS: 8 * (sentences + 1), WORDS: 4 * words, PLACES: 8 * sentences}
        for name, size in sizes.items():
            path = folder / name
            if not path.exists() or path.stat().st_size != size:
                raise DataError(
                    f"not the {size:,} bytes that belong here",
                    path=path,
                    remedy="remove that folder and start again",
                )
        ends = _mapped(folder / ENDS, "<i8")
        if (ends[0], ends[-1]) != (0, words) or (ends[1:] < ends[:-1]).any():
            raise DataError(
                "not where sentences end",
                path=folder / ENDS,
                remedy="remove that folder and start again",
            )
        return cls(_mapped(folder / WORDS, "<u4"), ends, _mapped(folder / PLACES, "<i8"))

    def place(self, number: int) -> tuple[int, int]:
        """Where a sentence's paragraph begins, in bytes, and its number in the paragraph."""
        packed = int(self._places[number])
        return packed >> _IN_PARAGRAPH, packed & ((1 << _IN_PARAGRAPH) - 1)

    def of(self, number: int) -> list[int]:
        """The words of one sentence."""
        start, end = self._ends[number : number + 2].tolist()
        words: list[int] = self._words[start:end].tolist()
        return words

    def gathered(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The words of several sentences in a row, and how many each has."""
        begins = self._ends[numbers]
        lengths = self._ends[numbers + 1] - begins
        ends = lengths.cumsum()
        places = np.arange(ends[-1]) + np.repeat(begins - ends + lengths, lengths)
        return self._words[places], lengths


def _mapped(path: Path, kind: str) -> NDArray[Any]:
    # A plain array, since each operation on a memmap costs several times as much.
    return np.asarray(np.memmap(path, dtype=kind, mode="r"))


class TokenWriter:
    """Appends sentences behind the first `done`; what a killed run wrote behind them is cut off."""

    def __init__(self, folder: Path, done: int) -> None:
        """Raises `ValueError` where there are not `done` sentences, whole."""
        end = 0
        if done:
            try:
                ends = np.fromfile(folder / ENDS, dtype="<i8", count=1, offset=8 * done)
                end = int(ends[0])
                for name, size in ((WORDS, 4 * end), (PLACES, 8 * done)):
                    if (folder / name).stat().st_size < size:
                        raise ValueError(f"{name} is cut off")
            except (OSError, IndexError) as error:
                raise ValueError(str(error)) from None
        self._end = end
        self._words = _from(folder / WORDS, 4 * end)
        self._ends = _from(folder / ENDS, 8 * (done + 1) if done else 0)
        self._places = _from(folder / PLACES, 8 * done)
        if not done:
            self._ends.write(bytes(8))

    def add(self, words: Sequence[str], offset: int, number: int) -> None:
        """Appends a sentence, the `number`-th of the paragraph that begins at byte `offset`."""
        self._end += len(words)
        self._words.write(np.array([code(word) for word in words], dtype="<u4").tobytes())
        self._ends.write(self._end.to_bytes(8, "little"))
        self._places.write((offset << _IN_PARAGRAPH | number).to_bytes(8, "little"))

    def flush(self) -> None:
        """Puts what was added on the disk."""
        for file in (self._words, self._ends, self._places):
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """Ends writing."""
        for file in (self._words, self._ends, self._places):
            file.close()


def _from(path: Path, size: int) -> BinaryIO:
    file = path.open("r+b" if path.exists() else "w+b")
    file.truncate(size)
    file.seek(size)
    return file
