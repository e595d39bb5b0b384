"""Draws the control corpus from the finished shards, in flat memory whatever their size."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from corefmill.builders.corpus.split import VALIDATION, article_of, draw_articles
from corefmill.builders.runner.database import scratch_database
from corefmill.builders.runner.job import RunResult
from corefmill.builders.runner.shards import read_shard
from corefmill.builders.wikirand.fit import Fit
from corefmill.builders.wikirand.quotas import Cell, Quotas, allocate
from corefmill.builders.wikirand.words import example, words
from corefmill.corpora import disk
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import MaskedExample

_BATCH = 1000  # rows fetched at once


@dataclass(frozen=True, slots=True)
class Draw:
    """The chooser of `corefmill.builders.corpus.finish`."""

    quotas: Quotas
    lang: str
    mode: str
    seed: int
    warnings: tuple[str, ...] = ()

    @contextmanager
    def __call__(self, result: RunResult) -> Iterator[Drawn]:
        """Raises `DataError` where there is no passage of a size that is wanted."""
        paths = list(result.files("passages"))
        if not paths:
            raise result.source_error or _too_little()
        with (
            scratch_database(result.folder) as (base, folder),
            disk.plain_names(paths) as files,
        ):
            drawn = folder / "drawn.jsonl"
            fit = _draw(base, files, self.quotas, drawn)
            vocabulary, articles = self._read(drawn)
            validation = draw_validation(
                articles, _part(self.quotas.validation, fit.drawn, fit.wanted), self.seed
            )
            fit.divided = _divided(articles, validation)
            yield Drawn(self, result, drawn, fit, vocabulary, validation)

    def _read(self, drawn: Path) -> tuple[list[str], array[int]]:
        """The types of the passages' words, sorted, and each passage's article.

        The types are all that is held of the text: about a million for millions of passages.
        """
        types: set[str] = set()
        articles = array("Q")
        for passage in read_shard(drawn):
            text = passage["text"]
            spans = words(text, passage["tokens"], ascii_only=self.mode == "paper")
            types.update(text[start:end] for start, end in spans)
            articles.append(article_of(passage["source"]))
        if len({word.casefold() for word in types}) < 2:
            raise _too_little()
        return sorted(types), articles


@dataclass(frozen=True, slots=True)
class Drawn:
    """The choice, as `corefmill.builders.corpus.finish` wants it."""

    draw: Draw
    result: RunResult
    passages: Path
    fit: Fit
    vocabulary: Sequence[str]
    validation: array[int]

    @property
    def rejects(self) -> dict[str, Counter[str]]:
        """What was left out of the input; all other passages were simply not drawn."""
        return {"input": self.result.rejects}

    @property
    def tallies(self) -> Sequence[Fit]:
        """How well the sizes were met."""
        return (self.fit,)

    @property
    def warnings(self) -> Sequence[str]:
        """What does not fit."""
        return (*self.draw.warnings, *self.fit.warnings)

    def rejected(self) -> Iterator[dict[str, Any]]:
        """Nothing is rejected after the run."""
        return iter(())

    def split(self, name: str) -> Iterator[MaskedExample]:
        """The examples of one split, in the order of the input."""
        chosen, how = int(name == VALIDATION), self.draw
        for passage, where in zip(read_shard(self.passages), self.validation, strict=True):
            if where == chosen:
                yield example(passage, self.vocabulary, lang=how.lang, mode=how.mode, seed=how.seed)


def draw_validation(articles: Sequence[int], wanted: int, seed: int) -> array[int]:
    """1 for `wanted` examples: whole articles, and a part of one where these do not add up."""
    validation = draw_articles(articles, array("b", bytes(len(articles))), wanted, seed)
    missing = wanted - sum(validation)
    divided = None
    for index, article in enumerate(articles):
        if not missing:
            break
        if not validation[index] and divided in (None, article):
            divided, validation[index] = article, 1
            missing -= 1
    return validation


def _draw(base: duckdb.DuckDBPyConnection, files: list[str], quotas: Quotas, drawn: Path) -> Fit:
    """Writes the drawn passages in the order of the input: of each size the lowest tickets."""
    base.execute(
        "CREATE TABLE passages AS SELECT DISTINCT ON (ticket) ticket, unit, row, sentences, length"
        " FROM read_json(?, format = 'newline_delimited', columns = {ticket: 'BIGINT',"
        " unit: 'BIGINT', row: 'BIGINT', sentences: 'BIGINT', length: 'BIGINT'})"
        " ORDER BY ticket, unit, row",
        [files],
    )
    supply = {
        Cell(sentences, length): number
        for sentences, length, number in base.execute(
            "SELECT sentences, length, count(*) FROM passages GROUP BY ALL"
        ).fetchall()
    }
    taken = allocate(quotas.wanted, supply)
    if not taken:
        raise _too_little()
    base.execute("CREATE TABLE taken (sentences BIGINT, length BIGINT, number BIGINT)")
    base.executemany(
        "INSERT INTO taken VALUES (?, ?, ?)", [[*cell, number] for cell, number in taken.items()]
    )
    base.execute(
        "CREATE TABLE chosen AS SELECT unit, row FROM (SELECT *, row_number() OVER"
        " (PARTITION BY sentences, length ORDER BY ticket) AS place FROM passages)"
        " JOIN taken USING (sentences, length) WHERE place <= number"
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
    return Fit(quotas.wanted, taken)


def _part(validation: int, drawn: int, wanted: int) -> int:
    """The same share for validation where there are fewer examples than wanted."""
    return round(validation * drawn / wanted)


def _divided(articles: Sequence[int], validation: Sequence[int]) -> int:
    """How many articles stand in both splits."""
    apart = set(zip(articles, validation, strict=True))
    return len(apart) - len({article for article, _ in apart})


def _too_little() -> DataError:
    return DataError(
        "no passage of a size that is wanted was found",
        remedy="name the input that the corpus in --like was made from, or more text",
    )
