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

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from corefmill.builders.knowref import paper_surface, paper_tags, paper_trees, table
from corefmill.builders.knowref.options import KnowrefOptions
from corefmill.builders.knowref.record import FoundProblem, record
from corefmill.builders.nlp import Analysis, Backend
from corefmill.builders.persons.names import as_found
from corefmill.builders.runner.stages import Context, Out
from corefmill.builders.wiki.article import Article, prose
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


class Miner:
    """Turns articles into problems as the published scripts did."""

    def __init__(self, options: KnowrefOptions, pipeline: Backend) -> None:
        self._options = options
        self._pipeline = pipeline
        self._table = table.load(options.lang)

    def __call__(self, articles: Iterator[Any], context: Context) -> Iterator[Out]:
        """Yields to the channel `examples`."""
        places: list[tuple[Article, int]] = []
        texts: list[str] = []
        for article, paragraph in prose(articles, context):
            text = paper_surface.cleaned(paragraph.text)
            if not text:
                context.reject("paragraph_quoted_or_empty")
            elif not paper_surface.may_hold(text):
                context.reject("paragraph_without_pattern")
            else:
                places.append((article, paragraph.index))
                texts.append(text)
        kept = list(self._sentences(places, texts, context))
        analyses = self._pipeline.full(text for _, _, _, text in kept)
        for (article, index, start, _), read in zip(kept, analyses, strict=True):
            made = _problem(read)
            if isinstance(made, str):
                context.reject(made, {"title": article.title, "text": read.text})
                continue
            yield from self._record(article, index, start, made, context)

    def _sentences(
        self, places: list[tuple[Article, int]], texts: list[str], context: Context
    ) -> Iterator[tuple[Article, int, int, str]]:
        """Article, paragraph, offset and text of the sentences that the surface rules leave."""
        for (article, index), read in zip(places, self._pipeline.sentences(texts), strict=True):
            for start, end in read.sentences:
                context.count("sentences")
                sentence = read.text[start:end]
                fault = paper_surface.fault(sentence)
                if fault is None:
                    context.count("sentences_with_pattern")
                    yield article, index, start, sentence
                else:
                    context.reject(fault)

    def _record(
        self, article: Article, index: int, start: int, made: _Made, context: Context
    ) -> Iterator[Out]:
        text, candidates, connective, pronoun = made
        gender = self._table.gender_of(text[slice(*pronoun)])
        assert gender is not None  # the last gate lets through none but he, she and their like
        # The published swap replaces a name wherever its letters stand.
        mentions = []
        for number, candidate in enumerate(candidates):
            position = text.find(candidate)
            while position >= 0:
                mentions.append((number, position, position + len(candidate)))
                position = text.find(candidate, position + len(candidate))
        if _overlap([(s, e) for _, s, e in mentions] + [pronoun, connective]):
            context.reject("swap_breaks", {"title": article.title, "text": text})
            return
        found = FoundProblem(
            article=article,
            paragraph=index,
            start=start,
            text=text,
            candidates=candidates,
            mentions=tuple(sorted(mentions, key=lambda mention: mention[1])),
            connective=connective,
            pronoun=pronoun,
            tokens=_split(text),
            gender=gender,
        )
        made_record = record(
            found,
            self._options.lang,
            self._table,
            swap=self._options.swap,
            seed=context.seed,
        )
        yield Out("examples", made_record)


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
