"""Clean mode's stage: from the articles that link to events to mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from corefmill.builders.nlp import Backend
from corefmill.builders.runner.stages import Context, Out
from corefmill.builders.wec.anchors import anchors, rejected
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.filters.context import read
from corefmill.builders.wec.filters.filters import SURFACE, Filter, section_link
from corefmill.builders.wec.filters.filters_syntax import SYNTAX
from corefmill.builders.wec.filters.view import View, Words
from corefmill.builders.wec.lookup import Lookup
from corefmill.builders.wec.options import Options
from corefmill.builders.wiki.article import Article
from corefmill.corpora.records import EventMention, Source

UNREADABLE = ("paragraph_too_long", "no_word")
"""Why no filter was asked; these are no options."""


class Mentions:
    """Turns articles into mentions; an anchor that a filter stops is counted under its name."""

    def __init__(self, options: Options, pipeline: Backend, lookup: Lookup) -> None:
        self._options = options
        self._pipeline = pipeline
        self._lookup = lookup
        self._lexicon = lexicon.load(options.lang)
        self._surface = dict(_chosen(SURFACE, options.filters))
        if "section_link" in self._surface and options.sections != "drop":
            if options.sections == "named":
                self._surface["section_link"] = section_link
            else:
                del self._surface["section_link"]
        self._syntax = dict(_chosen(SYNTAX, options.filters))

    def __call__(self, articles: Iterator[Any], context: Context) -> Iterator[Out]:
        """Yields records of `EventMention` to the channel `mentions`."""
        views: list[View] = []
        for item in articles:
            if isinstance(item, Article):
                views += self._views(item, context)
        # Each paragraph is read once, whatever the number of its mentions.
        texts = list(dict.fromkeys(view.anchor.text for view in views))
        context.count("paragraphs_analysed", len(texts))
        analyses = dict(zip(texts, self._pipeline.full(texts), strict=True))
        for view in views:
            anchor = view.anchor
            reading = read(analyses[anchor.text], anchor.start, anchor.end)
            if reading is None:
                context.reject("no_word", rejected(anchor))
                continue
            view = replace(view, reading=reading)
            if fault := _fault(view, self._syntax):
                context.reject(fault, rejected(anchor))
            else:
                context.count("mentions")
                yield Out("mentions", asdict(self._mention(view)))

    def _views(self, article: Article, context: Context) -> Iterator[View]:
        """The article's anchors that pass the filters on the surface."""
        paragraph = Words("", self._lexicon)
        for anchor in anchors(article, self._lookup.target, self._lexicon, context):
            if paragraph.text is not anchor.text:
                paragraph = Words(anchor.text, self._lexicon)
            facts = self._lookup.facts(anchor.target)
            view = View(anchor, facts, self._lexicon, paragraph)
            if fault := _fault(view, self._surface):
                context.reject(fault, rejected(anchor))
            else:
                yield view

    def _mention(self, view: View) -> EventMention:
        anchor, facts, reading = view.anchor, view.facts, view.reading
        assert reading is not None
        wiki = f"{self._options.lang}wiki"
        return EventMention(
            id=f"{wiki}-{anchor.page_id}-{anchor.paragraph}-{anchor.start}",
            lang=self._options.lang,
            text=anchor.text,
            start=anchor.start,
            end=anchor.end,
            cluster=str(facts.page_id),
            cluster_title=facts.title,
            event_type=facts.event_type,
            infobox=facts.infobox,
            source=Source(anchor.page_title, anchor.page_id, anchor.paragraph),
            head=reading.head,
            lemma=reading.lemma or None,
            pos=reading.pos or None,
            ner=reading.ner or None,
            meta={"tokens": list(reading.tokens), "lemmas": list(reading.lemmas)},
        )


def _chosen(filters: Mapping[str, Filter], names: Iterable[str]) -> Iterator[tuple[str, Filter]]:
    return ((name, stops) for name, stops in filters.items() if name in names)


def _fault(view: View, filters: Mapping[str, Filter]) -> str:
    """The name of the first filter that stops the view, "" for none."""
    return next((name for name, stops in filters.items() if stops(view)), "")
