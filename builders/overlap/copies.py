"""Copies of test items in a text: the same run of words (13-grams), near-duplicate sentences, and
items that were rewritten (rewritten.py).

1. An item is contaminated by Brown et al. (2020, appendix C) where 13 of its words follow each
   other in a paragraph too, in lower case and without punctuation; an item of 8 to 12 words where
   all of them do. Shorter ones are not judged.
2. A sentence is a near-duplicate where the sets of 5-grams of characters of the two, their words
   joined by blanks, have a Jaccard similarity of at least the threshold. MinHash (64 hashes in 16
   bands of 4) finds the pairs to compare: of similarity 0.8 one in 4,000 escapes, of 0.7 one in 80.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.overlap import rewritten
from corefmill.builders.overlap.rewritten import RewrittenQuery
from corefmill.builders.overlap.words import clean, forms, hashed
from corefmill.builders.runner.shards import read_shard
from corefmill.builders.runner.stages import Context, Out, Progress, Stage, Unit
from corefmill.corpora import disk

CHANNEL = "copies"
GRAM, SHORTEST = 13, 8
SHINGLE = 5
_HASHES, _ROWS = 64, 4

Numbers = NDArray[np.uint64]

_DRAW = np.random.default_rng(0)
_TIMES: Numbers = _DRAW.integers(1, 2**63, _HASHES, dtype=np.uint64) * 2 + 1
_PLUS: Numbers = _DRAW.integers(0, 2**63, _HASHES, dtype=np.uint64)
_BASE = np.uint64(0x9E3779B97F4A7C15)
_NONE = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True)
class CopySettings:
    """How long a run of words must be, and how similar a near-duplicate."""

    gram: int = GRAM
    near: float = 0.8


@dataclass(frozen=True, slots=True)
class CopyQuery:
    """What is looked for: runs of words by their length and hash, bands, and the items' words.

    `rewrites` are the items as rewritten ones are found, None where these are not looked for.
    """

    items: tuple[tuple[str, ...], ...]
    settings: CopySettings
    rewrites: RewrittenQuery | None = None
    runs: Mapping[int, Mapping[int, tuple[tuple[int, int], ...]]] = field(init=False)
    bands: Mapping[int, tuple[int, ...]] = field(init=False)
    shingles: tuple[frozenset[int], ...] = field(init=False)

    def __post_init__(self) -> None:
        runs: dict[int, dict[int, tuple[tuple[int, int], ...]]] = {}
        for item, words in enumerate(self.items):
            size = min(len(words), self.settings.gram)
            if size < min(SHORTEST, self.settings.gram):
                continue
            by_hash = runs.setdefault(size, {})
            for start, code in enumerate(_rolled(_codes(words), size).tolist()):
                by_hash[code] = (*by_hash.get(code, ()), (item, start))
        marks = Signatures([" ".join(words) for words in self.items])
        bands: dict[int, tuple[int, ...]] = {}
        for item, row in enumerate(marks.bands.tolist()):
            for key in row:
                bands[key] = (*bands.get(key, ()), item)
        object.__setattr__(self, "runs", runs)
        object.__setattr__(self, "bands", bands)
        object.__setattr__(self, "shingles", tuple(map(marks.shingles, range(len(self.items)))))


@dataclass(frozen=True, slots=True)
class Copy:
    """An item found: how (`gram`, `near`, `rewritten`), how much of it, and in which sentences.

    These are the `first` and the `last` among all of the file.
    """

    item: int
    kind: str
    value: float
    first: int
    last: int


def wanted(
    texts: Sequence[str], settings: CopySettings, rewrites: RewrittenQuery | None = None
) -> CopyQuery:
    """What is looked for of these items."""
    return CopyQuery(tuple(tuple(forms(clean, text)) for text in texts), settings, rewrites)


def _codes(words: Sequence[str]) -> Numbers:
    return np.fromiter(map(hashed, words), dtype=np.uint64, count=len(words))


def _rolled(codes: Numbers, size: int) -> Numbers:
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
            _rolled(codes.astype(np.uint64), SHINGLE), np.zeros(SHINGLE - 1, dtype=np.uint64)
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


def setup(looked_for: CopyQuery) -> Sequence[Stage]:
    """The stages for one worker process."""
    return [partial(scan, looked_for)]


def scan(looked_for: CopyQuery, files: Iterator[Path], context: Context) -> Iterator[Out]:
    """For each item its best copy of each kind in each file, of equals the first."""
    for path in files:
        records = list(read_shard(path))
        yield from best(records, copies(looked_for, records), context)


def best(
    records: Sequence[Mapping[str, Any]], found: Iterable[Copy], context: Context
) -> Iterator[Out]:
    """Of each item's copies in a file the best of each kind, of equals the first."""
    sentences = [(one["title"], text) for one in records for text in one["sentences"]]
    context.count("sentences", len(sentences))
    kept: dict[tuple[int, str], Copy] = {}
    for copy in found:
        known = kept.get((copy.item, copy.kind))
        if known is None or copy.value > known.value:
            kept[copy.item, copy.kind] = copy
    for copy in kept.values():
        text = " ".join(sentences[one][1] for one in range(copy.first, copy.last + 1))
        title = sentences[copy.first][0]
        about = {"item": copy.item, "kind": copy.kind, "value": copy.value}
        yield Out(CHANNEL, {**about, "title": title, "sentence": text})


def copies(looked_for: CopyQuery, records: Sequence[Mapping[str, Any]]) -> Iterator[Copy]:
    """All copies in the paragraphs of a file."""
    words = [forms(clean, sentence) for one in records for sentence in one["sentences"]]
    flat = [word for own in words for word in own]
    of_sentence = np.repeat(np.arange(len(words)), [len(own) for own in words])
    ends = np.cumsum([len(own) for own in words], dtype=np.int64)
    last = np.cumsum([len(one["sentences"]) for one in records], dtype=np.int64)
    paragraphs = ends[last[last > 0] - 1] if len(words) else ends
    for item, kind, value, start, end in _of_words(looked_for, flat, paragraphs):
        yield Copy(item, kind, value, int(of_sentence[start]), int(of_sentence[end]))
    yield from _near(looked_for, words)


def _of_words(
    looked_for: CopyQuery, flat: Sequence[str], paragraphs: NDArray[np.int64]
) -> Iterator[tuple[int, str, float, int, int]]:
    """Item, kind and value of each copy by words, and its first and last word."""
    for item, size, at in _runs(looked_for, flat, paragraphs):
        yield item, "gram", float(size), at, at + size - 1
    if looked_for.rewrites is not None:
        found = rewritten.matches(looked_for.rewrites, flat, paragraphs)
        yield from ((item, "rewritten", share, at, end) for item, share, at, end in found)


def _runs(
    looked_for: CopyQuery, flat: Sequence[str], paragraphs: NDArray[np.int64]
) -> Iterator[tuple[int, int, int]]:
    """An item, how many of its words stand in a row, and at which word."""
    codes = _codes(flat)
    for size, by_hash in sorted(looked_for.runs.items()):
        hashes = _rolled(codes, size)
        known = np.isin(hashes, np.array(list(by_hash), dtype=np.uint64))
        for at in np.flatnonzero(known).tolist():
            first, last = np.searchsorted(paragraphs, [at, at + size - 1], side="right")
            if first != last:
                continue
            for item, start in by_hash[int(hashes[at])]:
                same = tuple(flat[at : at + size]) == looked_for.items[item][start : start + size]
                if same:
                    yield item, size, at


def _near(looked_for: CopyQuery, words: Sequence[Sequence[str]]) -> Iterator[Copy]:
    if not words:
        return
    marks = Signatures([" ".join(one) for one in words])
    keys = marks.bands
    known = np.array(list(looked_for.bands), dtype=np.uint64)
    for sentence in np.flatnonzero(np.isin(keys, known).any(axis=1)).tolist():
        own = marks.shingles(sentence)
        near = {item for key in keys[sentence].tolist() for item in looked_for.bands.get(key, ())}
        for item in sorted(near):
            other = looked_for.shingles[item]
            similar = len(own & other) / len(own | other)
            if similar >= looked_for.settings.near:
                yield Copy(item, "near", similar, sentence, sentence)
