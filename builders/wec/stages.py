"""The second pass over a dump as a list of stages: WEC's section 3, step by step.

3.1 Corpus creation: an event page is a page with an infobox for events (`known_events`, the first
    pass); every link to it in running text is a candidate for a mention of the event.
3.2 Filtering: links that show something else than the event are dropped, by filters on their words
    and on what the pipeline reads; of a cluster's equal strings four stay (`choose`).
3.3 Controlled dev and test: splits share neither cluster nor article (`splits`, `choose`). The
    authors read dev and test as well; nobody does here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from corefmill.builders.nlp import Analysis, Backend, load_wiki_pipeline
from corefmill.builders.run.stages import Context, Out, Progress, Setup, Stage, Unit, run_stages
from corefmill.builders.wec.event_index import EventIndex, LinkTarget
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.facts.lexicon import EventLexicon, words
from corefmill.builders.wec.filters import surface, syntax
from corefmill.builders.wec.filters.link_view import EventLink, LinkView, ParagraphWords
from corefmill.builders.wec.filters.reading import read
from corefmill.builders.wec.filters.surface import Filter
from corefmill.builders.wec.options import SURFACE, SYNTAX, WecOptions
from corefmill.builders.wec.paper import INFOBOX, PageWithInfobox, PaperLinks, PaperMentions
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import DumpSource, markup_settings
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.pages import normalise_title, pages
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.builders.wiki.dump.windows import DumpWindow
from corefmill.builders.wiki.markup import MarkupSettings, clean
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.builders.wiki.markup.render import SOFT_HYPHEN
from corefmill.builders.wiki.markup.settings import make_link
from corefmill.builders.wiki.markup.templates import OwnTemplates
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Source, Span

# Clean mode's stages: from articles to links to events, and from links to mentions.


BATCH = 64
"""Paragraphs that the pipeline reads at a time; the memory grows with their words. At 256, a dump
with many events took a gigabyte."""

UNREADABLE = ("paragraph_too_long", "no_word")
"""Reject reasons before any filter; `--without` does not take them."""


class LinksToEvents:
    """Finds the links to events, each with the filters' view of it."""

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
    """Drops links that a filter stops, under the name of the first such filter."""

    def __init__(self, name: str, filters: Mapping[str, Filter]) -> None:
        """`name` is the stage's name in the runner."""
        self.name = name
        self._filters = filters

    def __call__(self, views: Iterator[LinkView], context: Context) -> Iterator[LinkView]:
        for view in views:
            name = next((name for name, stops in self._filters.items() if stops(view)), None)
            if name is None:
                yield view
            else:
                context.reject(name, reject_record(view.link))


class ReadParagraphs:
    """Adds the pipeline's reading of each link; drops a link without a word as `no_word`."""

    def __init__(self, pipeline: Backend) -> None:
        self._pipeline = pipeline

    def __call__(self, views: Iterator[LinkView], context: Context) -> Iterator[LinkView]:
        """Reads the sentences with links of each paragraph of a unit, once, and keeps the analysis
        until the paragraph's last link."""
        waiting = list(views)
        left = Counter(view.link.text for view in waiting)
        context.count("paragraphs_analysed", len(left))
        places: dict[str, list[Span]] = {text: [] for text in left}
        for view in waiting:
            places[view.link.text].append((view.link.start, view.link.end))
        texts = list(places.items())
        batches = (texts[first : first + BATCH] for first in range(0, len(texts), BATCH))
        stream = chain.from_iterable(self._pipeline.around(batch) for batch in batches)
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
                context.reject("no_word", reject_record(link))
            else:
                yield replace(view, reading=reading)


class MentionRecords:
    """Writes each remaining link as a mention of its event."""

    def __init__(self, lang: str, index: EventIndex) -> None:
        self._lang = lang
        self._index = index

    def __call__(self, views: Iterator[LinkView], context: Context) -> Iterator[Out]:
        """Yield records of `EventMention` to the channel `mentions`."""
        for view in views:
            context.count("mentions")
            link, reading = view.link, view.reading
            assert reading is not None
            mention = self._index.make_mention(
                view.facts.title,
                lang=self._lang,
                source=Source(link.page_title, link.page_id, link.paragraph),
                text=link.text,
                span=(link.start, link.end),
                reading=reading,
                meta={"tokens": list(reading.tokens), "lemmas": list(reading.lemmas)},
            )
            yield Out("mentions", asdict(mention))


def stages(options: WecOptions, pipeline: Backend, index: EventIndex) -> list[Stage]:
    """Return the stages from chunks of a dump to records of event mentions."""
    if options.mode == "paper":
        return [
            ReadLinkingPages(options.lang, index, options.templates),
            PaperLinks(index),
            PaperMentions(options.lang, pipeline, index),
        ]
    return [
        ReadLinkingPages(options.lang, index, options.templates),
        LinksToEvents(index, lexicon.load(options.lang)),
        FilterLinks("surface filters", _in_force(surface, SURFACE, options)),
        ReadParagraphs(pipeline),
        FilterLinks("syntax filters", _in_force(syntax, SYNTAX, options)),
        MentionRecords(options.lang, index),
    ]


def _in_force(module: ModuleType, names: Sequence[str], options: WecOptions) -> dict[str, Filter]:
    """Select the module's filters in force, by name."""
    return {name: getattr(module, name) for name in names if name in options.filters}


def setup(options: WecOptions, index: Path) -> Sequence[Stage]:
    """Return the stages of one language for a worker process; load the pipeline."""
    return stages(options, load_wiki_pipeline(options.nlp, options.lang), EventIndex(index))


# The dumps of several Wikipedias as one input, and the stages of each for its own pages.


@dataclass(frozen=True, slots=True)
class WikiChunk:
    """A chunk of pages of the Wikipedia in `lang`, not always read yet."""

    lang: str
    chunk: Chunk | DumpWindow


class DumpsInTurn:
    """Units of `WikiChunk`: the dumps of several languages, one after the other.

    `besides` are other files that the corpus depends on.
    """

    shard_size = DumpSource.shard_size

    def __init__(self, dumps: Mapping[str, DumpSource], besides: Sequence[Path] = ()) -> None:
        self._dumps = dumps
        own = (path for dump in dumps.values() for path in dump.paths)
        self.paths = [*own, *besides]

    @property
    def most_workers(self) -> int:
        """Return the largest useful number of workers for all dumps together."""
        return 1 + sum(dump.most_workers - 1 for dump in self._dumps.values())

    def progress(self) -> Progress | None:
        """Compressed bytes of all dumps together."""
        found = [dump.progress() for dump in self._dumps.values()]
        known = [one for one in found if one is not None]
        totals = [one.total for one in known]
        total = None if None in totals else sum(cast(list[int], totals))
        return Progress(sum(one.done for one in known), total, "B")

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """Yield all chunks; raises as the dumps do.

        The dumps behind one that breaks off are read; the first error is raised at the end.
        """
        number = 0
        broke_off: DataError | None = None
        for lang, dump in self._dumps.items():
            before = number
            try:
                for unit in dump.units(()):
                    number = before + unit.index + 1
                    payload = unit.payload and WikiChunk(lang, unit.payload)
                    yield replace(unit, index=number - 1, payload=payload)
            except DataError as error:
                broke_off = broke_off or error
        if broke_off is not None:
            raise broke_off


@dataclass
class StagesByLanguage:
    """Stage to send the pages of each language through the stages of that language.

    It holds the stages of one language at a time, since dumps come one after the other: a worker
    needs memory for one pipeline only.
    """

    setups: Mapping[str, Setup]
    _now: tuple[str, Sequence[Stage]] = field(default=("", ()), init=False, repr=False)

    def __call__(self, payloads: Iterator[WikiChunk], context: Context) -> Iterator[Any]:
        for payload in payloads:
            if payload.lang != self._now[0]:
                self._now = ("", ())  # before the next is loaded
                self._now = (payload.lang, self.setups[payload.lang]())
            yield from run_stages(self._now[1], payload.chunk, context)


def setup_languages(setups: Mapping[str, Setup]) -> Sequence[Stage]:
    """Return the stages of all languages for a worker process; load no pipeline yet."""
    return [StagesByLanguage(setups)]


# Second pass over a dump, first stage: the pages that link to events, as clean articles.


_LINK = re.compile(r"\[\[([^][|\n]++)")


@dataclass(frozen=True, slots=True)
class ReadLinkingPages:
    """Cleans the pages with a link to an event, and notes their infoboxes.

    Cleaning a page costs a hundred times as much as a search for its links. The search goes over
    the wikitext, also in tables, notes and comments, and must not miss a link; the cleaner decides
    which of them are links.
    """

    lang: str
    index: EventIndex
    templates: OwnTemplates = ()

    def __call__(self, dump: Iterator[Chunk], context: Context) -> Iterator[Article]:
        """Counts `links` (of all pages) and `pages_cleaned`; rejects are those of `pages`."""
        for chunk in dump:
            site = chunk.site.for_language(self.lang)
            settings = markup_settings(site, self.templates)
            links = _Links(site, settings)
            for page in pages(chunk, self.lang, reject=context.reject):
                if page.ns != 0 or page.redirect is not None:
                    continue
                titles = links.titles(page.text)
                context.count("links", len(titles))
                if "" not in titles and not self.index.has_any(titles):
                    continue
                context.count("pages_cleaned")
                kind = PageWithInfobox if INFOBOX in page.text else Article
                yield kind(
                    key=f"{self.lang}wiki-{page.page_id}",
                    title=page.title,
                    page_id=page.page_id,
                    paragraphs=clean(page.text, settings).paragraphs,
                    site=site,
                )


class _Links:
    """Brings a target behind `[[` to its article's title, as the cleaner does."""

    def __init__(self, site: SiteInfo, settings: MarkupSettings) -> None:
        self._site = site
        self._settings = settings
        self._title = cache(self._title_of)

    def titles(self, text: str) -> list[str]:
        """List the titles of the articles linked by a page, "" where only cleaning can tell."""
        found = map(self._title, _LINK.findall(text))
        return [title for title in found if title is not None]

    def _title_of(self, target: str) -> str | None:
        """Resolve a link's target to an article's title: None for no article, "" if unclear."""
        if "<" in target or "{{" in target or "-{" in target:
            return ""
        link = make_link(0, 0, target.replace(SOFT_HYPHEN, ""), self._settings)
        if link is None or not link.target:
            return None
        return normalise_title(link.target, self._site)[0] or None


# From a page's clean paragraphs to its links that lead to events (WEC, section 3.1).


LONGEST_PARAGRAPH = 20_000
"""Longest paragraph, in characters: a longer one is not prose, and would cost memory."""

LONGEST_POINTER = 300
"""Most characters of a paragraph that only points to another page."""
_CLOSING = "\"'”’») 」』）"
_STOPS = tuple(".!?:;。！？：；۔।։")

PLACES = ("self_link", "words_lost", "not_prose", "back_matter", "hatnote")
"""Reasons to reject a link for its place; `--without` does not take them."""

Resolve = Callable[[str], LinkTarget | None]
"""Maps the title of a link to its event, None for a link to anything else."""


def event_links(
    article: Article, resolve: Resolve, lexicon: EventLexicon, context: Context
) -> Iterator[EventLink]:
    """Yield the article's links to events whose place allows a mention.

    Counts each link to an event. Rejects links for the reasons in PLACES, and links in a paragraph
    that is too long, which are counted without a record, since each would carry the whole text.
    """
    for paragraph in article.paragraphs:
        too_long = len(paragraph.text) > LONGEST_PARAGRAPH
        # Computed once for all links, since a paragraph may have any number of them.
        place = "" if too_long or not paragraph.links else _fault(paragraph, lexicon)
        for link in paragraph.links:
            target = resolve(article.title_of(link.target)) if link.target else None
            if target is None:
                continue
            context.count("links_to_events")
            found = EventLink(
                page_title=article.title,
                page_id=article.page_id,
                paragraph=paragraph.index,
                text=paragraph.text,
                start=link.start,
                end=link.end,
                target=target.event,
                section=link.section or target.section,
                listed=paragraph.kind != "prose",
            )
            fault = "self_link" if found.target == found.page_title else place
            if too_long:
                context.reject("paragraph_too_long")
            elif fault:
                context.reject(fault, reject_record(found))
            else:
                yield found


def _fault(paragraph: Paragraph, lexicon: EventLexicon) -> str:
    """Name the reason against all links of the paragraph, "" if any may be a mention."""
    if paragraph.lacks_words():  # a mention comes with its whole paragraph
        return "words_lost"
    if paragraph.kind != "prose":
        # A sentence in a list, not "... (see there)"; its verb is asked for later (`no_sentence`).
        item = paragraph.text.rstrip(_CLOSING) if paragraph.kind in ("list", "indent") else ""
        if not item.endswith(_STOPS) or set(words(item)) & lexicon.pointers:
            return "not_prose"
    if paragraph.section.casefold() in lexicon.back_matter:
        return "back_matter"
    # A pointer to another page: "See also ...", "For the flood of Vesk, see ...".
    text = paragraph.text.casefold()
    points = len(text) <= LONGEST_POINTER and any(
        text.startswith(f"{word} ") or f", {word} " in text for word in lexicon.pointers
    )
    return "hatnote" if points or text.startswith(lexicon.hatnotes) else ""


def reject_record(link: EventLink) -> dict[str, object]:
    """Describe a link for --keep-rejects."""
    return {
        "title": link.page_title,
        "page_id": link.page_id,
        "text": link.text,
        "start": link.start,
        "end": link.end,
        "mention": link.text[link.start : link.end],
        "target": link.target,
    }
