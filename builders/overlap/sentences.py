"""Cuts a dump or plain text into paragraphs of sentences, in shards, for the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

from corefmill.builders.nlp import load
from corefmill.builders.nlp.lean import spacy
from corefmill.builders.overlap.words import ANALYZERS
from corefmill.builders.runner.job import Job
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.article import Article, Redirect

CHANNEL = "paragraphs"
RULES = "rules"
"""The name of the splitter that goes by punctuation alone."""

_PIECE = 20_000
"""Characters; a longer paragraph is cut at a blank, since no splitter has memory for any length."""


Splitter = Callable[[Iterable[str]], Iterator[list[str]]]


@dataclass(frozen=True, slots=True)
class SentenceOptions:
    """What decides the sentences: language, splitter (a pipeline, or rules) and mode of words."""

    lang: str
    splitter: str
    mode: str


def splitter(name: str, lang: str) -> tuple[Splitter, str]:
    """What cuts texts into sentences, and the splitter's name and version for the fingerprint.

    `rules` cuts at full stops, question and exclamation marks, by spaCy's tokens, which know
    abbreviations of the language; any other name is a pipeline. Raises `UsageError` where there is
    none of that name.
    """
    if name == RULES:
        try:
            nlp = spacy.blank(lang)
        except ImportError:  # a language that spaCy does not know
            nlp = spacy.blank("xx")
        nlp.add_pipe("sentencizer")

        def by_rules(texts: Iterable[str]) -> Iterator[list[str]]:
            for doc in nlp.pipe(texts):
                yield [sentence.text for sentence in doc.sents]

        return by_rules, f"{RULES} {nlp.lang} {version('spacy')}"
    pipeline = load(name, lang, names=False)

    def by_pipeline(texts: Iterable[str]) -> Iterator[list[str]]:
        for analysis in pipeline.sentences(texts):
            yield [analysis.text[start:end] for start, end in analysis.sentences]

    return by_pipeline, pipeline.identity


class Cut:
    """The stage that makes records of articles: a paragraph's title, article and sentences."""

    def __init__(self, split: Splitter, mode: str) -> None:
        self._split = split
        self._analyzer = ANALYZERS[mode]

    def __call__(self, articles: Iterator[Article | Redirect], context: Context) -> Iterator[Out]:
        """Counts `sentences` and `words`; what has no word is rejected as `no_words`."""
        for article in articles:
            if isinstance(article, Redirect):
                continue
            pieces = [piece for one in article.prose for piece in _pieces(one.text)]
            for sentences in self._split(pieces):
                kept = []
                for sentence in map(str.strip, sentences):
                    words = len(self._analyzer(sentence))
                    if words:
                        kept.append(sentence)
                        context.count("words", words)
                    else:
                        context.reject("no_words", sentence)
                if kept:
                    context.count("sentences", len(kept))
                    about = {"title": article.title, "article": article.key}
                    yield Out(CHANNEL, {**about, "sentences": kept})


def _pieces(text: str) -> Iterator[str]:
    """The paragraph, or parts of it that are not too long."""
    start = 0
    while len(text) - start > _PIECE:
        blank = text.rfind(" ", start + 1, start + _PIECE)
        end = blank if blank > 0 else start + _PIECE
        yield text[start:end]
        start = end
    yield text[start:]


def _setup(read: Stage, options: SentenceOptions) -> Sequence[Stage]:
    """The stages for one worker process."""
    split, _ = splitter(options.splitter, options.lang)
    return [read, Cut(split, options.mode)]


def plan(given: Input, options: SentenceOptions, folder: Path) -> Job:
    """The job that cuts an input, in a folder below `folder` that is named by its fingerprint.

    Raises `UsageError` where the splitter does not load, and `DataError` for files that cannot be
    read.
    """
    _, identity = splitter(options.splitter, options.lang)
    job = Job(
        name="overlap",
        source=given.source,
        setup=partial(_setup, given.reader, options),
        out_dir=folder,
        channels=(CHANNEL,),
        options={"lang": options.lang, "mode": options.mode, "splitter": identity},
    )
    return replace(job, out_dir=folder / job.fingerprint.digest)
