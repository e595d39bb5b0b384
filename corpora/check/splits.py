"""What stands in two splits: passages, near-duplicates of them, articles, clusters.

Memory holds the smaller splits alone; the largest is streamed past them. A passage's word sequences
of four are hashed, 32 minima of them are its signature, and passages that share one of eight bands
of the signature are compared in full.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from corefmill.corpora.check.finding import Finding, shown
from corefmill.corpora.check.records import digest
from corefmill.corpora.records import Document, EventMention, MaskedExample

_WORD = re.compile(r"\w+")

WIDTH = 4
"""Words of a sequence."""

NEAR = 0.8
"""Share of common sequences, of all that either has, from which passages are near-duplicates."""

SHORTEST = 10
"""Words a passage must have to be compared by its sequences."""

MOST = 200_000
"""Passages that are kept to be compared by their sequences, at 1 to 2 kB each."""

_BANDS, _ROWS = 8, 4
_RANDOM = np.random.default_rng(20_190_704)
_A = _RANDOM.integers(1, 2**63, _BANDS * _ROWS, dtype=np.uint64) | np.uint64(1)
_B = _RANDOM.integers(0, 2**63, _BANDS * _ROWS, dtype=np.uint64)
_POWERS = _RANDOM.integers(1, 2**63, max(WIDTH, _ROWS + 1), dtype=np.uint64) | np.uint64(1)

Hashes = npt.NDArray[np.uint64]


class RecordPlace(NamedTuple):
    """Where something stands."""

    split: str
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.split}, {self.path.name}:{self.line}"


class Splits:
    """Takes records split by split, the smallest first, and finds what an earlier one has too."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[int, RecordPlace]] = {
            "E601": {},
            "W602": {},
            "W604": {},
        }
        self._told: set[tuple[str, int, str]] = set()
        self._bands: dict[int, list[int]] = defaultdict(list)
        self._kept: list[tuple[RecordPlace, Hashes]] = []
        self.full = False
        """Whether there were more passages than are kept."""

    def __len__(self) -> int:
        """The number of passages that are compared by their sequences."""
        return len(self._kept)

    def record(self, place: RecordPlace, record: Any, *, keep: bool) -> Iterator[Finding]:
        """What earlier splits have of this record; `keep` it for later ones."""
        text = text_of(record)
        words = _WORD.findall(text.casefold())
        passage = digest(*words)
        article, cluster = _article(record), _cluster(record)
        found = self._seen("E601", passage, place) if words else None
        if found:
            yield self._finding("E601", place, f"{shown(text, 50)} stands in {found} too")
        for code, name, what in (("W602", article, "article"), ("W604", cluster, "cluster")):
            other = self._seen(code, digest(name), place) if name else None
            if other:
                yield self._finding(code, place, f"{what} {shown(name)} stands in {other} too")
        known = passage in self._kinds["E601"]
        if words and not known and len(words) >= SHORTEST:
            yield from self._near(place, words, text, keep)
        if keep:
            for code, name in (("W602", article), ("W604", cluster)):
                if name:
                    self._kinds[code].setdefault(digest(name), place)
            if words:
                self._kinds["E601"].setdefault(passage, place)

    def _seen(self, code: str, key: int, place: RecordPlace) -> RecordPlace | None:
        """Where another split has it, told once for each split."""
        other = self._kinds[code].get(key)
        if other is None or other.split == place.split or (code, key, place.split) in self._told:
            return None
        self._told.add((code, key, place.split))
        return other

    def _finding(self, code: str, place: RecordPlace, message: str) -> Finding:
        return Finding(code, place.path, place.line, message)

    def _near(
        self, place: RecordPlace, words: list[str], text: str, keep: bool
    ) -> Iterator[Finding]:
        hashes = sequences(words)
        bands = _bands(hashes)
        best, where = 0.0, None
        for number in sorted({n for band in bands for n in self._bands.get(band, ())}):
            other, theirs = self._kept[number]
            if other.split != place.split and (share := common(hashes, theirs)) > best:
                best, where = share, other
        if best >= NEAR and where:
            yield self._finding(
                "W603", place, f"{shown(text, 50)} is, to {best:.0%}, that of {where}"
            )
        if not keep:
            return
        if len(self._kept) >= MOST:
            self.full = True
            return
        for band in bands:
            self._bands[band].append(len(self._kept))
        self._kept.append((place, hashes))


def text_of(record: Any) -> str:
    """The passage of a record, or a document's words."""
    if isinstance(record, MaskedExample | EventMention):
        return record.text
    assert isinstance(record, Document)
    return " ".join(token.form for sentence in record.sentences for token in sentence.tokens)


def _article(record: Any) -> str:
    if isinstance(record, Document):
        return record.doc_id
    source = record.source
    return source.title or (str(source.page_id) if source.page_id else "")


def _cluster(record: Any) -> str:
    return record.cluster if isinstance(record, EventMention) else ""


def sequences(words: list[str]) -> Hashes:
    """The hashes of all sequences of `WIDTH` words, each once, in order."""
    single = np.fromiter((crc32(word.encode("utf-8", "replace")) for word in words), np.uint64)
    hashed = np.zeros(len(words) - WIDTH + 1, np.uint64)
    for shift in range(WIDTH):
        hashed += single[shift : len(single) - WIDTH + 1 + shift] * _POWERS[shift]
    return np.unique(hashed)


def common(one: Hashes, other: Hashes) -> float:
    """The share of sequences that both have of those that either has."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)


def _bands(hashes: Hashes) -> list[int]:
    minima = ((hashes[:, None] * _A + _B) >> np.uint64(20)).min(axis=0).reshape(_BANDS, _ROWS)
    keys = (minima * _POWERS[:_ROWS]).sum(axis=1, dtype=np.uint64)
    return [int(key) ^ number for number, key in enumerate(keys)]
