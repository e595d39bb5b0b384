"""The stages of the masked-name builder: from articles to examples, one unit at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, cast

from corefmill.builders.nlp import Analysis, Backend, load
from corefmill.builders.persons import table
from corefmill.builders.persons.mine import Draft, drafts
from corefmill.builders.persons.names import Name, as_found
from corefmill.builders.persons.prefilter import cut_at_borders, windows
from corefmill.builders.persons.spread import spread
from corefmill.builders.persons.view import Usage, View
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.builders.wikicrem import example
from corefmill.builders.wikicrem.filters import ON_NAMES, SURFACE, Filter
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.options import WikicremOptions
from corefmill.corpora.records import Span

Finder = Callable[[str], list[Span]]

_LONGEST_WINDOW = 20_000
"""Characters; what no splitter cuts for so long is no prose, and would cost memory."""


def setup(read: Stage, options: WikicremOptions) -> Sequence[Stage]:
    """The stages for one worker process; loads the pipeline."""
    return [read, Miner(options, load(options.nlp, options.lang))]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A part of a paragraph to be analysed, from `start` on."""

    article: Article
    paragraph: Paragraph
    start: int
    text: str


class Miner:
    """Turns articles into examples; a draft that a filter stops is counted under its name."""

    def __init__(
        self, options: WikicremOptions, pipeline: Backend, find: Finder | None = None
    ) -> None:
        """`find` says which stretches of a paragraph to analyse; by default the prefilter does."""
        self._options = options
        self._pipeline = pipeline
        self._table = table.load(options.lang)
        self._find = find or partial(
            windows, no_names=self._table.no_names, titles=self._table.titles
        )
        self._surface = {name: f for name, f in SURFACE.items() if name in options.filters}
        self._on_names = [f for f in self._surface.values() if f in ON_NAMES]
        self._syntax = {name: f for name, f in SYNTAX.items() if name in options.filters}

    def __call__(self, articles: Iterator[Any], context: Context) -> Iterator[Out]:
        """Yields to the channels `examples` and, for what is known of a page's kind, `pages`."""
        stretches: list[_Stretch] = []
        for item in articles:
            if isinstance(item, Redirect):
                yield Out("pages", {"title": item.title, "redirect": item.target, "person": None})
                continue
            article = cast(Article, item)
            if article.is_person is not None:
                yield Out(
                    "pages",
                    {"title": article.title, "redirect": None, "person": article.is_person},
                )
            stretches += self._stretches(article, context)
        make = example.paper if self._options.mode == "paper" else example.clean
        for view in self._chosen(self._groups(stretches), context):
            records = list(make(view, self._options.lang))
            if not records:
                context.reject("name_not_expressible", _rejected(view))
            for record in records:
                yield Out("examples", record)

    def _stretches(self, article: Article, context: Context) -> Iterator[_Stretch]:
        """What of the article a name recogniser must read."""
        for paragraph in article.prose:
            context.count("paragraphs")
            context.count("characters", len(paragraph.text))
            for start, end in self._find(paragraph.text):
                if end - start > _LONGEST_WINDOW:
                    context.reject("window_too_long")
                    continue
                context.count("characters_analysed", end - start)
                yield _Stretch(article, paragraph, start, paragraph.text[start:end])

    def _faulty_name(self, view: View) -> bool:
        return any(stops(view) for stops in self._on_names)

    def _groups(self, stretches: list[_Stretch]) -> Iterator[list[View]]:
        """Views of drafts that differ only in which occurrence is masked, article by article."""
        analyses = list(self._pipeline.names(stretch.text for stretch in stretches))
        pairs = zip(stretches, analyses, strict=True)
        for _, same in groupby(pairs, key=lambda pair: id(pair[0].article)):
            read = list(same)
            article = read[0][0].article
            usage = Usage(article, [analysis for _, analysis in read])
            if self._options.mode == "paper":
                found = [as_found(analysis) for _, analysis in read]
            else:
                found = spread([analysis for _, analysis in read], self._table)
            for (stretch, analysis), names in zip(read, found, strict=True):
                for group in self._drafts(stretch, analysis, names):
                    yield [
                        View(
                            article=article,
                            paragraph=stretch.paragraph,
                            draft=draft,
                            read=analysis,
                            read_from=stretch.start,
                            usage=usage,
                            table=self._table,
                        )
                        for draft in group
                    ]

    def _drafts(
        self, stretch: _Stretch, analysis: Analysis, names: list[Name]
    ) -> Iterator[list[Draft]]:
        """The drafts of a stretch, with offsets into its paragraph."""
        paper = self._options.mode == "paper"
        shift = stretch.start
        sentences = analysis.sentences if paper else cut_at_borders(analysis, self._table.titles)
        moved = [Name(name.start + shift, name.end + shift, name.text) for name in names]
        masked: set[int] = set()
        for group in drafts([(s + shift, e + shift) for s, e in sentences], moved):
            if not paper:
                # A pair of sentences asks nothing that its second sentence has not asked alone.
                group = [draft for draft in group if draft.target.start not in masked]
                masked.update(draft.target.start for draft in group)
            if group:
                yield group

    def _chosen(self, groups: Iterable[list[View]], context: Context) -> Iterator[View]:
        """Of each group the first view that passes all filters; else the first one's fault counts.

        The parse costs several times what the names do, so only what the surface leaves is parsed.
        """
        left: list[tuple[list[View], str]] = []
        for group in groups:
            context.count("drafts")
            whole = [view.without(self._faulty_name) for view in group]
            passed, fault = _sieve(whole, self._surface)
            if passed:
                left.append((passed, fault))
            else:
                context.reject(fault, _rejected(group[0]))
        if not self._syntax:
            yield from (views[0] for views, _ in left)
            return
        passages = list(dict.fromkeys(view.passage for views, _ in left for view in views))
        parsed = dict(zip(passages, self._pipeline.full(passages), strict=True))
        for views, fault in left:
            read = [replace(view, syntax=parsed[view.passage]) for view in views]
            passed, late = _sieve(read, self._syntax)
            if passed:
                yield passed[0]
            else:
                context.reject(fault or late, _rejected(views[0]))


def _sieve(views: list[View], filters: Mapping[str, Filter]) -> tuple[list[View], str]:
    """The views that no filter stops, and the name of the filter that stopped the first one."""
    passed, first = [], ""
    for index, view in enumerate(views):
        fault = next((name for name, stops in filters.items() if stops(view)), "")
        if not fault:
            passed.append(view)
        elif index == 0:
            first = fault
    return passed, first


def _rejected(view: View) -> dict[str, Any]:
    return {
        "title": view.article.title,
        "text": view.passage,
        "answer": view.draft.target.text,
        "start": view.draft.target.start - view.draft.span[0],
        "others": list(view.draft.others),
    }
