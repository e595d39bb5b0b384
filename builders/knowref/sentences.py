"""Sentences that can hold a pronoun problem, found in raw text before any parser sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import Analysis, Backend
from corefmill.builders.persons.prefilter import name_runs, raw_sentences
from corefmill.builders.persons.prose import in_quotation, is_debris
from corefmill.builders.persons.table import PersonWords
from corefmill.builders.runner.stages import Context
from corefmill.builders.wiki.article import Article, Redirect, prose
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.records import Span

_QUOTE = re.compile(r"[\"“”„«»]|(?<!\w)['‘]|['’](?!\w)(?<!s['’])")

SHORTEST, LONGEST = 7, 40
"""Words of a sentence; the published ones have 11 to 33 (spec C1, S1)."""

SURFACE = (
    "no_pronoun",
    "length",
    "no_connective",
    "pronoun_before",
    "too_few_names",
    "not_prose",
    "quoted",
)
"""Reasons of this stage in the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class ProblemSpans:
    """Connective and pronoun of a problem: half-open offsets into the sentence's text."""

    connective: Span
    pronoun: Span
    earlier: tuple[Span, ...] = ()
    """Other connectives that the sentence has before, the last one first."""


@dataclass(frozen=True, slots=True)
class RawSentence:
    """A sentence of a paragraph that begins at offset `start` of it."""

    article: Article
    paragraph: Paragraph
    start: int
    text: str
    spans: ProblemSpans


@dataclass(frozen=True, slots=True)
class PaperSentence:
    """A sentence of paper mode, at offset `start` of the cleaned text of a paragraph."""

    article: Article
    paragraph: int
    start: int
    text: str


AnySentence = TypeVar("AnySentence", RawSentence, PaperSentence)


def sentences(
    table: KnowrefWords,
    words: PersonWords,
    articles: Iterator[Article | Redirect],
    context: Context,
) -> Iterator[RawSentence]:
    """Sentences with two possible names, a connective behind them and a pronoun behind that."""
    for article, paragraph in prose(articles, context):
        for start, end in raw_sentences(paragraph.text, words.titles):
            context.count("sentences")
            text = paragraph.text[start:end]
            found = find_spans(text, table, words)
            if isinstance(found, ProblemSpans) and in_quotation(paragraph.text, start):
                found = "quoted"
            if isinstance(found, ProblemSpans):
                context.count("sentences_with_pattern")
                yield RawSentence(article, paragraph, start, text, found)
            else:
                context.reject(found)


def find_spans(text: str, table: KnowrefWords, words: PersonWords) -> ProblemSpans | str:
    """Connective and pronoun of a sentence, or the reason why it has no problem.

    The pronoun is the first of its kind, the connective the last one before it; where none stands
    within the sentence, but one at its head, it is the comma behind that clause.
    """
    pronoun = table.pronoun.search(text)
    if pronoun is None:
        return "no_pronoun"
    if not SHORTEST <= len(text.split()) <= LONGEST:
        return "length"
    spans = [match.span() for match in table.connective.finditer(text, 1, pronoun.start())]
    span = spans.pop() if spans else None
    if span is None and table.opener.match(text):
        comma = text.find(",", 0, pronoun.start())
        if comma >= 0 and "," not in text[comma + 1 : pronoun.start()]:
            span = comma, comma + 1
    if span is None:
        later = table.connective.search(text, pronoun.end())
        return "no_connective" if later is None else "pronoun_before"
    if table.gender_of(pronoun.group()) is None:
        return "pronoun_before"
    if len(set(name_runs(text[: span[0]], words.no_names_or_titles))) < 2:
        return "too_few_names"
    if is_debris(text):
        return "not_prose"
    if _QUOTE.search(text):
        return "quoted"
    return ProblemSpans(span, pronoun.span(), tuple(reversed(spans)))


def parses(
    pipeline: Backend, found: Iterator[AnySentence], context: Context
) -> Iterator[tuple[AnySentence, Analysis]]:
    """Each sentence with its parse and its names."""
    unit = list(found)
    yield from zip(unit, pipeline.full(sentence.text for sentence in unit), strict=True)
