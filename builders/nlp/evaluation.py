"""Runs a pipeline over an annotated file and scores it, for `corefmill models evaluate`.

A file whose lines have ten columns is CoNLL-U, any other a file of names.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from corefmill.builders.nlp import conllu_gold, evaluate_ner, evaluate_ud, ner_gold
from corefmill.builders.nlp.analysis import Analysis
from corefmill.builders.nlp.backend import Backend, SentencesBackend, WordsBackend
from corefmill.builders.nlp.evaluate_ner import NameScores
from corefmill.builders.nlp.evaluate_ud import Scores
from corefmill.builders.nlp.resolve import load
from corefmill.builders.nlp.ud_words import on_gold_words, system
from corefmill.corpora import disk, lines
from corefmill.corpora.errors import DataError, UsageError

Given = Literal["text", "sentences", "words"]
"""What a pipeline gets of a file: its raw text, that cut into sentences, or its words."""


@dataclass(frozen=True, slots=True)
class _Report:
    """What was run on what; `units` says in words how much text the file has."""

    version: str
    file: Path
    given: Given
    units: str
    seconds: float

    def facts(self) -> dict[str, Any]:
        return {
            "pipeline": self.version,
            "file": str(self.file),
            "given": self.given,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True)
class TreeReport(_Report):
    """The scores on a treebank."""

    scores: Scores

    def as_json(self) -> dict[str, Any]:
        """For scripts; a score is null where the pipeline has no such component."""
        scores = self.scores
        return {
            **self.facts(),
            "scores": {
                metric: None if counts is None else counts.as_json()
                for metric, counts in scores.metrics.items()
            },
            "relations": {key: counts.as_json() for key, counts in scores.relations.items()},
            "features": {key: counts.as_json() for key, counts in scores.features.items()},
        }


@dataclass(frozen=True, slots=True)
class NameReport(_Report):
    """The scores on a file of names."""

    scores: NameScores

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        by_label = {**self.scores.by_label, "all": self.scores.all}
        return {
            **self.facts(),
            "scores": {label: counts.as_json() for label, counts in by_label.items()},
            "left_out": self.scores.left_out,
        }


def run(
    name: str,
    file: Path,
    lang: str | None = None,
    *,
    given: Given = "text",
    mapped: Mapping[str, str] | None = None,
) -> TreeReport | NameReport:
    """Runs a pipeline over a file and scores it.

    Raises `DataError` for a file that is neither trees nor names, `UsageError` for a pipeline that
    does not load or cannot do what the file asks.
    """
    if _columns(file) == 10:
        # Read whole before the pipeline is loaded: what is wrong with a file is said at once.
        trees = list(
            conllu_gold.read(file, most=0) if given == "sentences" else conllu_gold.read(file)
        )
        return _trees(_loaded(name, lang, given, names=False), given, file, trees)
    sentences = list(ner_gold.read(file))
    if given == "sentences":
        raise UsageError("names are read sentence by sentence anyway", remedy="no --gold-sentences")
    return _names(_loaded(name, lang, given, names=True), given, file, sentences, mapped)


def _loaded(name: str, lang: str | None, given: Given, *, names: bool) -> Backend:
    """The pipeline; raises `UsageError` where it cannot take what is given."""
    backend = load(name, lang, names=names)
    if given == "words" and not isinstance(backend, WordsBackend):
        raise UsageError(f"pipeline {name!r} takes no words", remedy="no --gold-tokens")
    if given == "sentences" and not isinstance(backend, SentencesBackend):
        raise UsageError(f"pipeline {name!r} takes no sentences", remedy="no --gold-sentences")
    return backend


def _trees(backend: Backend, given: Given, file: Path, gold: list[conllu_gold.Gold]) -> TreeReport:
    began = time.perf_counter()
    if given == "words" and isinstance(backend, WordsBackend):
        analyses = backend.on_words(words for text in gold for words in text.words())
        found = [on_gold_words(t.side, [next(analyses) for _ in t.sentences]) for t in gold]
    elif given == "sentences" and isinstance(backend, SentencesBackend):
        found = [system(analysis) for analysis in backend.on_sentences(t.text for t in gold)]
    else:
        found = [system(analysis) for analysis in backend.full(text.text for text in gold)]
    sides = ((text.side, side) for text, side in zip(gold, found, strict=True))
    scores = evaluate_ud.evaluate(sides)
    count = sum(len(text.sentences) for text in gold)
    units = f"{len(gold):,} texts of {count:,} sentences"
    seconds = time.perf_counter() - began
    return TreeReport(backend.version, file, given, units, seconds, scores)


def _names(
    backend: Backend,
    given: Given,
    file: Path,
    gold: list[ner_gold.NamedSentence],
    mapped: Mapping[str, str] | None,
) -> NameReport:
    began = time.perf_counter()
    found: Iterator[Analysis]
    if given == "words" and isinstance(backend, WordsBackend):
        found = backend.on_words(sentence.words for sentence in gold)
    else:
        found = backend.names(sentence.text for sentence in gold)
    pairs = ((s.names, a.entities) for s, a in zip(gold, found, strict=True))
    scores = evaluate_ner.evaluate(pairs, mapped)
    units = f"{len(gold):,} sentences"
    seconds = time.perf_counter() - began
    return NameReport(backend.version, file, given, units, seconds, scores)


def _columns(file: Path) -> int:
    """Of the first line that has any."""
    disk.need(file)
    for _, row in lines.read(file, sentences=True):
        # Universal NER's first token may be "#", but not a CoNLL-U file's first line.
        if row.strip() and not row.startswith("#"):
            return len(row.split("\t") if "\t" in row else row.split())
    raise DataError("no line with an annotation is in it", path=file)
