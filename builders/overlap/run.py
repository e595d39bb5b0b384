"""Search a text for each item of a test set: its best sentences, their scores, and copies of it.

By Brown et al. (2020, appendix C) an item is contaminated if a paragraph has 13 of its words in the
same sequence, in lower case and without punctuation; an item of 8 to 12 words, if a paragraph has
all of them. Shorter items are not checked.
"""

from __future__ import annotations

import hashlib
import re
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
    join_query_text,
    make_query,
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

Numbers = NDArray[np.uint64]

_BASE = np.uint64(0x9E3779B97F4A7C15)

_WORD = re.compile(rf"[^\W_{APART}]+?(?=n['’]t\b)|n['’]t\b|[{APART}]|[^\W_{APART}]+")


def split_copy_words(text: str) -> list[str]:
    """Cut a text into words of letters and digits; "couldn't" is "could not"."""
    return [
        "not" if "'" in form or "’" in form else form[:LONGEST].lower()
        for form in _WORD.findall(text)
    ]


@dataclass(frozen=True, slots=True)
class CopyQuery:
    """The words of the items, and a map from each run's length and hash to its items and places."""

    items: tuple[tuple[str, ...], ...]
    runs: Mapping[int, Mapping[int, Sequence[tuple[int, int]]]]


def make_copy_query(texts: Sequence[str]) -> CopyQuery:
    """Index the words of test items, to search texts for copies of the items."""
    items = tuple(tuple(split_copy_words(text)) for text in texts)
    runs: dict[int, dict[int, list[tuple[int, int]]]] = {}
    for item, words in enumerate(items):
        size = min(len(words), GRAM)
        if size >= SHORTEST:
            by_hash = runs.setdefault(size, {})
            for start, code in enumerate(_hash_runs(_codes(words), size).tolist()):
                by_hash.setdefault(code, []).append((item, start))
    return CopyQuery(items, runs)


@lru_cache(1 << 18)
def _hash(word: str) -> int:
    """Hash a word to a number of 64 bits, the same in all runs."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


def _codes(words: Sequence[str]) -> Numbers:
    return np.fromiter(map(_hash, words), dtype=np.uint64, count=len(words))


def _hash_runs(codes: Numbers, size: int) -> Numbers:
    """Hash each run of `size` consecutive codes; none for fewer codes."""
    count = max(0, len(codes) - size + 1)
    total = np.zeros(count, dtype=np.uint64)
    for place in range(size):
        total = total * _BASE + codes[place : place + count]
    return total


class Shards:
    """The files of one run as the input of another run."""

    shard_size = 0

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        self._done = 0

    @property
    def most_workers(self) -> int:
        """One worker for each file."""
        return max(1, len(self.paths))

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """Yield one unit a file; the run that wrote the files has checked them."""
        for number, path in enumerate(self.paths):
            identity = f"{disk.show_name(path.name)} {path.stat().st_size}"
            yield Unit(number, None if number in skip else path, identity)
            self._done += path.stat().st_size

    def progress(self) -> Progress:
        """Count the bytes of the files handed out."""
        return Progress(self._done, sum(path.stat().st_size for path in self.paths), "B")


def setup_copies(query: CopyQuery) -> Sequence[Stage]:
    """Make the stages of the search for copies in one worker process."""
    return [partial(find_copies, query)]


def find_copies(query: CopyQuery, files: Iterator[Path], context: Context) -> Iterator[Out]:
    """Find the longest copy of each item in each file; of equally long copies, the first."""
    for path in files:
        records = list(read_shard(path))
        sentences = [(one["title"], text) for one in records for text in one["sentences"]]
        context.count("sentences", len(sentences))
        words = [split_copy_words(text) for _, text in sentences]
        # The words of the file in order, the sentence of each word, the paragraph of each sentence.
        flat = [word for sentence in words for word in sentence]
        sentence_of = np.repeat(np.arange(len(words)), [len(sentence) for sentence in words])
        sizes = [len(one["sentences"]) for one in records]
        paragraph_of = np.repeat(np.arange(len(records)), sizes)
        codes = _codes(flat)
        best: dict[int, tuple[int, int, int]] = {}
        for size, by_hash in sorted(query.runs.items()):
            hashes = _hash_runs(codes, size)
            known = np.isin(hashes, np.array(list(by_hash), dtype=np.uint64))
            for at in np.flatnonzero(known).tolist():
                first, last = int(sentence_of[at]), int(sentence_of[at + size - 1])
                if paragraph_of[first] != paragraph_of[last]:
                    continue
                for item, start in by_hash[int(hashes[at])]:
                    # Equal hashes may be chance: the words decide.
                    is_copy = tuple(flat[at : at + size]) == query.items[item][start : start + size]
                    if is_copy and size > best.get(item, (0, 0, 0))[0]:
                        best[item] = size, first, last
        for item, (size, first, last) in best.items():
            text = " ".join(text for _, text in sentences[first : last + 1])
            about = {"item": item, "value": float(size), "title": sentences[first][0]}
            yield Out(COPIES, {**about, "sentence": text})


TOP = 5
"""Sentences that are kept for an item."""
CHANNEL = "paragraphs"

_PIECE = 20_000
"""Longest paragraph, in characters: a longer one is cut at a blank, to bound the memory."""

Splitter = Callable[[Iterable[str]], Iterator[list[str]]]


@dataclass(slots=True)
class OverlapRow:
    """A problem of a corpus with its query, or the `reason` for having none, and the findings.

    `best` are the best sentences by source, `gram` is the longest copy.
    """

    corpus: str
    example: MaskedExample
    query: Query | None
    reason: str | None = None
    best: list[tuple[str, SentenceHit]] = field(default_factory=list)
    gram: dict[str, Any] | None = None

    @property
    def score(self) -> float:
        """The highest BM25 of any source, 0 for none."""
        return max((hit.score for _, hit in self.best), default=0.0)

    def as_json(self) -> dict[str, Any]:
        """Return the row as a JSON object, a line of overlap.jsonl."""
        example, query = self.example, self.query
        return {
            "corpus": self.corpus,
            "id": example.id,
            "text": example.text,
            "candidates": list(example.candidates),
            "query": query and query.shown,
            "reason": self.reason,
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
            "gram": self.gram,
        }


def make_rows(
    corpus: str, examples: Sequence[MaskedExample], pipeline: Backend
) -> Iterator[OverlapRow]:
    """Parse the examples of a corpus and make their queries."""
    for example, analysis in zip(
        examples, pipeline.full(map(join_query_text, examples)), strict=True
    ):
        query = make_query(analysis)
        if isinstance(query, str):
            yield OverlapRow(corpus, example, None, query)
        else:
            yield OverlapRow(corpus, example, query)


def search_sources(
    rows: Sequence[OverlapRow],
    sources: Mapping[str, Input],
    folder: Path,
    *,
    lang: str,
    workers: int,
) -> tuple[dict[str, int], list[str]]:
    """Search all sources for each item; returns the number of sentences by source, and warnings.

    Each source has an index below `folder`, named by the source's fingerprint, which later calls
    reuse; after a kill the next call resumes. Raises `DataError` for a source without sentences.
    """
    sizes: dict[str, int] = {}
    warnings = []
    for name, given in sources.items():
        job = Job(
            name="overlap",
            source=given.source,
            setup=partial(_setup, given.reader, lang),
            out_dir=folder,
            channels=(CHANNEL,),
            options={"lang": lang, "splitter": version("spacy")},
        )
        job = replace(job, out_dir=folder / job.fingerprint.digest)
        with run_job(job, workers=workers) as result:
            if result.source_error is not None:
                warnings.append(str(result.source_error))
            total = result.counts["sentences"]
            if not total:
                raise result.source_error or DataError(
                    f"the source {name} has no sentence",
                    remedy="name a text or dump with sentences",
                )
            paragraphs = result.records(CHANNEL)
            build_index(job.out_dir, progress_bar(paragraphs, total=result.written[CHANNEL]))
            index = SentenceIndex(job.out_dir)
            sizes[name] = index.sentences
            for row in progress_bar(rows):
                if row.query is not None:
                    row.best += [(name, hit) for hit in index.search(row.query, TOP)]
            _find_copies(rows, list(result.files(CHANNEL)), folder, workers)
    return sizes, warnings


def _setup(read: Stage, lang: str) -> Sequence[Stage]:
    """Make the stages for one worker process."""
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
    """Make a record of each paragraph: title and sentences. Sentences without words are rejected.

    Counts `sentences`.
    """
    for article in articles:
        if isinstance(article, Redirect):
            continue
        pieces = [piece for one in article.prose for piece in _cut_pieces(one.text)]
        for sentences in split(pieces):
            kept = []
            for sentence in map(str.strip, sentences):
                if split_copy_words(sentence):
                    kept.append(sentence)
                else:
                    context.reject("no_words", sentence)
            if kept:
                context.count("sentences", len(kept))
                yield Out(CHANNEL, {"title": article.title, "sentences": kept})


def _cut_pieces(text: str) -> Iterator[str]:
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
    """Search the shards for the longest copy of each row's item, and add the copy to the row."""
    query = make_copy_query([row.example.text for row in rows])
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
            row = rows[record["item"]]
            if row.gram is None or record["value"] > row.gram["value"]:
                row.gram = {key: record[key] for key in ("value", "title", "sentence")}
    discard(job.out_dir)
