"""Finds copies of test items in a text: the same run of words, and near-duplicate sentences.

1. An item is contaminated by Brown et al. (2020, appendix C) where 13 of its words follow each
   other in a paragraph too, in lower case and without punctuation; an item of 8 to 12 words where
   all of them do. Shorter ones are not judged.
2. A sentence is a near-duplicate where the sets of 5-grams of characters of the two, their words
   joined by blanks, have a Jaccard similarity of at least .8. MinHash (64 hashes in 16 bands of 4)
   finds the pairs to compare: of similarity .8 one in 4,000 escapes.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.overlap.search import APART, LONGEST
from corefmill.builders.run.shards import read_shard
from corefmill.builders.run.stages import Context, Out, Progress, Stage, Unit
from corefmill.corpora import disk

CHANNEL = "copies"
GRAM, SHORTEST = 13, 8
NEAR = 0.8
SHINGLE = 5
_HASHES, _ROWS = 64, 4

Numbers = NDArray[np.uint64]

_DRAW = np.random.default_rng(0)
_TIMES: Numbers = _DRAW.integers(1, 2**63, _HASHES, dtype=np.uint64) * 2 + 1
_PLUS: Numbers = _DRAW.integers(0, 2**63, _HASHES, dtype=np.uint64)
_BASE = np.uint64(0x9E3779B97F4A7C15)
_NONE = np.uint64(2**64 - 1)

_WORD = re.compile(rf"[^\W_{APART}]+?(?=n['’]t\b)|n['’]t\b|[{APART}]|[^\W_{APART}]+")


def copy_words(text: str) -> list[str]:
    """Cut a text into words of letters and digits; "couldn't" is "could not"."""
    return [
        "not" if "'" in form or "’" in form else form[:LONGEST].lower()
        for form in _WORD.findall(text)
    ]


@dataclass(frozen=True, slots=True)
class CopyQuery:
    """What is looked for: items by the hashes of their runs, for each length, and by bands."""

    items: tuple[tuple[str, ...], ...]
    runs: Mapping[int, Mapping[int, Sequence[tuple[int, int]]]]
    bands: Mapping[int, Sequence[int]]
    shingles: tuple[frozenset[int], ...]


def copy_query(texts: Sequence[str]) -> CopyQuery:
    """Prepare the search for these items."""
    items = tuple(tuple(copy_words(text)) for text in texts)
    runs: dict[int, dict[int, list[tuple[int, int]]]] = {}
    for item, words in enumerate(items):
        size = min(len(words), GRAM)
        if size >= SHORTEST:
            by_hash = runs.setdefault(size, {})
            for start, code in enumerate(_roll(_codes(words), size).tolist()):
                by_hash.setdefault(code, []).append((item, start))
    signatures = Signatures([" ".join(words) for words in items])
    bands: defaultdict[int, list[int]] = defaultdict(list)
    for item, row in enumerate(signatures.bands.tolist()):
        for key in row:
            bands[key].append(item)
    return CopyQuery(items, runs, dict(bands), tuple(map(signatures.shingles, range(len(items)))))


@lru_cache(1 << 18)
def _hash(word: str) -> int:
    """A word as a number of 64 bits, always the same."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


def _codes(words: Sequence[str]) -> Numbers:
    return np.fromiter(map(_hash, words), dtype=np.uint64, count=len(words))


def _roll(codes: Numbers, size: int) -> Numbers:
    """A hash of every `size` codes that follow each other; none where there are fewer."""
    count = max(0, len(codes) - size + 1)
    total = np.zeros(count, dtype=np.uint64)
    for place in range(size):
        total = total * _BASE + codes[place : place + count]
    return total


class Signatures:
    """The shingles of texts, and their MinHash in bands: shape (texts, 16).

    An empty text has one shingle, of blanks.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        padding = " " * (SHINGLE - 1)
        padded = [(text or " ") + padding for text in texts]
        codes = np.frombuffer("".join(padded).encode("utf-32-le"), dtype=np.uint32)
        lengths = np.array([len(text) for text in padded], dtype=np.int64)
        self._ends = lengths.cumsum()
        self._starts = self._ends - lengths
        # Windows that begin in the padding have no character of their own.
        self._hashes = np.append(
            _roll(codes.astype(np.uint64), SHINGLE), np.zeros(SHINGLE - 1, dtype=np.uint64)
        )[: len(codes)]
        inner = np.ones(len(codes), dtype=bool)
        for place in range(1, SHINGLE):
            inner[self._ends - place] = False
        self._inner = inner

    @property
    def bands(self) -> Numbers:
        """A key for each band of each text; texts that share one may be similar."""
        keys = []
        for band in range(0, _HASHES, _ROWS):
            key = np.full(len(self._starts), np.uint64(band))
            for times, plus in zip(
                _TIMES[band : band + _ROWS], _PLUS[band : band + _ROWS], strict=True
            ):
                mixed = self._hashes * times + plus
                mixed ^= mixed >> np.uint64(31)
                mixed[~self._inner] = _NONE
                key = key * _BASE + np.minimum.reduceat(mixed, self._starts)
            keys.append(key)
        return np.stack(keys, axis=1)

    def shingles(self, text: int) -> frozenset[int]:
        """The hashes of a text's shingles."""
        place = slice(self._starts[text], self._ends[text])
        return frozenset(self._hashes[place][self._inner[place]].tolist())


class Shards:
    """The files of a run as the input of another."""

    shard_size = 0

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        self._done = 0

    @property
    def most_workers(self) -> int:
        """One a file."""
        return max(1, len(self.paths))

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """A unit a file; a run's own receipts have checked that it is whole."""
        for number, path in enumerate(self.paths):
            identity = f"{disk.shown(path.name)} {path.stat().st_size}"
            yield Unit(number, None if number in skip else path, identity)
            self._done += path.stat().st_size

    def progress(self) -> Progress:
        """Bytes of the files that were handed out."""
        return Progress(self._done, sum(path.stat().st_size for path in self.paths), "B")


def setup(query: CopyQuery) -> Sequence[Stage]:
    """The stages for one worker process."""
    return [partial(scan, query)]


def scan(query: CopyQuery, files: Iterator[Path], context: Context) -> Iterator[Out]:
    """Find for each item its best copy of each kind in each file, of equals the first."""
    for path in files:
        records = list(read_shard(path))
        sentences = [(one["title"], text) for one in records for text in one["sentences"]]
        context.count("sentences", len(sentences))
        best: dict[tuple[int, str], tuple[float, int, int]] = {}
        words = [copy_words(text) for _, text in sentences]
        paragraphs = np.cumsum([len(one["sentences"]) for one in records], dtype=np.int64)
        for item, kind, value, first, last in (
            *_find_runs(query, words, paragraphs),
            *_find_near(query, words),
        ):
            if value > best.get((item, kind), (0.0, 0, 0))[0]:
                best[item, kind] = value, first, last
        for (item, kind), (value, first, last) in best.items():
            text = " ".join(text for _, text in sentences[first : last + 1])
            about = {"item": item, "kind": kind, "value": value, "title": sentences[first][0]}
            yield Out(CHANNEL, {**about, "sentence": text})


_Copy = tuple[int, str, float, int, int]
"""Item, kind, value, and the first and the last of the sentences that hold it."""


def _find_runs(
    query: CopyQuery, words: Sequence[Sequence[str]], paragraphs: NDArray[np.int64]
) -> Iterator[_Copy]:
    """Runs that stay in one of the paragraphs, of which the last sentences are given."""
    flat = [word for sentence in words for word in sentence]
    owner = np.repeat(np.arange(len(words)), [len(sentence) for sentence in words])
    codes = _codes(flat)
    for size, by_hash in sorted(query.runs.items()):
        hashes = _roll(codes, size)
        known = np.isin(hashes, np.array(list(by_hash), dtype=np.uint64))
        for at in np.flatnonzero(known).tolist():
            first, last = owner[at], owner[at + size - 1]
            if len(set(np.searchsorted(paragraphs, [first, last], side="right").tolist())) > 1:
                continue
            for item, start in by_hash[int(hashes[at])]:
                if tuple(flat[at : at + size]) == query.items[item][start : start + size]:
                    yield item, "gram", float(size), int(first), int(last)


def _find_near(query: CopyQuery, words: Sequence[Sequence[str]]) -> Iterator[_Copy]:
    if not words:
        return
    signatures = Signatures([" ".join(one) for one in words])
    keys = signatures.bands
    known = np.array(list(query.bands), dtype=np.uint64)
    for sentence in np.flatnonzero(np.isin(keys, known).any(axis=1)).tolist():
        own = signatures.shingles(sentence)
        for item in sorted(
            {item for key in keys[sentence].tolist() for item in query.bands.get(key, ())}
        ):
            other = query.shingles[item]
            similarity = len(own & other) / len(own | other)
            if similarity >= NEAR:
                yield item, "near", similarity, sentence, sentence
