"""Runs the overlap: for each item of a test set its best sentences, their scores, its copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corefmill.builders.nlp import Backend
from corefmill.builders.nlp.lean import spacy
from corefmill.builders.overlap import copies
from corefmill.builders.overlap.search import (
    Query,
    SentenceHit,
    SentenceIndex,
    build_index,
    make_query,
    query_text,
)
from corefmill.builders.run.job import Job
from corefmill.builders.run.run import run as run_job
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.corpora.errors import DataError
from corefmill.corpora.ownership import discard
from corefmill.corpora.progress import progress_bar
from corefmill.corpora.records import MaskedExample

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
    """What the texts hold of an item: hits with the name of their source, and copies by kind."""

    item: OverlapItem
    best: list[tuple[str, SentenceHit]] = field(default_factory=list)
    copies: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """The highest BM25 of any source, 0 where no sentence meets the query."""
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
    """The job that cuts an input, in a folder below `folder` that is named by its fingerprint."""
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
    """Make what cuts texts into sentences at full stops, question and exclamation marks.

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
                if copies.copy_words(sentence):
                    kept.append(sentence)
                else:
                    context.reject("no_words", sentence)
            if kept:
                context.count("sentences", len(kept))
                yield Out(CHANNEL, {"title": article.title, "sentences": kept})


def _pieces(text: str) -> Iterator[str]:
    """The paragraph, or parts of it that are not too long."""
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
    query = copies.copy_query([row.item.example.text for row in rows])
    job = Job(
        name="copies",
        source=copies.Shards(shards),
        setup=partial(copies.setup, query),
        out_dir=folder,
        channels=(copies.CHANNEL,),
        options={"items": query.items, "shards": [str(path) for path in shards]},
    )
    job = replace(job, out_dir=folder / f"copies-{job.fingerprint.digest}")
    with run_job(job, workers=workers) as result:
        for record in result.records(copies.CHANNEL):
            own = rows[record["item"]].copies
            if record["value"] > own.get(record["kind"], {"value": 0})["value"]:
                own[record["kind"]] = {key: record[key] for key in ("value", "title", "sentence")}
    discard(job.out_dir)
