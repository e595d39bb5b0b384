"""`build wikirand`: from a dump or plain text to the control corpus of another corpus."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import duckdb

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.builder import Builder, Choose
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.masked import MaskedContents
from corefmill.builders.corpus.options import Mode
from corefmill.builders.corpus.split import (
    VALIDATION,
    GroupNames,
    SentenceHashes,
    draw_articles,
    hash_article,
)
from corefmill.builders.run.database import scratch_database
from corefmill.builders.run.job import RunResult, describe_inputs
from corefmill.builders.run.shards import read_shard
from corefmill.builders.run.stages import Setup
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wikirand.options import WikirandOptions
from corefmill.builders.wikirand.quotas import Cell, Quotas, allocate
from corefmill.builders.wikirand.stages import PASSAGES, make_example, select_words, setup
from corefmill.corpora.card_parts import table
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample


class Fit:
    """Compare the sizes wanted with those taken."""

    name = "fit"

    def __init__(
        self, wanted: Mapping[Cell, int], taken: Mapping[Cell, int], validation: int
    ) -> None:
        """Compare the passages wanted by size with those taken; `validation` are for that split."""
        self.validation = validation
        self.wanted = sum(wanted.values())
        self.drawn = sum(taken.values())
        met = Counter(wanted) & Counter(taken)
        self.moved = self.drawn - met.total()
        self.divided = 0
        """Articles in both splits."""

    def watch(self, example: MaskedExample) -> None:
        """Count nothing: the draw of the examples has counted all."""

    def counts(self) -> dict[str, Any]:
        """Return the figures for the manifest."""
        return {
            "wanted": self.wanted,
            "same_size": self.drawn - self.moved,
            "nearest_size": self.moved,
            "missing": self.wanted - self.drawn,
            "articles_in_both_splits": self.divided,
        }

    def section(self) -> list[str]:
        """The card's lines."""
        rows = [(name.replace("_", " "), count) for name, count in self.counts().items()]
        return ["## Fit", "", *table(("passages, by sentences and tokens", ""), rows)]

    @property
    def warnings(self) -> list[str]:
        """Warn of passages of other sizes than wanted, and of missing ones."""
        said = []
        if self.moved:
            said.append(
                f"passages of the nearest length in place of the one wanted: {self.moved:,},"
                " since the text has too few of that"
            )
        if self.drawn < self.wanted:
            said.append(
                f"examples missing: {self.wanted - self.drawn:,} of {self.wanted:,},"
                " since the text has no passages of about their length left"
            )
        return said


_BATCH = 1000  # rows fetched at once


class WikirandContents(MaskedContents):
    """The drawn passages, each with a word of it masked."""

    def __init__(self, corpus: Corpus, result: RunResult, passages: Path, fit: Fit) -> None:
        """Read the vocabulary of the file of passages, and number its sentences and articles."""
        super().__init__(corpus, result)
        self._passages, self._fit = passages, fit
        self._vocabulary, articles, sentences = _read_vocabulary(
            passages, ascii_only=corpus.mode == "paper"
        )
        # With fewer examples than wanted, validation keeps its share of them.
        wanted = round(fit.validation * fit.drawn / fit.wanted)
        united, self._groups = sentences.unite_articles(articles), sentences.number_groups()
        self._validation = draw_validation(united, self._groups, wanted, corpus.seed)
        apart = set(zip(articles, self._validation, strict=True))
        fit.divided = len(apart) - len({article for article, _ in apart})

    @classmethod
    @contextmanager
    def select(cls, corpus: Corpus, result: RunResult, *, quotas: Quotas) -> Iterator[Self]:
        """Draw the passages of the wanted sizes; raises `DataError` where there is none."""
        paths = list(result.files(PASSAGES))
        if not paths:
            raise result.source_error or _describe_shortage()
        with (
            scratch_database(result.folder) as (base, folder),
            disk.plain_names(paths) as files,
        ):
            drawn = folder / "drawn.jsonl"
            fit = _draw_passages(base, files, quotas, drawn)
            yield cls(corpus, result, drawn, fit)

    @property
    def rejects(self) -> dict[str, Counter[str]]:
        """The rejects of the input; passages that were not drawn are not rejects."""
        return {"input": self.result.rejects}

    def tallies(self) -> Sequence[Fit]:
        """The fit of the sizes."""
        return (self._fit,)

    @property
    def warnings(self) -> Sequence[str]:
        """The differences from --like."""
        return self._fit.warnings

    def split(self, name: str) -> Iterator[MaskedExample]:
        """Make the examples of one split, in the order of the input."""
        corpus, wanted = self.corpus, int(name == VALIDATION)
        passages = zip(read_shard(self._passages), self._validation, strict=True)
        make = partial(make_example, lang=corpus.lang, mode=corpus.mode, seed=corpus.seed)
        numbered = (
            (number, make(passage, self._vocabulary))
            for number, (passage, where) in enumerate(passages)
            if where == wanted
        )
        return GroupNames(self._groups).add_names(numbered)


def _read_vocabulary(
    passages: Path, *, ascii_only: bool
) -> tuple[list[str], array[int], SentenceHashes]:
    """Read the vocabulary of all passages, sorted, and each passage's article and sentences.

    Memory holds the types alone, not the text: about a million for millions of passages.
    """
    types: set[str] = set()
    articles, sentences = array("Q"), SentenceHashes()
    for passage in read_shard(passages):
        text = passage["text"]
        spans = select_words(text, passage["tokens"], ascii_only=ascii_only)
        types.update(text[start:end] for start, end in spans)
        articles.append(hash_article(passage["source"]))
        sentences.add(text, passage["spans"])
    if len({word.casefold() for word in types}) < 2:
        raise _describe_shortage()
    return sorted(types), articles, sentences


def draw_validation(
    articles: Sequence[int], groups: Sequence[int], wanted: int, seed: int
) -> array[int]:
    """Mark `wanted` examples with 1, the others with 0: whole articles, and where these do not add
    up the first groups of one article that still fit."""
    validation = draw_articles(articles, array("b", bytes(len(articles))), wanted, seed)
    missing = wanted - sum(validation)
    divided = None
    sizes = Counter(groups)
    for index, (article, group) in enumerate(zip(articles, groups, strict=True)):
        if group < index:
            validation[index] = validation[group]
        elif not validation[index] and divided in (None, article) and sizes[group] <= missing:
            divided, validation[index] = article, 1
            missing -= sizes[group]
    return validation


def _draw_passages(
    base: duckdb.DuckDBPyConnection, files: list[str], quotas: Quotas, drawn: Path
) -> Fit:
    """Write the passages with the lowest tickets of each size, in the order of the input."""
    base.execute(
        "CREATE TABLE passages AS SELECT DISTINCT ON (ticket) ticket, unit, row, sentences, length"
        " FROM read_json(?, format = 'newline_delimited', columns = {ticket: 'BIGINT',"
        " unit: 'BIGINT', row: 'BIGINT', sentences: 'BIGINT', length: 'BIGINT'})"
        " ORDER BY ticket, unit, row",
        [files],
    )
    supply = {
        Cell(sentences, length): count
        for sentences, length, count in base.execute(
            "SELECT sentences, length, count(*) FROM passages GROUP BY ALL"
        ).fetchall()
    }
    taken = allocate(quotas.wanted, supply)
    if not taken:
        raise _describe_shortage()
    base.execute("CREATE TABLE taken (sentences BIGINT, length BIGINT, count BIGINT)")
    base.executemany(
        "INSERT INTO taken VALUES (?, ?, ?)", [[*cell, count] for cell, count in taken.items()]
    )
    base.execute(
        "CREATE TABLE chosen AS SELECT unit, row FROM (SELECT *, row_number() OVER"
        " (PARTITION BY sentences, length ORDER BY ticket) AS rank FROM passages)"
        " JOIN taken USING (sentences, length) WHERE rank <= taken.count"
    )
    rows = base.execute(
        "SELECT line FROM (SELECT json AS line, (json->>'unit')::BIGINT AS unit,"
        " (json->>'row')::BIGINT AS row FROM read_ndjson_objects(?))"
        " JOIN chosen USING (unit, row) ORDER BY unit, row",
        [files],
    )
    with drawn.open("w", encoding="utf-8") as out:
        while batch := rows.fetchmany(_BATCH):
            out.writelines(f"{line}\n" for (line,) in batch)
    return Fit(quotas.wanted, taken, quotas.validation)


def _describe_shortage() -> DataError:
    """Make the error for an input without a passage of any wanted size."""
    return DataError(
        "the input has no passage of any length that the corpus in --like has",
        remedy="name the input that the corpus in --like was made from, or more text",
    )


_LIMITS = (
    "A control, not a resource: the masked word is any word, most often a function word.",
    "The wrong candidate is drawn from the types of the vocabulary, so it is mostly rare and"
    " seldom fits the sentence.",
    "Passages of one, two and more sentences are drawn apart, so a sentence may stand in several.",
)


class Wikirand(Builder[WikirandOptions]):
    """Masked random words: input, stages, splits and card."""

    name = "wikirand"
    title = "RandomWiki, {}: masked random words"
    schema = masked.SCHEMA
    channels = (PASSAGES,)

    def complete(self, options: WikirandOptions) -> WikirandOptions:
        """Return the options with the mode of --like, and count its passages."""
        like = options.like or Path("out") / f"wikicrem-{options.lang}"
        self.counted_corpus = Quotas.count_corpus(like, options.lang)
        mode = options.mode or Mode(self.counted_corpus.mode)
        return super().complete(replace(options, mode=mode))

    def __init__(self, options: WikirandOptions, inputs: Sequence[Input] = ()) -> None:
        super().__init__(options, inputs)
        self.quotas = self.counted_corpus.for_inputs(describe_inputs(self.source.paths))

    def stages(self) -> Setup:
        """Return the maker of a worker's stages."""
        return partial(setup, self.given.reader, self.options, self.quotas)

    def choose(self) -> Choose:
        """Return the drawing of passages."""
        return partial(WikirandContents.select, quotas=self.quotas)

    @property
    def data_files(self) -> tuple[str, ...]:
        """The splits in all their forms, and the pictures of the card."""
        return masked.list_data_files(WikirandContents.forms(self.mode))

    def identity(self) -> dict[str, Any]:
        """Return the options that decide the corpus, with the counts of --like."""
        return {**super().identity(), "like": self.quotas.as_json()}

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        return {
            "Language": self.lang,
            "Mode": self.mode,
            "Method": "RandomWiki (Kocijan et al. 2019), section 6.1",
            "Sizes of": f"{self.quotas.name}, {self.quotas.total:,} examples",
            "Sentences by": self.pipeline.version,
            "Seed": str(self.options.seed),
        }

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method."""
        return _LIMITS

    def warnings(self) -> Sequence[str]:
        """Warn of tokens counted by two pipelines."""
        quotas, pipeline = self.quotas, self.pipeline.version
        if quotas.pipeline in ("", pipeline):
            return ()
        return (
            f"the tokens of {quotas.name} were counted by {quotas.pipeline}, these by {pipeline}",
        )
