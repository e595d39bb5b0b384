"""Sentences in memory and indexes of them, for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.overlap import index
from corefmill.builders.overlap.index import IndexCard, SentenceIndex, Shard
from corefmill.builders.overlap.query import Query
from corefmill.builders.overlap.tokens import TokenFiles, code
from corefmill.builders.overlap.words import ANALYZERS, forms


@dataclass(frozen=True)
class InMemory:
    """A collection in which every sentence may meet a query."""

    every: Sequence[str]
    mode: str = "clean"

    def _words(self) -> list[list[str]]:
        return [forms(ANALYZERS[self.mode], text) for text in self.every]

    @property
    def sentences(self) -> int:
        return len(self.every)

    @property
    def words(self) -> int:
        return sum(map(len, self._words()))

    @property
    def tokens(self) -> TokenFiles:
        words = self._words()
        ends = np.array([0, *accumulate(map(len, words))])
        codes = [code(word) for one in words for word in one]
        return TokenFiles(np.array(codes, dtype=np.uint32), ends, np.arange(len(words)))

    def frequency(self, word: str) -> int:
        return sum(word in words for words in self._words())

    def candidates(self, query: Query) -> NDArray[np.int64]:
        return np.arange(len(self.every))

    def text(self, number: int) -> tuple[str, str]:
        return "book", self.every[number]


def shards(folder: Path, *files: Sequence[Sequence[str]]) -> list[Shard]:
    """Files of paragraphs of sentences."""
    made = []
    for number, paragraphs in enumerate(files):
        path = folder / f"{number:05d}.paragraphs.jsonl"
        records = [
            {"title": "book", "article": "text-1", "sentences": list(one)} for one in paragraphs
        ]
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        made.append(Shard(path, sum(map(len, paragraphs))))
    return made


def indexed(folder: Path, texts: Sequence[str], mode: str = "clean") -> SentenceIndex:
    """An index of the sentences."""
    memory = InMemory(texts, mode)
    about = IndexCard(mode, len(texts), memory.words)
    made = shards(folder, [texts[:3]], [texts[3:]])
    index.build(folder, made, about, lambda number: None)
    return SentenceIndex(folder, made)
