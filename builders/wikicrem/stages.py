"""The method as a list of stages: the paper's section 3, and clean mode's filters.

A stage that needs the pipeline gathers the whole unit, since pipelines are fast in batches only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.builders.nlp import (
    Analysis,
    Backend,
    PassagesBackend,
    of_wiki,
    parsed,
    passage_names,
)
from corefmill.builders.persons import table
from corefmill.builders.persons.drafts import drafts, nearest_drafts
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.name_filters import ViewFilter
from corefmill.builders.persons.names import Name, as_found, with_article
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prefilter import Recurring, cut_at_borders, windows
from corefmill.builders.persons.spread import spread, with_surnames
from corefmill.builders.persons.table import PersonWords
from corefmill.builders.persons.usage import Usage
from corefmill.builders.persons.view import DraftView
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wiki.article import Article, Passage, Redirect, prose
from corefmill.builders.wikicrem import example
from corefmill.builders.wikicrem.confidence import doubtful
from corefmill.builders.wikicrem.filters import ON_NAMES, SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.options import WikicremOptions
from corefmill.builders.wikicrem.recurring import ReadPassage, cut, read_recurring
from corefmill.corpora import jsonl
from corefmill.corpora.records import Span

Finder = Callable[[str], list[Span]]


def setup(read: Stage, options: WikicremOptions, persons: Path | None = None) -> Sequence[Stage]:
    """The stages for one worker process; loads the pipeline. `persons` has the titles of the
    wiki's persons, where names come from the wiki."""
    return [read, *stages(options, of_wiki(options.pipeline, options.lang, persons))]


def stages(
    options: WikicremOptions, pipeline: Backend, find: Finder | None = None
) -> Sequence[Stage]:
    """From articles to records in the channels `examples` and `pages`.

    `find` says which parts of a paragraph to analyse; by default the prefilter does.
    """
    paper = options.mode == "paper"
    words = table.load(options.lang)
    may_be = words.may_be if words.declensions else None
    if find is None and isinstance(pipeline, PassagesBackend):
        find = partial(
            windows,
            no_names=words.no_names,
            titles=words.titles,
            may_be=may_be,
            most=options.most_sentences,
        )  # an article's names are known at once, there is nothing to learn
    # Clean mode cuts sentences where the pieces end; paper mode has them as the pipeline has.
    recurring = Recurring(
        words.no_names, words.titles, may_be, most=options.most_sentences, cut=not paper
    )
    surface = {name: stops for name, stops in SURFACE.items() if name in options.filters}
    syntax = {name: stops for name, stops in SYNTAX.items() if name in options.filters}
    if options.min_confidence is not None:
        syntax["doubtful"] = partial(doubtful, least=options.min_confidence)
    on_tree = [partial(parses, pipeline), partial(syntax_filters, syntax)]
    return [
        page_kinds,
        partial(read_recurring, recurring, pipeline)
        if find is None
        else partial(read_passages, find, pipeline),
        partial(names, Genders(options.lang, words), tidy=not paper),
        partial(masked_names, words, None if paper else options.most_sentences),
        partial(surface_filters, surface),
        *(on_tree if syntax else []),
        partial(records, example.paper if paper else example.clean, options.lang),
    ]


@dataclass(frozen=True, slots=True)
class NamedPassage:
    """A passage with its analysis, its personal names, and how its article uses words."""

    passage: Passage
    analysis: Analysis
    names: Sequence[Name]
    usage: Usage
    persons: Persons


class DraftGroup(NamedTuple):
    """Drafts that differ only in which occurrence is masked; one of them becomes an example.

    `fault` is the filter that stopped the first draft of the group, "" for none.
    """

    views: list[DraftView]
    fault: str = ""


def page_kinds(articles: Iterator[Article | Redirect], context: Context) -> Iterator[Article]:
    """Passes articles on; redirects, and whether a page is about a person, go to `pages`."""
    page: dict[str, str | bool | None]
    for item in articles:
        if isinstance(item, Redirect):
            page = {"title": item.title, "redirect": item.target, "person": None}
            context.write("pages", page)
            continue
        if item.is_person is not None:
            page = {"title": item.title, "redirect": None, "person": item.is_person}
            context.write("pages", page)
        yield item


def read_passages(
    find: Finder, pipeline: Backend, articles: Iterator[Article], context: Context
) -> Iterator[ReadPassage]:
    """The parts of paragraphs that the finder names, with their names."""
    unit = [
        passage
        for article, paragraph in prose(articles, context)
        for passage in cut(article, paragraph, find(paragraph.text), context)
    ]
    yield from map(ReadPassage, unit, passage_names(pipeline, unit))


def names(
    genders: Genders, found: Iterator[ReadPassage], context: Context, *, tidy: bool
) -> Iterator[NamedPassage]:
    """Personal names: as the recogniser has them, or tidied and carried over the whole article."""
    for _, same in groupby(found, key=lambda one: id(one.passage.article)):
        read = list(same)
        own = [analysis for _, analysis in read]
        own = with_surnames(own) if tidy else own
        usage = Usage(read[0][0].article, own, genders.words)
        persons = Persons(usage, genders)
        named = spread(own, genders.words) if tidy else [as_found(analysis) for analysis in own]
        for (passage, _), analysis, here in zip(read, own, named, strict=True):
            yield NamedPassage(passage, analysis, here, usage, persons)


def masked_names(
    words: PersonWords, most: int | None, found: Iterator[NamedPassage], context: Context
) -> Iterator[DraftGroup]:
    """The drafts of each passage, with offsets into its paragraph: by the paper's conditions (a)
    and (b), or clean mode's with up to `most` sentences."""
    for item in found:
        passage, analysis, shift = item.passage, item.analysis, item.passage.start
        named: Sequence[Name] = item.names
        sentences: Sequence[Span] = analysis.sentences
        if most is not None:
            named = [with_article(name, analysis.text, words) for name in named]
            sentences = cut_at_borders(analysis, words.titles)
        moved = [replace(name, start=name.start + shift, end=name.end + shift) for name in named]
        places = [(start + shift, end + shift) for start, end in sentences]
        made = drafts(places, moved) if most is None else nearest_drafts(places, moved, most)
        for group in made:
            context.count("drafts")
            yield DraftGroup(
                [
                    DraftView(
                        article=passage.article,
                        paragraph=passage.paragraph,
                        draft=draft,
                        read=analysis,
                        read_from=shift,
                        usage=item.usage,
                        persons=item.persons,
                        table=words,
                    )
                    for draft in group
                ]
            )


def surface_filters(
    filters: Mapping[str, ViewFilter], found: Iterator[DraftGroup], context: Context
) -> Iterator[DraftGroup]:
    """The drafts that no filter on the surface stops, without the wrong candidates that one does.

    Of a group that is left with none the first draft's fault counts.
    """
    on_names = [stops for stops in filters.values() if stops in ON_NAMES]

    def is_faulty_name(view: DraftView) -> bool:
        return any(stops(view) for stops in on_names)

    left: list[DraftGroup] = []
    for views, _ in found:
        passed = sieved([view.without(is_faulty_name) for view in views], filters)
        if passed.views:
            left.append(passed)
        else:
            context.reject(passed.fault, _rejected(views[0]))
    yield from left


def parses(
    pipeline: Backend, found: Iterator[DraftGroup], context: Context
) -> Iterator[DraftGroup]:
    """Each draft with its passage parsed. The parse costs as much as the names do, so only what
    the surface leaves is parsed, and each passage once."""
    unit = list(found)
    texts = list(dict.fromkeys(map(_cut_passage, chain.from_iterable(g.views for g in unit))))
    trees = dict(zip(texts, parsed(pipeline, texts), strict=True))
    for views, fault in unit:
        read = [replace(view, syntax=trees[_cut_passage(view)]) for view in views]
        yield DraftGroup(read, fault)


def _cut_passage(view: DraftView) -> tuple[str, tuple[Span, ...]]:
    """A draft's passage, and its sentences counted from its start."""
    shift = view.draft.span[0]
    cut = tuple((start - shift, end - shift) for start, end in view.draft.sentences)
    return view.passage, cut


def syntax_filters(
    filters: Mapping[str, ViewFilter], found: Iterator[DraftGroup], context: Context
) -> Iterator[DraftGroup]:
    """The drafts that no filter on the parse stops."""
    for views, fault in found:
        passed = sieved(views, filters)
        if passed.views:
            yield passed
        else:
            context.reject(fault or passed.fault, _rejected(views[0]))


def sieved(views: list[DraftView], filters: Mapping[str, ViewFilter]) -> DraftGroup:
    """The views that no filter stops, and the name of the filter that stopped the first one."""
    faults = [next((name for name, stops in filters.items() if stops(view)), "") for view in views]
    left = [view for view, fault in zip(views, faults, strict=True) if not fault]
    return DraftGroup(left, faults[0])


def records(
    make: example.MakeExamples, lang: str, found: Iterator[DraftGroup], context: Context
) -> Iterator[Out]:
    """The examples of each group's first draft."""
    for views, _ in found:
        made = list(make(views[0], lang))
        if not made:
            context.reject("name_not_expressible", _rejected(views[0]))
        for record in made:
            yield Out("examples", jsonl.as_json(record))


def _rejected(view: DraftView) -> dict[str, Any]:
    return {
        "title": view.article.title,
        "text": view.passage,
        "answer": view.draft.target.text,
        "start": view.draft.target.start - view.draft.span[0],
        "others": list(view.draft.others),
    }
