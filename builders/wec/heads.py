"""Head, lemma, part of speech and entity of event mentions that came without, by a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from corefmill.builders.nlp import Analysis
from corefmill.builders.nlp.backend import Backend, SentenceWords, WordsBackend
from corefmill.builders.wec.filters.reading import read
from corefmill.corpora.records import EventMention, Span

_BATCH = 2048
"""Mentions that are read at a time; each text among them is analysed once."""

_Place = tuple[str, Span, bool]
"""A text, the part of it that is analysed, and whether its words are separated by spaces alone."""


def with_heads(mentions: Iterable[EventMention], pipeline: Backend) -> Iterator[EventMention]:
    """The mentions in order, with `head`, `lemma`, `pos` and `ner` as the pipeline reads them.

    What a mention had of these is replaced; one that holds no word is left as it is. A mention
    whose record names its sentence (`meta["sentence_span"]`, as ECB+ has it, whose text is words
    with one space between) is read in that sentence, by those words where the pipeline takes
    words; any other in its whole text.
    """
    left = iter(mentions)
    while batch := list(islice(left, _BATCH)):
        places = [_place(mention) for mention in batch]
        analysed = _analysed(list(dict.fromkeys(places)), pipeline)
        for mention, place in zip(batch, places, strict=True):
            yield _read(mention, analysed[place], place[1][0])


def _place(mention: EventMention) -> _Place:
    size = len(mention.text)
    match mention.meta.get("sentence_span"):
        case [int(start), int(end)] if (
            0 <= start <= mention.start < end <= size and "  " not in mention.text[start:end]
        ):
            return mention.text, (start, max(end, mention.end)), True
    return mention.text, (0, size), False


def _analysed(places: Sequence[_Place], pipeline: Backend) -> dict[_Place, Analysis]:
    by_words = [place for place in places if place[2] and isinstance(pipeline, WordsBackend)]
    of_words = set(by_words)
    others = [place for place in places if place not in of_words]
    found = dict(zip(others, pipeline.full(map(_text, others)), strict=True))
    if isinstance(pipeline, WordsBackend):
        analyses = pipeline.on_words(
            SentenceWords(_words(one), [True] * len(_words(one))) for one in by_words
        )
        found |= zip(by_words, analyses, strict=True)
    return found


def _text(place: _Place) -> str:
    text, (start, end), _ = place
    return text[start:end]


def _words(place: _Place) -> list[str]:
    return _text(place).split(" ")


def _read(mention: EventMention, analysis: Analysis, begin: int) -> EventMention:
    parts = [(start - begin, end - begin) for start, end in mention.parts]
    found = read(analysis, mention.start - begin, mention.end - begin, parts)
    if found is None:
        return mention
    return replace(
        mention,
        head=(found.head[0] + begin, found.head[1] + begin),
        lemma=found.lemma or None,
        pos=found.pos or None,
        ner=found.ner or None,
    )
