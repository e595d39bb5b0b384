"""The stages of the control corpus: from articles to passages of the sizes wanted."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any

from corefmill.builders.nlp import Backend, load_wiki_pipeline
from corefmill.builders.persons import table
from corefmill.builders.persons.prefilter import cut_at_borders
from corefmill.builders.run.stages import Context, HashSample, Out, Stage, make_random
from corefmill.builders.wiki.article import Article, Redirect, prose
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.builders.wikirand.options import WikirandOptions
from corefmill.builders.wikirand.quotas import Cell, Quotas
from corefmill.corpora.records import MaskedExample, Source, Span


def is_word(token: str, *, ascii_only: bool) -> bool:
    """Tell whether a token is two or more letters, in the published format ASCII letters."""
    if len(token) < 2 or (ascii_only and not token.isascii()):
        return False
    # Vowel signs of many scripts are marks, which `isalpha` does not take for letters.
    return token.isalpha() or all(unicodedata.category(letter)[0] in "LM" for letter in token)


def select_words(text: str, tokens: Sequence[Span], *, ascii_only: bool) -> Iterator[Span]:
    """Select the tokens that are words."""
    return (
        (start, end) for start, end in tokens if is_word(text[start:end], ascii_only=ascii_only)
    )


def make_example(
    passage: Mapping[str, Any], vocabulary: Sequence[str], *, lang: str, mode: str, seed: int
) -> MaskedExample:
    """Mask a word drawn from the passage, and draw the wrong one from the vocabulary.

    The rest of the passage is unchanged. Occurrences of either word count whatever their case. In
    paper mode the right word comes first. `vocabulary` must have two words, case aside.
    """
    text, tokens = passage["text"], passage["tokens"]
    rng = make_random(seed, "mask", passage["id"])
    target = rng.choice(list(select_words(text, tokens, ascii_only=mode == "paper")))
    right = text[target[0] : target[1]]
    wrong = right
    while wrong.casefold() == right.casefold():
        wrong = rng.choice(vocabulary)
    label = 0 if mode == "paper" else rng.randrange(2)
    candidates = (right, wrong) if label == 0 else (wrong, right)
    folded = [word.casefold() for word in candidates]
    return MaskedExample(
        id=passage["id"],
        lang=lang,
        text=text,
        sentences=tuple((start, end) for start, end in passage["spans"]),
        target=target,
        candidates=candidates,
        mentions=tuple(
            (folded.index(word), start, end)
            for start, end in tokens
            if (word := text[start:end].casefold()) in folded and (start, end) != target
        ),
        label=label,
        source=Source(**passage["source"]),
        meta={"tokens": tokens},
    )


PASSAGES = "passages"
"""The channel of the passages of all sizes that may be drawn."""

_LONGEST = 100_000
"""Characters of a paragraph."""
_TICKET_BITS = 63  # a positive BIGINT


def setup(read: Stage, options: WikirandOptions, quotas: Quotas) -> Sequence[Stage]:
    """Make the stages for one worker process, with its pipeline."""
    paper = options.mode == "paper"
    titles = None if paper else table.load(options.lang).titles
    pipeline = load_wiki_pipeline(options.pipeline, options.lang)
    return [
        read,
        partial(list_passages, pipeline, titles, quotas.most_sentences),
        partial(draw_lowest, quotas, ascii_only=paper),
    ]


@dataclass(frozen=True, slots=True)
class RandomPassage:
    """A sentence, or several in sequence; offsets are the paragraph's.

    `characters` is the size of the prose that it was read with.
    """

    article: Article
    paragraph: Paragraph
    sentences: tuple[Span, ...]
    tokens: tuple[Span, ...]
    characters: int

    @property
    def cell(self) -> Cell:
        """The passage's size."""
        return Cell(len(self.sentences), len(self.tokens))

    @property
    def text(self) -> str:
        """The passage's text."""
        return self.paragraph.text[self.sentences[0][0] : self.sentences[-1][1]]

    def record(self, unit: int, row: int, ticket: int) -> dict[str, Any]:
        """Make the record for the shards; unit and row are its place in the input."""
        article, paragraph = self.article, self.paragraph
        shift = self.sentences[0][0]
        place = paragraph.place(shift, self.sentences[-1][1])
        count, length = self.cell
        return {
            "unit": unit,
            "row": row,
            "ticket": ticket,
            "sentences": count,
            "length": length,
            "id": f"{article.key}-{paragraph.index}-{shift}-{count}",
            "text": self.text,
            "spans": [(start - shift, end - shift) for start, end in self.sentences],
            "tokens": [(start - shift, end - shift) for start, end in self.tokens],
            "source": Source(article.title, article.page_id, paragraph.index, *place).as_json(),
        }


def list_passages(
    pipeline: Backend,
    titles: Container[str] | None,
    most: int,
    articles: Iterator[Article | Redirect],
    context: Context,
) -> Iterator[RandomPassage]:
    """List all sequences of up to `most` sentences of the paragraphs of running text.

    In clean mode, with `titles`, no sequence contains a sentence that lacks words.
    """
    unit = list(prose(articles, context, _LONGEST))  # whole, since batches are faster
    characters = sum(len(paragraph.text) for _, paragraph in unit)
    analyses = pipeline.sentences(paragraph.text for _, paragraph in unit)
    for (article, paragraph), analysis in zip(unit, analyses, strict=True):
        last: deque[Span] = deque(maxlen=most)
        for sentence in analysis.sentences if titles is None else cut_at_borders(analysis, titles):
            if not _within(analysis.tokens, *sentence):
                continue
            if titles is not None and paragraph.lacks_words(*sentence):
                context.reject("words_lost")
                last.clear()
                continue
            last.append(sentence)
            for first in range(len(last) - 1, -1, -1):
                spans = tuple(islice(last, first, None))
                tokens = _within(analysis.tokens, spans[0][0], spans[-1][1])
                yield RandomPassage(article, paragraph, spans, tokens, characters)


def _within(tokens: tuple[Span, ...], start: int, end: int) -> tuple[Span, ...]:
    """Select the tokens between two offsets; a quotation mark may stand between two sentences."""
    return tokens[bisect_left(tokens, (start,)) : bisect_right(tokens, end, key=itemgetter(1))]


def draw_lowest(
    quotas: Quotas, passages: Iterator[RandomPassage], context: Context, *, ascii_only: bool
) -> Iterator[Out]:
    """Draw the passages with the lowest tickets, for each size up to its quota.

    A ticket is a hash of the seed and the passage's words alone. So the draw of the whole corpus
    is the same however its input was cut, and repeated passages have the same ticket: the first
    one is kept.
    """
    # Continue the row numbers behind the passages that earlier calls found in this unit.
    first_row = context.counts["passages"]
    samples: dict[Cell, HashSample[int, tuple[int, int, RandomPassage]]] = {}
    for order, passage in enumerate(passages):
        context.count("passages")
        room = quotas.compute_room(passage.cell, passage.characters)
        if room and any(  # a passage needs a word to mask
            select_words(passage.paragraph.text, passage.tokens, ascii_only=ascii_only)
        ):
            key = " ".join(passage.text.split()).casefold()
            ticket = make_random(context.seed, key).getrandbits(_TICKET_BITS)
            sample = samples.setdefault(passage.cell, HashSample(room))
            sample.offer(ticket, ticket, (order, ticket, passage))
    drawn = sorted(
        (entry for sample in samples.values() for entry in sample.values()),
        key=lambda entry: entry[0],
    )
    for row, (_, ticket, passage) in enumerate(drawn, first_row):
        yield Out(PASSAGES, passage.record(context.unit, row, ticket))
