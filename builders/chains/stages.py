"""The stages of the chain builder: from articles to documents, one unit at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from corefmill.builders.chains.entities import PersonList
from corefmill.builders.chains.options import ChainsOptions
from corefmill.builders.chains.passages import document, fault, passages, sentences_to_parse
from corefmill.builders.chains.resolve import NamedParagraph, ReadSentence, Resolver
from corefmill.builders.nlp import (
    Analysis,
    Backend,
    PassagesBackend,
    TreesBackend,
    of_wiki,
    parsed,
    passage_names,
)
from corefmill.builders.persons import reference_words, table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.reference_words import ReferenceWords
from corefmill.builders.persons.spread import spread, with_surnames
from corefmill.builders.persons.usage import Usage
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wiki.article import Article, Passage, Redirect, prose
from corefmill.builders.wiki.markup.links import without_qualifier
from corefmill.corpora import jsonl

CHANNEL = "documents"
LONGEST_PARAGRAPH = 20_000
"""Characters."""


class ParsedParagraph(NamedTuple):
    """A paragraph of an article, analysed."""

    passage: Passage
    analysis: Analysis


class ReadArticle(NamedTuple):
    """An article with its persons and its sentences, resolved."""

    article: Article
    people: PersonList
    sentences: Sequence[ReadSentence]


def setup(read: Stage, options: ChainsOptions, persons: Path | None = None) -> Sequence[Stage]:
    """The stages for one worker process; loads the pipeline. `persons` has the titles of the
    wiki's persons, where names come from the wiki."""
    return [read, *stages(options, of_wiki(options.pipeline, options.lang, persons))]


def stages(options: ChainsOptions, pipeline: Backend) -> Sequence[Stage]:
    """From articles to records in the channel `documents`."""
    genders = Genders(options.lang, table.load(options.lang))
    return [
        partial(parses, pipeline),
        partial(chains, options, pipeline, genders, reference_words.load(options.lang)),
        partial(documents, options),
    ]


def parses(
    pipeline: Backend, articles: Iterator[Article | Redirect], context: Context
) -> Iterator[ParsedParagraph]:
    """The paragraphs of running text with their names, and with trees unless `chains` adds them."""
    unit: list[Passage] = []
    for article, paragraph in prose(articles, context, LONGEST_PARAGRAPH):
        unit.append(Passage(article, paragraph, 0, paragraph.text))
        context.count("words", len(paragraph.text.split()))
    if isinstance(pipeline, PassagesBackend | TreesBackend):
        analyses = passage_names(pipeline, unit)
    else:
        analyses = pipeline.full(passage.text for passage in unit)
    yield from map(ParsedParagraph, unit, analyses)


def chains(
    options: ChainsOptions,
    pipeline: Backend,
    genders: Genders,
    reference: ReferenceWords,
    found: Iterator[ParsedParagraph],
    context: Context,
) -> Iterator[ReadArticle]:
    """Each article with its names and gendered pronouns linked, as far as nothing is in doubt."""
    words = genders.words
    for _, same in groupby(found, key=lambda one: id(one.passage.article)):
        read = list(same)
        article = read[0].passage.article
        analyses = with_surnames([one.analysis for one in read])
        named = spread(analyses, words)
        usage = Usage(article, analyses, words)
        people = PersonList(usage, Persons(usage, genders), words)
        called = [name.text for names in named for name in names]
        if article.is_person:
            called.append(without_qualifier(article.title))
        people.read(called)
        paragraphs = [
            NamedParagraph(one.passage.paragraph, analysis, names)
            for one, analysis, names in zip(read, analyses, named, strict=True)
        ]
        if isinstance(pipeline, TreesBackend):
            wanted = None
            # Whether an ambiguous pronoun ("sie") is one, the tree tells: all are parsed.
            if not reference.also_plural | reference.also_other:
                by_names = Resolver(people, words, reference, names_alone=True).article(paragraphs)
                chosen = sentences_to_parse(by_names, options.min_confidence)
                wanted = {one.paragraph.paragraph.index for one in chosen}
            paragraphs = list(_with_trees(pipeline, paragraphs, wanted))
        resolved = Resolver(people, words, reference).article(paragraphs)
        yield ReadArticle(article, people, resolved)


def _with_trees(
    pipeline: Backend, paragraphs: Sequence[NamedParagraph], wanted: Set[int] | None
) -> Iterator[NamedParagraph]:
    """Add trees to the paragraphs with the indexes `wanted`, or to all."""
    chosen = [one for one in paragraphs if wanted is None or one.paragraph.index in wanted]
    texts = ((one.read.text, one.read.sentences) for one in chosen)
    analyses = dict(zip(map(id, chosen), parsed(pipeline, texts), strict=True))
    for one in paragraphs:
        tree = analyses.get(id(one))
        yield one if tree is None else replace(one, read=replace(tree, entities=one.read.entities))


def documents(
    options: ChainsOptions, found: Iterator[ReadArticle], context: Context
) -> Iterator[Out]:
    """The passages of each article without a doubt, as documents."""
    for article, people, sentences in found:
        clear: list[ReadSentence | None] = []
        for sentence in sentences:
            context.count("sentences")
            reason = fault(sentence, options.min_confidence)
            clear.append(None if reason else sentence)
            if reason:
                text = sentence.paragraph.read.text[slice(*sentence.span)]
                context.reject(reason, {"title": article.title, "text": text})
        for run in passages(clear):
            made = document(article, run, people, options.lang)
            if isinstance(made, str):
                context.reject(made)
            else:
                context.count("tokens", sum(len(one.tokens) for one in made.sentences))
                yield Out(CHANNEL, jsonl.as_json(made))
