"""The stages of masked repeats: a capitalised word that comes again in its paragraph is masked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from corefmill.builders.corpus.masked import CHANNEL
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wiki.article import Article, Redirect, prose
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import MaskedExample, Source

REASONS = ("nothing_repeated", "one_name")
"""What a paragraph is rejected for."""

_NAME = re.compile(r"\b[A-Z][a-z]+\b")


def setup(read: Stage) -> Sequence[Stage]:
    """The stages for one worker process: the reader's, the candidates, the records."""
    return [read, paragraphs, examples]


def paragraphs(
    articles: Iterator[Article | Redirect], context: Context
) -> Iterator[tuple[Article, Paragraph]]:
    """The paragraphs of running text in which two words are capitalised, one of them twice."""
    for article, paragraph in prose(articles, context):
        names = _NAME.findall(paragraph.text)
        if len(names) == len(set(names)):
            context.reject("nothing_repeated", paragraph.text)
        elif len(set(names)) == 1:
            context.reject("one_name", paragraph.text)
        else:
            yield article, paragraph


def examples(found: Iterator[tuple[Article, Paragraph]], context: Context) -> Iterator[Out]:
    """The last repeat of each paragraph, masked; the candidates are all its capitalised words."""
    for article, paragraph in found:
        text = paragraph.text
        spans = [match.span() for match in _NAME.finditer(text)]
        names = [text[start:end] for start, end in spans]
        candidates = tuple(dict.fromkeys(names))
        target = max(i for i, name in enumerate(names) if name in names[:i])
        record = MaskedExample(
            id=f"{article.key}-{paragraph.index}",
            lang="en",
            text=text,
            sentences=((0, len(text)),),
            target=spans[target],
            candidates=candidates,
            mentions=tuple(
                (candidates.index(name), *span)
                for i, (name, span) in enumerate(zip(names, spans, strict=True))
                if i != target
            ),
            label=candidates.index(names[target]),
            source=Source(article.title, article.page_id, paragraph.index),
        )
        yield Out(CHANNEL, jsonl.as_json(record))
