"""The stages of the control corpus: from articles to passages of the sizes wanted, with tickets."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from corefmill.builders.nlp import Analysis, Backend, load
from corefmill.builders.persons import table
from corefmill.builders.persons.prefilter import cut_at_borders
from corefmill.builders.runner.stages import Context, Out, Stage, seeded
from corefmill.builders.wiki.article import Article, prose
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.builders.wikirand.quotas import Cell, Quotas
from corefmill.builders.wikirand.words import words
from corefmill.corpora.records import Span

_LONGEST = 100_000
"""Characters of a paragraph; what is longer is no prose, and would cost memory."""
_TICKET_BITS = 63  # a positive BIGINT


@dataclass(frozen=True, slots=True)
class WikirandOptions:
    """What the stages depend on besides their input."""

    lang: str
    mode: str
    nlp: str
    quotas: Quotas

    def as_json(self) -> dict[str, Any]:
        """The options for a manifest."""
        own = {"lang": self.lang, "mode": self.mode, "nlp": self.nlp}
        return {**own, "quotas": self.quotas.as_json()}


def setup(read: Stage, options: WikirandOptions) -> Sequence[Stage]:
    """The stages for one worker process; loads the pipeline."""
    return [read, Sampler(options, load(options.nlp, options.lang))]


@dataclass(frozen=True, slots=True)
class _Passage:
    """One sentence or two adjacent ones; all offsets are the paragraph's."""

    article: Article
    paragraph: Paragraph
    sentences: tuple[Span, ...]
    tokens: tuple[Span, ...]

    @property
    def cell(self) -> Cell:
        return Cell(len(self.sentences), len(self.tokens))

    @property
    def text(self) -> str:
        return self.paragraph.text[self.sentences[0][0] : self.sentences[-1][1]]

    def record(self, unit: int, row: int, ticket: int) -> dict[str, Any]:
        """As the shards hold it: unit and row say where it stands in the input."""
        shift = self.sentences[0][0]
        count, length = self.cell
        return {
            "unit": unit,
            "row": row,
            "ticket": ticket,
            "sentences": count,
            "length": length,
            "id": f"{self.article.key}-{self.paragraph.index}-{shift}-{count}",
            "text": self.text,
            "spans": [(start - shift, end - shift) for start, end in self.sentences],
            "tokens": [(start - shift, end - shift) for start, end in self.tokens],
            "source": {
                "title": self.article.title,
                "page_id": self.article.page_id,
                "paragraph": self.paragraph.index,
            },
        }


class _Lowest:
    """The passages of one size with the lowest tickets; of repeated ones the first."""

    def __init__(self, room: int) -> None:
        self._room = room
        # The highest ticket is on top and leaves first.
        self._heap: list[tuple[int, int, _Passage]] = []
        self._tickets: set[int] = set()

    def offer(self, ticket: int, order: int, passage: _Passage) -> None:
        """Keeps the passage, number `order` of its unit, if it is among the lowest."""
        if ticket in self._tickets:
            return
        self._tickets.add(ticket)
        heapq.heappush(self._heap, (-ticket, order, passage))
        if len(self._heap) > self._room:
            self._tickets.remove(-heapq.heappop(self._heap)[0])

    def kept(self) -> Iterator[tuple[int, int, _Passage]]:
        """Order, ticket and passage."""
        return ((order, -ticket, passage) for ticket, order, passage in self._heap)


class Sampler:
    """Keeps, of each size and unit, the passages with the lowest tickets.

    A ticket depends on the seed and the passage's words alone: the same text has the same ticket
    wherever it stands, so that repeated passages are found, and the draw of the whole corpus is
    the same however its input was cut.
    """

    def __init__(self, options: WikirandOptions, pipeline: Backend) -> None:
        self._options = options
        self._pipeline = pipeline
        self._titles = table.load(options.lang).titles

    def __call__(self, articles: Iterator[Any], context: Context) -> Iterator[Out]:
        """Yields to the channel `passages`."""
        paragraphs = list(self._paragraphs(articles, context))
        characters = sum(len(paragraph.text) for _, paragraph in paragraphs)
        lowest: dict[Cell, _Lowest] = {}
        for order, passage in enumerate(self._passages(paragraphs)):
            context.count("passages")
            room = self._options.quotas.room(passage.cell, characters)
            if room and self._has_word(passage):
                key = " ".join(passage.text.split()).casefold()
                ticket = seeded(context.seed, key).getrandbits(_TICKET_BITS)
                lowest.setdefault(passage.cell, _Lowest(room)).offer(ticket, order, passage)
        kept = (entry for cell in lowest.values() for entry in cell.kept())
        for row, (_, ticket, passage) in enumerate(sorted(kept, key=itemgetter(0))):
            yield Out("passages", passage.record(context.unit, row, ticket))

    def _paragraphs(
        self, articles: Iterator[Any], context: Context
    ) -> Iterator[tuple[Article, Paragraph]]:
        for article, paragraph in prose(articles, context):
            if len(paragraph.text) > _LONGEST:
                context.reject("paragraph_too_long")
            else:
                yield article, paragraph

    def _passages(self, paragraphs: Sequence[tuple[Article, Paragraph]]) -> Iterator[_Passage]:
        analyses = self._pipeline.sentences(paragraph.text for _, paragraph in paragraphs)
        for (article, paragraph), analysis in zip(paragraphs, analyses, strict=True):
            before: tuple[Span, tuple[Span, ...]] | None = None
            for sentence, tokens in self._sentences(analysis):
                yield _Passage(article, paragraph, (sentence,), tokens)
                if before is not None:
                    pair = (before[0], sentence)
                    yield _Passage(article, paragraph, pair, before[1] + tokens)
                before = (sentence, tokens)

    def _sentences(self, analysis: Analysis) -> Iterator[tuple[Span, tuple[Span, ...]]]:
        """Each sentence with its tokens, cut as the masked names' builder cuts."""
        paper = self._options.mode == "paper"
        position = 0
        sentences = analysis.sentences if paper else cut_at_borders(analysis, self._titles)
        for start, end in sentences:
            first = position
            while position < len(analysis.tokens) and analysis.tokens[position][1] <= end:
                position += 1
            if position > first:
                yield (start, end), analysis.tokens[first:position]

    def _has_word(self, passage: _Passage) -> bool:
        ascii_only = self._options.mode == "paper"
        found = words(passage.paragraph.text, passage.tokens, ascii_only=ascii_only)
        return next(found, None) is not None
