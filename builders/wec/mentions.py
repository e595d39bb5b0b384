"""Clean mode's stages: from articles to links to events, and from links to mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from itertools import chain

from corefmill.builders.nlp import Analysis, Backend, read_around
from corefmill.builders.run.stages import Context, Out
from corefmill.builders.wec.event_pages.event_index import EventIndex
from corefmill.builders.wec.facts.lexicon import EventLexicon
from corefmill.builders.wec.filters.link_view import LinkView, ParagraphWords
from corefmill.builders.wec.filters.reading import read
from corefmill.builders.wec.filters.surface import Filter
from corefmill.builders.wec.links import event_links, rejected
from corefmill.builders.wiki.article import Article
from corefmill.corpora.records import EventMention, Source, Span

BATCH = 64
"""Paragraphs that the pipeline reads at a time: of sentences it takes more, but what it needs grows
with their words. At 256, a dump with many events took a gigabyte."""

UNREADABLE = ("paragraph_too_long", "no_word")
"""Why no filter was asked; these are no options."""


class LinksToEvents:
    """Finds the links that lead to events, each with what the filters look at."""

    def __init__(self, index: EventIndex, lexicon: EventLexicon) -> None:
        self._index = index
        self._lexicon = lexicon

    def __call__(self, articles: Iterator[Article], context: Context) -> Iterator[LinkView]:
        """Counts and rejects as `event_links` does."""
        paragraph = ParagraphWords("", self._lexicon)
        for article in articles:
            for link in event_links(article, self._index.target, self._lexicon, context):
                if paragraph.text is not link.text:
                    paragraph = ParagraphWords(link.text, self._lexicon)
                yield LinkView(link, self._index.facts(link.target), self._lexicon, paragraph)


class FilterLinks:
    """Drops a link that a filter stops, under the name of the first that does."""

    def __init__(self, name: str, filters: Mapping[str, Filter]) -> None:
        """`name` is what the runner calls the stage."""
        self.name = name
        self._filters = filters

    def __call__(self, views: Iterator[LinkView], context: Context) -> Iterator[LinkView]:
        for view in views:
            name = next((name for name, stops in self._filters.items() if stops(view)), None)
            if name is None:
                yield view
            else:
                context.reject(name, rejected(view.link))


class ReadParagraphs:
    """Adds what the pipeline reads of each link; drops a link without a word as `no_word`."""

    def __init__(self, pipeline: Backend) -> None:
        self._pipeline = pipeline

    def __call__(self, views: Iterator[LinkView], context: Context) -> Iterator[LinkView]:
        """Reads of each paragraph of a unit the sentences with links, once, and keeps what it read
        to the paragraph's last link."""
        waiting = list(views)
        left = Counter(view.link.text for view in waiting)
        context.count("paragraphs_analysed", len(left))
        places: dict[str, list[Span]] = {text: [] for text in left}
        for view in waiting:
            places[view.link.text].append((view.link.start, view.link.end))
        texts = list(places.items())
        batches = (texts[first : first + BATCH] for first in range(0, len(texts), BATCH))
        stream = chain.from_iterable(read_around(self._pipeline, batch) for batch in batches)
        analyses: dict[str, Analysis] = {}
        for view in waiting:
            link = view.link
            if link.text not in analyses:
                analyses[link.text] = next(stream)
            reading = read(
                analyses[link.text],
                link.start,
                link.end,
                lexicon=view.lexicon,
                is_title=view.is_form,
            )
            left[link.text] -= 1
            if not left[link.text]:
                del analyses[link.text]
            if reading is None:
                context.reject("no_word", rejected(link))
            else:
                yield replace(view, reading=reading)


class MentionRecords:
    """Writes each link that is left as a mention of its event."""

    def __init__(self, lang: str, index: EventIndex) -> None:
        self._lang = lang
        self._index = index

    def __call__(self, views: Iterator[LinkView], context: Context) -> Iterator[Out]:
        """Yields records of `EventMention` to the channel `mentions`."""
        for view in views:
            context.count("mentions")
            yield Out("mentions", asdict(self._mention(view)))

    def _mention(self, view: LinkView) -> EventMention:
        link, facts, reading = view.link, view.facts, view.reading
        assert reading is not None
        cluster = self._index.cluster(facts.title)
        return EventMention(
            id=f"{self._lang}wiki-{link.page_id}-{link.paragraph}-{link.start}",
            lang=self._lang,
            text=link.text,
            start=link.start,
            end=link.end,
            cluster=cluster.name,
            cluster_title=facts.title,
            event_type=cluster.event_type,
            infobox=facts.infobox,
            source=Source(link.page_title, link.page_id, link.paragraph),
            head=reading.head,
            lemma=reading.lemma or None,
            pos=reading.pos or None,
            ner=reading.ner or None,
            meta={"tokens": list(reading.tokens), "lemmas": list(reading.lemmas)},
        )
