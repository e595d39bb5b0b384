"""The published chain to the letter (spec C1), as far as its tools can be had.

Splitter, tagger, recogniser and parser are the pipeline's instead of NLTK's, Stanford's and
CoreNLP's, and with them three rules that ask them are asked otherwise:

1. Candidate words are those tagged as nouns, instead of those that NLTK's sample of the Penn
   Treebank never has with another tag.
2. A noun phrase is read off the dependency tree: a noun's, with all that hangs on the topmost noun
   above it that is reached without a preposition or a clause.
3. A sentence in which no connective passes is rejected alone. The published code raised an error
   there and dropped the thousand sentences around it with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from corefmill.builders.knowref import paper_surface, paper_tags, paper_trees
from corefmill.builders.knowref.record import FoundProblem
from corefmill.builders.knowref.sentences import PaperSentence, parses
from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import Analysis, Backend
from corefmill.builders.persons.names import as_found
from corefmill.builders.run.stages import Context, Stage
from corefmill.builders.wiki.article import Article, Redirect, prose
from corefmill.corpora.records import Span

REASONS = (
    *paper_surface.REASONS,
    "over_30_tokens",
    *paper_tags.REASONS,
    *paper_trees.REASONS,
    "swap_breaks",
)
"""Reject reasons in the order in which they are asked."""

_MOST_TOKENS = 30


@dataclass(frozen=True, slots=True)
class PaperParagraph:
    """A paragraph's index in its article, and its text as the published scripts clean it."""

    article: Article
    index: int
    text: str


def stages(table: KnowrefWords, pipeline: Backend) -> Sequence[Stage]:
    """From articles to problems that were found."""
    return [
        paragraphs,
        partial(sentences, pipeline),
        partial(parses, pipeline),
        partial(problems, table),
    ]


def paragraphs(
    articles: Iterator[Article | Redirect], context: Context
) -> Iterator[PaperParagraph]:
    """The paragraphs that may hold a problem."""
    for article, paragraph in prose(articles, context):
        text = paper_surface.cleaned(paragraph.text)
        if not text:
            context.reject("paragraph_quoted_or_empty")
        elif not paper_surface.may_hold(text):
            context.reject("paragraph_without_pattern")
        else:
            yield PaperParagraph(article, paragraph.index, text)


def sentences(
    pipeline: Backend, found: Iterator[PaperParagraph], context: Context
) -> Iterator[PaperSentence]:
    """The sentences that the surface rules leave."""
    unit = list(found)
    analyses = pipeline.sentences(paragraph.text for paragraph in unit)
    for paragraph, read in zip(unit, analyses, strict=True):
        for start, end in read.sentences:
            context.count("sentences")
            text = read.text[start:end]
            fault = paper_surface.fault(text)
            if fault is None:
                context.count("sentences_with_pattern")
                yield PaperSentence(paragraph.article, paragraph.index, start, text)
            else:
                context.reject(fault)


def problems(
    table: KnowrefWords, found: Iterator[tuple[PaperSentence, Analysis]], context: Context
) -> Iterator[FoundProblem]:
    """The problems of sentences that pass the rules on tags, trees and names."""
    for sentence, read in found:
        made = _problem(read)
        if isinstance(made, str):
            context.reject(made, {"title": sentence.article.title, "text": read.text})
            continue
        text, candidates, connective, pronoun = made
        gender = table.gender_of(text[slice(*pronoun)])
        assert gender is not None  # the last gate lets through none but he, she and their like
        mentions = _wherever(candidates, text)
        if _overlap([(s, e) for _, s, e in mentions] + [pronoun, connective]):
            context.reject("swap_breaks", {"title": sentence.article.title, "text": text})
            continue
        yield FoundProblem(
            article=sentence.article,
            paragraph=sentence.paragraph,
            start=sentence.start,
            text=text,
            candidates=candidates,
            mentions=tuple(sorted(mentions, key=lambda mention: mention[1])),
            connective=connective,
            pronoun=pronoun,
            tokens=_split(text),
            gender=gender,
        )


def _wherever(candidates: Sequence[str], text: str) -> list[tuple[int, int, int]]:
    """The candidates wherever their letters stand, where the published swap replaces them."""
    mentions = []
    for index, candidate in enumerate(candidates):
        position = text.find(candidate)
        while position >= 0:
            mentions.append((index, position, position + len(candidate)))
            position = text.find(candidate, position + len(candidate))
    return mentions


_Made = tuple[str, tuple[str, str], Span, Span]


def _problem(read: Analysis) -> _Made | str:
    """Text of tokens, candidates, connective and pronoun, or the reason why there is none."""
    forms = read.forms
    if len(forms) > _MOST_TOKENS:
        return "over_30_tokens"
    fault = paper_tags.fault(forms, read.xpos, read.lemma)
    if fault is not None:
        return fault
    persons = as_found(read)
    is_person = [any(p.start <= s and e <= p.end for p in persons) for s, e in read.words]
    chosen = paper_trees.choose(forms, read.xpos, read.deprel, read.head, is_person)
    if isinstance(chosen, str):
        return chosen
    text = " ".join(forms)
    spans = _split(text)
    first, second = (text[spans[s][0] : spans[e - 1][1]] for s, e in chosen.phrases)
    if first == second:
        return "same_candidate"
    return text, (first, second), spans[chosen.connective], spans[chosen.pronoun]


def _split(text: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    position = 0
    for word in text.split(" "):
        spans.append((position, position + len(word)))
        position += len(word) + 1
    return tuple(spans)


def _overlap(spans: list[Span]) -> bool:
    ordered = sorted(spans)
    return any(left[1] > right[0] for left, right in pairwise(ordered))
