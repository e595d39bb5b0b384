"""Reads of each article the stretches that may hold an example, and learns while it does.

Most of what an article repeats is no person: its own subject, places, bodies, things. So a few
paragraphs are read at first, then twice as many, and so on. What the recogniser has read some times
and never took for a person's name is no reason to read a stretch any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from corefmill.builders.nlp import Analysis, Backend
from corefmill.builders.persons.prefilter import Key, RecurringNames, TextSpan, join_spans
from corefmill.builders.run.stages import Context
from corefmill.builders.wiki.article import Article, Passage, Redirect, prose
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.records import Span

LONGEST_PASSAGE = 20_000
"""Characters; what no splitter cuts for so long is no prose, and would cost memory."""

_FIRST = 2
"""Stretches of an article in the first turn, or one paragraph's."""
_ENOUGH = 2
"""So often a run of capitalised words was read and was no person's name, that it is none here."""


class ReadPassage(NamedTuple):
    """A passage and what the recogniser says of it."""

    passage: Passage
    analysis: Analysis


def cut(
    article: Article, paragraph: Paragraph, spans: Sequence[Span], context: Context
) -> Iterator[Passage]:
    """The passages at these places of a paragraph, but for those that are too long."""
    for start, end in spans:
        if end - start > LONGEST_PASSAGE:
            context.reject("window_too_long")
            continue
        context.count("characters_analysed", end - start)
        yield Passage(article, paragraph, start, paragraph.text[start:end])


def read_recurring(
    recurring: RecurringNames,
    pipeline: Backend,
    articles: Iterator[Article | Redirect],
    context: Context,
) -> Iterator[ReadPassage]:
    """The passages that may hold examples, article by article, each read once.

    All articles given take their turns together, since pipelines are fast in batches only. What
    is read of one depends on it alone.
    """
    pairs = prose(articles, context)
    unit = [
        _ArticleReader(article, [paragraph for _, paragraph in same], recurring)
        for article, same in _by_article(pairs)
    ]
    size = _FIRST
    while any(reader.waiting for reader in unit):
        turns = [(reader, passage) for reader in unit for passage in reader.turn(size, context)]
        analyses = pipeline.names(passage.text for _, passage in turns)
        for (reader, passage), analysis in zip(turns, analyses, strict=True):
            reader.learn(passage, analysis)
        size *= 2
    for reader in unit:
        yield from reader.read


def _by_article(
    pairs: Iterator[tuple[Article, Paragraph]],
) -> Iterator[tuple[Article, Iterator[tuple[Article, Paragraph]]]]:
    for _, same in groupby(pairs, key=lambda pair: id(pair[0])):
        first, *others = same
        yield first[0], iter([first, *others])


class _ArticleReader:
    """What is left to read of an article, and what of it was called a person."""

    def __init__(
        self, article: Article, paragraphs: Sequence[Paragraph], recurring: RecurringNames
    ) -> None:
        self.read: list[ReadPassage] = []
        self._article = article
        self._recurring = recurring
        self._seen: Counter[Key] = Counter()
        self._persons: set[Key] = set()
        text = "\n".join(paragraph.text for paragraph in paragraphs)
        self._is_common = cache(lambda word: f" {word} " in text)
        found = (
            (paragraph, recurring.find_spans(paragraph.text, self._is_common))
            for paragraph in paragraphs
        )
        self.waiting = [(paragraph, stretches) for paragraph, stretches in found if stretches]

    def turn(self, size: int, context: Context) -> Iterator[Passage]:
        """What is to be read of the next paragraphs, which have so many stretches together."""
        while self.waiting and size > 0:
            paragraph, stretches = self.waiting.pop(0)
            size -= len(stretches)
            kept = [stretch for stretch in stretches if self._may_hold(stretch)]
            yield from cut(self._article, paragraph, join_spans(kept), context)

    def _may_hold(self, stretch: TextSpan) -> bool:
        return not stretch.keys or any(
            key in self._persons or self._seen[key] < _ENOUGH for key in stretch.keys
        )

    def learn(self, passage: Passage, analysis: Analysis) -> None:
        """Note which runs of the passage are persons' names, in whole or in part."""
        self.read.append(ReadPassage(passage, analysis))
        persons = [(one.start, one.end) for one in analysis.entities if one.label == "PERSON"]
        # The surname alone may be called something else, see `with_surnames`.
        self._persons.update(tuple(passage.text[:end].split()[-1:]) for _, end in persons)
        for keys, (start, end) in self._recurring.key_runs(passage.text, self._is_common):
            self._seen.update(keys)
            if any(left < end and start < right for left, right in persons):
                self._persons.update(keys)
