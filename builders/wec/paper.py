"""`--mode paper`: take links from a page as the original did, with all its quirks, and filter them.

The original turned wikitext into HTML and read its paragraphs node by node (extract-wec, the
commands `wecdb` and `wecjson`). So it differs from clean mode:

1. Only pages with an infobox are read; it must be written `{{Infobox`.
2. A paragraph's tokens are its nodes' texts, cut at single blanks: "fire," is one token, but two if
   a link ends before the comma. White space alone between two nodes is an empty token.
3. Links within italics or bold do not count. Links through redirects and to sections find nothing.
   A page's links to itself count.
4. The fifth and every further mention of a cluster with the same letters is dropped; mentions that
   the next two steps drop count, too.
5. A mention has seven tokens at most. It is tagged out of its context; the entity label of the root
   of its first sentence decides (the paper's labels, of any pipeline here).
6. A paragraph with "colspan" or "http" in it is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from corefmill.builders.nlp import Backend
from corefmill.builders.run.stages import Context, Out
from corefmill.builders.wec.event_index import EventIndex
from corefmill.builders.wec.facts.infoboxes import EventJudge
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wec.filters.reading import Reading, read
from corefmill.builders.wec.filters.syntax import NOT_EVENTS
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import EventMention, Source, Span

INFOBOX = "{{Infobox"
"""The original's pattern of an infobox."""
LONGEST_SPAN = 7
BOILERPLATE = ("colspan", "http")

NOT_FOUND = ("section_link", "through_redirect")
"""Links that the original's look-up never found."""

MOST_WRITTEN = 1 << 24
"""Most characters in the mentions of one paragraph, each of which carries the whole paragraph.

The original has no such limit. No article comes near it, with 800 links to events in 20,000
characters; but a hostile page's mentions would fill any disk.
"""

FAULTS = ("span_too_long", "not_event_label", "boilerplate")
FAULT = "fault"
"""The key of `meta` that says which of FAULTS drops a mention, once step 4 has counted it."""


@dataclass(frozen=True, slots=True)
class PageWithInfobox(Article):
    """An article with an infobox in its wikitext."""


@dataclass(frozen=True, slots=True)
class PaperLink:
    """A mention: tokens `first` to `last` of the context, and where it leads."""

    article: Article
    paragraph: int
    tokens: tuple[str, ...]
    first: int
    last: int
    target: str

    @property
    def words(self) -> tuple[str, ...]:
        return self.tokens[self.first : self.last + 1]

    @property
    def text(self) -> str:
        return " ".join(self.words)


class PaperLinks:
    """Finds the original's links in pages with an infobox."""

    def __init__(self, index: EventIndex) -> None:
        self._index = index

    def __call__(self, articles: Iterator[Article], context: Context) -> Iterator[PaperLink]:
        """Counts `links_to_events` and `mentions`."""
        for article in articles:
            if isinstance(article, PageWithInfobox):
                yield from self._of_article(article, context)

    def _of_article(self, article: Article, context: Context) -> Iterator[PaperLink]:
        """Yield the links to events in an article's prose, as the original finds them."""
        for paragraph in article.prose:
            if paragraph.lost:
                context.count("paragraphs_lacking_words")
            tokens, links = nodes(paragraph)
            found: list[PaperLink] = []
            for first, last, number in links:
                link = paragraph.links[number]
                title = article.title_of(link.target) if link.target else ""
                target = self._index.target(title) if title else None
                if target is None:
                    continue
                context.count("links_to_events")
                if link.section is not None:
                    context.reject("section_link")
                elif target.event != title:
                    context.reject("through_redirect")
                else:
                    found.append(PaperLink(article, paragraph.index, tokens, first, last, title))
            if len(paragraph.text) * len(found) > MOST_WRITTEN:
                for _ in found:
                    context.reject("paragraph_too_long")
            elif found:
                context.count("mentions", len(found))
                yield from found


class PaperMentions:
    """Makes tagged mentions of links as the original did.

    The quota (step 4) needs the whole corpus and comes later."""

    def __init__(self, lang: str, pipeline: Backend, index: EventIndex) -> None:
        self._lang = lang
        self._pipeline = pipeline
        self._index = index

    def __call__(self, links: Iterator[PaperLink], context: Context) -> Iterator[Out]:
        """Yields records of `EventMention` to the channel `mentions`, the dropped ones too."""
        found = list(links)
        texts = list(dict.fromkeys(link.text for link in found))
        analyses = dict(zip(texts, self._pipeline.full(texts), strict=True))
        for link in found:
            analysis = analyses[link.text]  # its first sentence, taken for a mention
            reading = read(analysis, *analysis.sentences[0]) if analysis.sentences else None
            yield Out("mentions", asdict(self._mention(link, reading)))

    def _mention(self, link: PaperLink, reading: Reading | None) -> EventMention:
        """Make the record of a mention, with the fault by which a later step drops it."""
        text = " ".join(link.tokens)
        start = len(" ".join(link.tokens[: link.first])) + bool(link.first)
        fault = "boilerplate" if any(mark in text for mark in BOILERPLATE) else ""
        if reading is None or reading.ner in NOT_EVENTS:
            fault = "not_event_label"
        if len(link.words) > LONGEST_SPAN:
            fault = "span_too_long"
        if reading is not None:
            reading = replace(reading, head=(start + reading.head[0], start + reading.head[1]))
        return self._index.make_mention(
            link.target,
            lang=self._lang,
            source=Source(link.article.title, link.article.page_id, link.paragraph),
            text=text,
            span=(start, start + len(link.text)),
            reading=reading,
            meta={FAULT: fault} if fault else {},
        )


def nodes(paragraph: Paragraph) -> tuple[tuple[str, ...], list[tuple[int, int, int]]]:
    """Split a paragraph into tokens; find its links as (first token, last token, link number).

    The paragraph's children are, in order, its texts, its links, and what is in italics or bold.
    """
    tokens: list[str] = []
    found: list[tuple[int, int, int]] = []
    position = 0
    for (start, end), link in [*_elements(paragraph), ((len(paragraph.text),) * 2, None)]:
        if start > position:
            tokens += paragraph.text[position:start].strip().split(" ")
        if end > start:
            first = len(tokens)
            shown = paragraph.text[start:end].strip()
            tokens += shown.split(" ")
            if link is not None and shown:
                found.append((first, len(tokens) - 1, link))
        position = max(position, end)
    return tuple(tokens), found


def _elements(paragraph: Paragraph) -> Iterator[tuple[Span, int | None]]:
    """Yield the outermost links, by number, and the emphasised passages (None), in order."""
    # Of two that begin together the longer is outside; of equals the emphasis is.
    spans = [(start, -end, 0, None) for start, end in (*paragraph.italic, *paragraph.bold)]
    links = [(link.start, -link.end, 1, n) for n, link in enumerate(paragraph.links)]
    position = 0
    for start, end, _, link in sorted([*spans, *links], key=lambda element: element[:3]):
        if start >= position and -end > start:
            yield (start, -end), link
            position = -end


# `--mode paper`: the original's choice of event pages (the configuration of extract-wec).


_OPENING = "{{Infobox"
_BRACE = re.compile(r"[{}]")
_SKIPPED = ("portal:", "category:", "file:", "wikipedia:", "draft:", "template:")

CONFIGURATION: Mapping[str, Mapping[str, str]] = disk.read_package_table(__file__, "paper")
"""The rows of the paper's table 7 by the original's types, and by their names of infoboxes."""
_TITLE_WITH_DATE = (
    re.compile(r"\s?\d\d?th\s", re.ASCII),
    re.compile(r"[12][90][0-9][0-9]"),
    re.compile(r"\b[MDCLXVI]+\b", re.ASCII),
)
_SEARCHES = {
    coref_type: re.compile(rf"\{{\{{infobox[\w|]*?({'|'.join(names)})", re.ASCII)
    for coref_type, names in CONFIGURATION.items()
}

_SPACED = "|".join(" *".join(name) for names in CONFIGURATION.values() for name in names)


class PaperInfoboxes(EventJudge):
    """Judges pages by the original's rules, as `InfoboxTable` does by corefmill's."""

    # Every event page has this in its wikitext.
    pattern = rf"\{{\{{Infobox[^\n=]*?(?i:{_SPACED})"
    identity = "paper"

    def __init__(self, lang: str, fields: EventFields) -> None:
        """Raises `UsageError` unless the language is English: no other was published."""
        if lang != "en":
            raise UsageError(
                f"--mode paper is for English only, not for {lang!r}", remedy="use --mode clean"
            )
        self._fields = fields

    @property
    def fields(self) -> EventFields:
        """The fields of infoboxes, by what they hold."""
        return self._fields

    def event_page_of(
        self,
        title: str,
        wikitext: str,
        *,
        page_id: int = 0,
        template_prefixes: Sequence[str] = (),
    ) -> EventPage | None:
        """Return the page as an event, by the row of table 7, with the name found."""
        if any(word in title.lower() for word in _SKIPPED):
            return None
        infobox = first_infobox(wikitext).lower().replace(" ", "")
        for coref_type, search in _SEARCHES.items():
            match = search.search(infobox)
            if match and (coref_type != "AWARD_EVENT" or title_with_date(title)):
                return EventPage(title, page_id, CONFIGURATION[coref_type][match[1]], match[1], {})
        return None


def first_infobox(wikitext: str) -> str:
    """Cut from the first `{{Infobox` to its closing brace, or to the end; "" without one."""
    start = wikitext.find(_OPENING)
    if start < 0:
        return ""
    depth = 0
    for brace in _BRACE.finditer(wikitext, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return wikitext[start : brace.end()]
    return wikitext[start:]


def title_with_date(title: str) -> bool:
    """Check a title for a date as the original's `TitleWithDate` did.

    It misses 1st, 2nd and 3rd, and takes any capitals for Roman.
    """
    return any(expression.search(title) for expression in _TITLE_WITH_DATE)
