"""Search a text for each item of a test set: its best sentences, their scores, its copies.

Copies are of two kinds:

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
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.nlp import Backend
from corefmill.builders.nlp.lean import spacy
from corefmill.builders.overlap.search import (
    APART,
    LONGEST,
    Query,
    SentenceHit,
    SentenceIndex,
    build_index,
    make_query,
    query_text,
)
from corefmill.builders.run.job import Job
from corefmill.builders.run.run import run as run_job
from corefmill.builders.run.shards import read_shard
from corefmill.builders.run.stages import Context, Out, Progress, Stage, Unit
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.ownership import discard
from corefmill.corpora.files.terminal import progress_bar
from corefmill.corpora.records import MaskedExample

COPIES = "copies"
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
    """The items to look for: hashes of their runs by length, and their bands."""

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
    """Hash every `size` codes in sequence; none for fewer."""
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
            identity = f"{disk.show_name(path.name)} {path.stat().st_size}"
            yield Unit(number, None if number in skip else path, identity)
            self._done += path.stat().st_size

    def progress(self) -> Progress:
        """The bytes of the files handed out."""
        return Progress(self._done, sum(path.stat().st_size for path in self.paths), "B")


def setup_copies(query: CopyQuery) -> Sequence[Stage]:
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
            yield Out(COPIES, {**about, "sentence": text})


_Copy = tuple[int, str, float, int, int]
"""Item, kind, value, and the first and the last of the sentences that hold it."""


def _find_runs(
    query: CopyQuery, words: Sequence[Sequence[str]], paragraphs: NDArray[np.int64]
) -> Iterator[_Copy]:
    """Find runs within one of the paragraphs, given by their last sentences."""
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


TOP = 5
"""Sentences that are kept for an item."""
CHANNEL = "paragraphs"

_PIECE = 20_000
"""Characters; a longer paragraph is cut at a blank, since no splitter has memory for any length."""

Splitter = Callable[[Iterable[str]], Iterator[list[str]]]


@dataclass(frozen=True, slots=True)
class OverlapItem:
    """A problem of a corpus, and its query, or the reason why it has none."""

    corpus: str
    example: MaskedExample
    query: Query | None
    reason: str | None = None


@dataclass(slots=True)
class OverlapRow:
    """The findings for an item: hits by source, and copies by kind."""

    item: OverlapItem
    best: list[tuple[str, SentenceHit]] = field(default_factory=list)
    copies: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """The highest BM25 of any source, 0 for none."""
        return max((hit.score for _, hit in self.best), default=0.0)

    def as_json(self) -> dict[str, Any]:
        """The row as a line of overlap.jsonl."""
        example, query = self.item.example, self.item.query
        return {
            "corpus": self.item.corpus,
            "id": example.id,
            "text": example.text,
            "candidates": list(example.candidates),
            "query": query and query.shown,
            "reason": self.item.reason,
            "score": self.score,
            "best": [
                {
                    "source": name,
                    "title": hit.title,
                    "score": hit.score,
                    "sentence": hit.text,
                    "matched": list(hit.matched),
                }
                for name, hit in sorted(self.best, key=lambda one: -one[1].score)[:TOP]
            ],
            "gram": self.copies.get("gram"),
            "near": self.copies.get("near"),
        }


def make_items(
    corpus: str, examples: Sequence[MaskedExample], pipeline: Backend
) -> Iterator[OverlapItem]:
    """Parse the examples of a corpus and make their queries."""
    for example, analysis in zip(examples, pipeline.full(map(query_text, examples)), strict=True):
        query = make_query(analysis)
        if isinstance(query, str):
            yield OverlapItem(corpus, example, None, query)
        else:
            yield OverlapItem(corpus, example, query)


def look(
    items: Sequence[OverlapItem],
    sources: Mapping[str, Input],
    folder: Path,
    *,
    lang: str,
    workers: int,
) -> tuple[list[OverlapRow], dict[str, int], list[str]]:
    """Look for each item in all sources: the rows, the sentences of each source, and warnings.

    Each source has an index of its own below `folder`, named by its fingerprint, which later calls
    use again; a call that was killed goes on where it was. Raises `DataError` for a source without
    a sentence.
    """
    rows = [OverlapRow(one) for one in items]
    sizes: dict[str, int] = {}
    warnings = []
    for name, given in sources.items():
        job = _plan_cut(given, lang, folder)
        with run_job(job, workers=workers) as result:
            if result.source_error is not None:
                warnings.append(str(result.source_error))
            total = result.counts["sentences"]
            if not total:
                raise result.source_error or DataError(
                    "no sentence in it", remedy="name a text or dump that has some"
                )
            paragraphs = result.records(CHANNEL)
            build_index(job.out_dir, progress_bar(paragraphs, total=result.written[CHANNEL]))
            index = SentenceIndex(job.out_dir)
            sizes[name] = index.sentences
            for row in progress_bar(rows):
                if row.item.query is not None:
                    row.best += [(name, hit) for hit in index.search(row.item.query, TOP)]
            _find_copies(rows, list(result.files(CHANNEL)), folder, workers)
    return rows, sizes, warnings


def _plan_cut(given: Input, lang: str, folder: Path) -> Job:
    """Plan to cut an input, in a folder named by its fingerprint."""
    job = Job(
        name="overlap",
        source=given.source,
        setup=partial(_setup, given.reader, lang),
        out_dir=folder,
        channels=(CHANNEL,),
        options={"lang": lang, "splitter": version("spacy")},
    )
    return replace(job, out_dir=folder / job.fingerprint.digest)


def _setup(read: Stage, lang: str) -> Sequence[Stage]:
    """The stages for one worker process."""
    return [read, partial(cut_sentences, make_splitter(lang))]


def make_splitter(lang: str) -> Splitter:
    """Make a splitter of texts at full stops, question and exclamation marks.

    Words are spaCy's, which knows abbreviations of the language.
    """
    try:
        nlp = spacy.blank(lang)
    except ImportError:  # a language that spaCy does not know
        nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")

    def split(texts: Iterable[str]) -> Iterator[list[str]]:
        for doc in nlp.pipe(texts):
            yield [sentence.text for sentence in doc.sents]

    return split


def cut_sentences(
    split: Splitter, articles: Iterator[Article | Redirect], context: Context
) -> Iterator[Out]:
    """Make records of articles: a paragraph's title and sentences, those without a word rejected.

    Counts `sentences`.
    """
    for article in articles:
        if isinstance(article, Redirect):
            continue
        pieces = [piece for one in article.prose for piece in _pieces(one.text)]
        for sentences in split(pieces):
            kept = []
            for sentence in map(str.strip, sentences):
                if copy_words(sentence):
                    kept.append(sentence)
                else:
                    context.reject("no_words", sentence)
            if kept:
                context.count("sentences", len(kept))
                yield Out(CHANNEL, {"title": article.title, "sentences": kept})


def _pieces(text: str) -> Iterator[str]:
    """Cut a paragraph into parts of bounded length."""
    start = 0
    while len(text) - start > _PIECE:
        blank = text.rfind(" ", start + 1, start + _PIECE)
        end = blank if blank > 0 else start + _PIECE
        yield text[start:end]
        start = end
    yield text[start:]


def _find_copies(
    rows: Sequence[OverlapRow], shards: Sequence[Path], folder: Path, workers: int
) -> None:
    """Add to each row the best copy of each kind."""
    query = copy_query([row.item.example.text for row in rows])
    job = Job(
        name="copies",
        source=Shards(shards),
        setup=partial(setup_copies, query),
        out_dir=folder,
        channels=(COPIES,),
        options={"items": query.items, "shards": [str(path) for path in shards]},
    )
    job = replace(job, out_dir=folder / f"copies-{job.fingerprint.digest}")
    with run_job(job, workers=workers) as result:
        for record in result.records(COPIES):
            own = rows[record["item"]].copies
            if record["value"] > own.get(record["kind"], {"value": 0})["value"]:
                own[record["kind"]] = {key: record[key] for key in ("value", "title", "sentence")}
    discard(job.out_dir)
