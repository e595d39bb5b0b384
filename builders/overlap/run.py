"""Runs the overlap: for each item of a test set its best sentences, their scores, its copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from corefmill.builders.nlp import Backend
from corefmill.builders.overlap import copies, index, removal, rewritten, sentences
from corefmill.builders.overlap.index import IndexCard, SentenceIndex, Shard
from corefmill.builders.overlap.query import Query, of_skeleton, published, published_text
from corefmill.builders.overlap.search import BM25, SearchResult, search
from corefmill.builders.overlap.sentences import SentenceOptions
from corefmill.builders.overlap.skeleton import Skeleton, readable, skeleton
from corefmill.builders.overlap.words import ANALYZERS, forms
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.run import run as run_job
from corefmill.builders.runner.shards import shard_path
from corefmill.builders.sources.inputs import Input
from corefmill.corpora.errors import DataError
from corefmill.corpora.ownership import discard
from corefmill.corpora.records import MaskedExample

Watch = Callable[[str, int], Callable[[int], None]]
"""Shows progress: called with a step's name and size, it returns what takes each advance."""


@dataclass(frozen=True, slots=True)
class OverlapItem:
    """A problem of a corpus."""

    corpus: str
    example: MaskedExample


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapOptions:
    """How sentences are cut and searched."""

    cut: SentenceOptions
    slop: int
    ranking: BM25
    top: int
    copies: copies.CopySettings
    workers: int
    progress: bool | None
    watch: Watch


@dataclass(frozen=True, slots=True)
class Asked:
    """An item as the index is asked for it; `reason` says why there is no query, if none is."""

    item: OverlapItem
    parts: Skeleton | None
    query: Query | None
    reason: str = ""


@dataclass(slots=True)
class OverlapRow:
    """What the texts hold of an item; `found` and `copies` are by source and by kind."""

    asked: Asked
    found: dict[str, SearchResult] = field(default_factory=dict)
    copies: dict[str, dict[str, Any]] = field(default_factory=dict)
    too_short: bool = False
    """Whether it has too few rare words for a rewritten one to be told from chance."""

    @property
    def score(self) -> float:
        """The highest BM25 of any source, 0 where no sentence meets the query."""
        return max((found.score for found in self.found.values()), default=0.0)

    def as_json(self) -> dict[str, Any]:
        """The row as a line of overlap.jsonl."""
        item, parts, query = self.asked.item, self.asked.parts, self.asked.query
        return {
            "corpus": item.corpus,
            "id": item.example.id,
            "text": item.example.text,
            "candidates": list(item.example.candidates),
            "parts": parts and _named(parts),
            "query": query and query.shown,
            "phrase": query and list(query.phrase),
            "content": query and list(query.content),
            "reason": self.asked.reason or None,
            "score": self.score,
            "sentences": {name: found.number for name, found in self.found.items()},
            "best": [
                {
                    "source": name,
                    "title": hit.title,
                    "score": hit.score,
                    "sentence": hit.text,
                    "matched": list(hit.matched),
                }
                for name, hit in self._best()
            ],
            "gram": self.copies.get("gram"),
            "near": self.copies.get("near"),
            "rewritten": self.copies.get("rewritten"),
            "too_short": self.too_short,
        }

    def _best(self) -> list[tuple[str, Any]]:
        hits = [(name, hit) for name, found in self.found.items() for hit in found.best]
        most = max((len(found.best) for found in self.found.values()), default=0)
        return sorted(hits, key=lambda one: -one[1].score)[:most]


def _named(parts: Skeleton) -> dict[str, str | None]:
    text = parts.text
    first, second = (*parts.candidates, None, None)[:2]
    return {
        "e1": first and text[slice(*first)],
        "e2": second and text[slice(*second)],
        "pred_c": parts.context.surface(text),
        "connective": parts.connective and text[slice(*parts.connective)],
        "pronoun": text[slice(*parts.pronoun)],
        "pred_q": parts.query.surface(text),
    }


def ask(items: Sequence[OverlapItem], pipeline: Backend, mode: str, slop: int) -> Iterator[Asked]:
    """The query of each item; in paper mode that of the published code."""
    text_of = published_text if mode == "paper" else (lambda example: readable(example)[0])
    analyses = pipeline.full(text_of(item.example) for item in items)
    for item, analysis in zip(items, analyses, strict=True):
        if mode == "paper":
            query = published(analysis, slop)
            if isinstance(query, str):
                yield Asked(item, None, None, query)
            else:
                yield Asked(item, None, query)
            continue
        parts = skeleton(item.example, analysis)
        if isinstance(parts, str):
            yield Asked(item, None, None, parts)
        else:
            yield Asked(item, parts, of_skeleton(parts, slop))


def look(
    asked: Sequence[Asked],
    sources: Mapping[str, Input],
    folder: Path,
    options: OverlapOptions,
    kept: Callable[[Mapping[str, str]], None] | None = None,
) -> tuple[list[OverlapRow], dict[str, dict[str, Any]], list[str]]:
    """Looks for each item in all sources: the rows, what is said of each source, and warnings.

    Each source has an index of its own below `folder`, named by its fingerprint, which later calls
    use again; a call that was killed goes on where it was. `kept` takes each document of the
    sources without the sentences that copy or rewrite an item. Raises `DataError` for a source
    without a sentence.
    """
    rows = [OverlapRow(one) for one in asked]
    about: dict[str, dict[str, Any]] = {}
    warnings = []
    for name, given in sources.items():
        job = sentences.plan(given, options.cut, folder)
        with run_job(job, workers=options.workers, progress=options.progress) as result:
            if result.source_error is not None:
                warnings.append(str(result.source_error))
            shards = _shards(result)
            made = _index(result, shards, job.out_dir, options)
            about[name] = {"sentences": made.sentences, "words": made.words, "index": job.out_dir}
            _search(rows, name, made, options)
            looked_for = _looked_for(rows, made, options)
            _copies(rows, looked_for, shards, folder, options, kept)
    return rows, about, warnings


def _shards(result: RunResult) -> list[Shard]:
    return [
        Shard(shard_path(result.folder, one.unit, sentences.CHANNEL), one.counts["sentences"])
        for one in result.receipts
        if sentences.CHANNEL in one.files
    ]


def _index(
    result: RunResult, shards: Sequence[Shard], folder: Path, options: OverlapOptions
) -> SentenceIndex:
    counts = result.counts
    about = IndexCard(options.cut.mode, counts["sentences"], counts["words"])
    if not about.sentences:
        raise result.source_error or DataError(
            "no sentence in it", remedy="name a text or dump that has some"
        )
    if index.card(folder) != about:
        advance = options.watch("index", about.sentences)
        index.build(folder, shards, about, advance)
    return SentenceIndex(folder, shards)


def _search(
    rows: Sequence[OverlapRow], name: str, made: SentenceIndex, options: OverlapOptions
) -> None:
    advance = options.watch("search", len(rows))
    for row in rows:
        if row.asked.query is not None:
            row.found[name] = search(made, row.asked.query, options.ranking, options.top)
        advance(1)


def _looked_for(
    rows: Sequence[OverlapRow], made: SentenceIndex, options: OverlapOptions
) -> copies.CopyQuery:
    """What copies are looked for; words that the index leaves out weigh nothing."""
    analyzer = ANALYZERS[options.cut.mode]

    def frequency(word: str) -> int:
        own = forms(analyzer, word)
        return made.frequency(own[0]) if own else made.sentences

    examples = [row.asked.item.example for row in rows]
    rewrites = rewritten.wanted(examples, options.cut.lang, frequency, made.sentences)
    for number, row in enumerate(rows):
        row.too_short = rewrites.too_short(number)
    return copies.wanted([one.text for one in examples], options.copies, rewrites)


def _copies(
    rows: Sequence[OverlapRow],
    looked_for: copies.CopyQuery,
    shards: Sequence[Shard],
    folder: Path,
    options: OverlapOptions,
    kept: Callable[[Mapping[str, str]], None] | None,
) -> None:
    """Finds the copies, and gives `kept` what is left without them, in one reading."""
    how = copies if kept is None else removal
    job = Job(
        name="copies",
        source=copies.Shards([shard.path for shard in shards]),
        setup=partial(how.setup, looked_for),
        out_dir=folder,
        channels=(copies.CHANNEL, removal.CHANNEL)[: 1 if kept is None else 2],
        options={
            "items": looked_for.items,
            "gram": options.copies.gram,
            "near": options.copies.near,
            "lang": options.cut.lang,
            "shards": [str(shard.path) for shard in shards],
        },
    )
    job = replace(job, out_dir=folder / f"copies-{job.fingerprint.digest}")
    with run_job(job, workers=options.workers, progress=options.progress) as result:
        for record in result.records(copies.CHANNEL):
            known = rows[record["item"]].copies.get(record["kind"])
            if known is None or record["value"] > known["value"]:
                rows[record["item"]].copies[record["kind"]] = {
                    key: record[key] for key in ("value", "title", "sentence")
                }
        if kept is not None:
            for document in removal.documents(result.records(removal.CHANNEL)):
                kept(document)
    discard(job.out_dir)
