"""Builds a corpus, by default with the word-for-word translator; `python -m` dies in the middle."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from unittest import mock

from corefmill.builders.corpus.builder import Assembly
from corefmill.builders.nlp import Backend, load_pipeline
from corefmill.builders.run.job import Job
from corefmill.builders.run.run import run
from corefmill.builders.run.stages import Stage
from corefmill.builders.translate import build as builder
from corefmill.builders.translate.engines.protocol import Translator
from corefmill.builders.translate.gamma.target import TargetParser
from corefmill.builders.translate.options import TranslateRequest
from corefmill.builders.translate.source_side.analysis import SourceParser
from corefmill.builders.translate.source_side.source import DocumentSource, find_files
from corefmill.builders.translate.stages import Chain
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document
from tests.builders.translate.double import WordForWord

SHARD = 20
"""Sentences of a unit, so that the sample's validation split has three."""
OPTIONS = TranslateRequest(to_lang="it", nlp="en_mini", nlp_to="it_mini")


class Deadly:
    """Kills its own process when it is asked for the third time: in the second unit."""

    def __init__(self, kind: Callable[[], Translator]) -> None:
        self._translator = kind()
        self._asked = 0
        self.name, self.fingerprint = self._translator.name, self._translator.fingerprint
        self.source, self.target = self._translator.source, self._translator.target

    def translate(self, texts: Sequence[str]) -> Sequence[str | DataError]:
        self._asked += 1
        if self._asked == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return self._translator.translate(texts)


@cache
def loaded(name: str, lang: str) -> Backend:
    """A pipeline, loaded once for all tests of a process."""
    return load_pipeline(name, lang)


def setup(kind: Callable[[], Translator], options: TranslateRequest = OPTIONS) -> Sequence[Stage]:
    english = SourceParser(loaded("en_mini", "en"))
    return Chain(options, english, TargetParser(loaded("it_mini", "it")), kind()).stages()


def planned(
    source: Path,
    out: Path,
    kind: Callable[[], Translator] = WordForWord,
    options: TranslateRequest = OPTIONS,
) -> tuple[Job, Assembly]:
    files = find_files(source, "en")
    known = mock.patch.multiple(
        builder,
        resolve=lambda asked: WordForWord(),
        load_pipeline=lambda name, lang, *, names: loaded(name, lang),
    )
    with known:
        job, assembly = builder.Translate(replace(options, out=out), files).plan()
    documents, stages = DocumentSource(files, "en", SHARD), partial(setup, kind, options)
    return replace(job, source=documents, setup=stages, keep_rejects=True), assembly


def build(
    source: Path,
    out: Path,
    kind: Callable[[], Translator] = WordForWord,
    *,
    workers: int = 1,
    options: TranslateRequest = OPTIONS,
) -> None:
    job, assembly = planned(source, out, kind, options)
    with run(job, workers=workers, progress=False) as result:
        assembly(result)


def check_clusters(source: Document, made: Document) -> None:
    """Every Italian mention is one English mention's, and clusters are the source's, or parts of
    them, one to one."""
    whose = {
        (source.meta["source"]["sentences"][m.sentence], m.start, m.end): number
        for number, cluster in enumerate(source.clusters)
        for m in cluster
    }
    spans = {
        (m.sentence, m.start, m.end): number
        for number, cluster in enumerate(made.clusters)
        for m in cluster
    }
    assert len(spans) == sum(map(len, made.clusters))
    pairs = set()
    for place, own in enumerate(made.meta["english"]):
        number = made.meta["source"]["sentences"][place]
        for cluster, start, end, left, right in own["mentions"]:
            assert spans.pop((place, left, right)) == cluster
            pairs.add((whose.pop((number, start, end)), cluster))
    assert not spans
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]), partial(Deadly, WordForWord))
