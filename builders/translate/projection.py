"""The dataset gamma by marks: whole utterances translated, and their mentions found in them.

`MarkTranslation` goes over all parts of a unit at once, so that each step is one batch. Utterances
are translated with their mentions in marks. Where a mention is lost, the utterance goes again with
other marks, then with placeholders where its languages have these, and of what is lost still each
mention is translated alone and looked for in the utterance: it must be there once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Protocol

from corefmill.builders.nlp import Analysis
from corefmill.builders.run.stages import Context
from corefmill.builders.translate.engines.answers import translations, why_not
from corefmill.builders.translate.engines.protocol import NotAnswered, Translator
from corefmill.builders.translate.gamma.edits import begins_with_capital, capitalise
from corefmill.builders.translate.gamma.gamma import (
    GammaTranslation,
    TranslatedPart,
    TranslatedUtterance,
    as_words,
    reject_utterance,
)
from corefmill.builders.translate.gamma.marks import (
    STYLES,
    MarkedMention,
    MarkedReading,
    MarkLost,
    add_marks,
    find_misplaced,
    number_mentions,
    read,
)
from corefmill.builders.translate.gamma.placeholders import write_in_full
from corefmill.builders.translate.gamma.realise import PlacedMention, Realised
from corefmill.builders.translate.gamma.target import TargetParser
from corefmill.builders.translate.source_side import selection
from corefmill.builders.translate.source_side.analysis import SourceParser
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    SourceUtterance,
)
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Span
from corefmill.rules.languages import enclitics

WAYS = ("first", "second", "placeholders", "found")
"""How a mention came back: by the marks of the first try or the second, by placeholders, or as its
own translation that was found in its utterance's."""

_SPOILT = "spoilt"
"""The reason of mentions whose utterance comes back with pieces of marks, in both tries."""
_LETTERS = 4
"""Of a translation that is looked for in another; shorter ones are found in too many places."""
_OUTSIDE = " \t.,;:!?¿¡"


class Fallback(Protocol):
    """Another method, for utterances with lost mentions."""

    def __call__(
        self, parts: Sequence[DocumentPart], seed: int
    ) -> list[dict[int, TranslatedUtterance]]:
        """For each part, by the index of the utterance, what came back whole."""


@dataclass(slots=True)
class MarkDraft:
    """An utterance on its way; `mentions` are those with a text of their own, `marks` their marks.

    `text` is what is translated, in which the marks stand.
    `reading` is the best translation so far, `by` how each of its mentions came back. What is
    `awaited`, since somebody has yet to translate it, is not asked for in another way.
    """

    utterance: SourceUtterance
    text: str
    mentions: tuple[ChainMention, ...]
    marks: tuple[MarkedMention, ...]
    reading: MarkedReading | None = None
    by: str = ""
    failed: str = ""
    awaited: bool = False
    found: dict[int, Span] = field(default_factory=dict)

    @classmethod
    def of(cls, utterance: SourceUtterance, *, rewording: bool) -> MarkDraft:
        """The utterance before it is translated; with `rewording`, which is for English, a verb's
        clitic behind a mention is in full: `<1>I</1> am`, which translators keep apart."""
        pieces = list(utterance.pieces)
        for mention in utterance.mentions if rewording else ():
            if (end := mention.end) < len(pieces):
                full = write_in_full(utterance.forms, utterance.tags, end)
                pieces[end] = pieces[end] if full == utterance.forms[end] else f" {full}"
        places, text = [0, *accumulate(map(len, pieces))], "".join(pieces)
        kept: list[ChainMention] = []
        spans: list[Span] = []
        for mention in utterance.mentions:
            start, end = places[mention.start], places[mention.end]
            while start < end and text[start].isspace():
                start += 1
            if start < end:
                kept.append(mention)
                spans.append((start, end))
        return cls(utterance, text, tuple(kept), number_mentions(text, spans))

    @property
    def is_whole(self) -> bool:
        """Whether nothing was lost."""
        return self.reading is not None and not self.reading.lost

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to ask for now."""
        return self.is_whole or self.awaited

    def take(self, answer: str | DataError, by: str, lang: str) -> None:
        """Keep a translation better than the one before."""
        self.failed = why_not(answer) if isinstance(answer, DataError) else ""
        self.awaited = isinstance(answer, NotAnswered)
        if isinstance(answer, DataError):
            return
        reading = read(answer, self.marks, enclitics(lang))
        if reading is None or (self.reading is not None and self.reading.lost <= reading.lost):
            return
        self.reading, self.by = reading, by

    def take_plain(self, answer: str | DataError) -> None:
        """Keep a translation without marks, with every mention yet to be found."""
        self.failed = why_not(answer) if isinstance(answer, DataError) else ""
        if not isinstance(answer, DataError):
            lost = (MarkLost.MISSING,) * len(self.marks)
            self.reading, self.by = MarkedReading(answer, lost), _SPOILT

    def find_lost(self) -> list[tuple[int, str]]:
        """The mentions without a span, by their place, with the reason."""
        assert self.reading is not None
        return [
            (place, _SPOILT if self.by == _SPOILT else span)
            for place, span in enumerate(self.reading.spans)
            if isinstance(span, MarkLost) and self.marks[place].number not in self.found
        ]

    def spans(self) -> dict[int, Span]:
        """The spans of mentions by the numbers of their marks."""
        assert self.reading is not None
        pairs = zip(self.marks, self.reading.spans, strict=True)
        kept = {mark.number: span for mark, span in pairs if not isinstance(span, MarkLost)}
        return {**kept, **self.found}

    def look_for(self, place: int, alone: str) -> None:
        """Find the only place of a mention's own translation in the utterance's."""
        assert self.reading is not None
        mark, source, text = self.marks[place], self.text, self.reading.text
        if len(_places(source[mark.start : mark.end], source)) != 1:
            return
        words = alone.strip(_OUTSIDE)
        if sum(map(str.isalnum, words)) < _LETTERS:
            return
        span = _only(words, text) or _only(words[:1].lower() + words[1:], text)
        spans = self.spans()
        if span is None or any(_crosses(span, other) for other in spans.values()):
            return
        if mark.number not in find_misplaced(self.marks, {**spans, mark.number: span}):
            self.found[mark.number] = span


def _places(words: str, text: str) -> list[Span]:
    return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text)]


def _only(words: str, text: str) -> Span | None:
    places = _places(words, text)
    return places[0] if len(places) == 1 else None


def _crosses(one: Span, other: Span) -> bool:
    """Whether two spans are the same, or hold a part of each other."""
    first, second = sorted((one, other), key=lambda span: (span[0], -span[1]))
    return one == other or (second[0] < first[1] < second[1])


@dataclass(frozen=True, slots=True)
class MarkTranslation:
    """Translates parts with their mentions; `fallback` is asked for what the marks lost, and
    `rewording` is as `MarkDraft.of` has it."""

    translator: Translator
    parser: TargetParser
    fallback: Fallback | None
    rewording: bool

    def __call__(self, parts: Sequence[DocumentPart], context: Context) -> Iterator[TranslatedPart]:
        """What cannot be translated is counted and left out, whole parts too."""
        drafts = [
            [MarkDraft.of(one, rewording=self.rewording) for one in part.utterances]
            for part in parts
        ]
        every = [draft for own in drafts for draft in own]
        self._mark(every)
        others = self._by_fallback(parts, drafts, context)
        self._find(
            [
                draft
                for own, other in zip(drafts, others, strict=True)
                for draft in own
                if draft.utterance.index not in other and not draft.is_done
            ]
        )
        read_ = [draft for draft in every if draft.reading is not None]
        analyses = self.parser.read([_realise(draft).text for draft in read_])
        for part, own, other in zip(parts, drafts, others, strict=True):
            made = (
                self._choose(part, draft, other.get(draft.utterance.index), analyses, context)
                for draft in own
            )
            if found := tuple(utterance for utterance in made if utterance is not None):
                yield TranslatedPart(part, found, self.translator.target)
            else:
                context.reject("gamma.parts.no_utterances", {"part": part.key})

    def _mark(self, drafts: Sequence[MarkDraft]) -> None:
        """Translate them with one style of marks, and the losses with the other."""
        for style, by in zip(STYLES, WAYS, strict=False):
            open_ = [draft for draft in drafts if not draft.is_done]
            texts = [add_marks(draft.text, draft.marks, style) for draft in open_]
            for draft, answer in zip(open_, translations(texts, self.translator), strict=True):
                draft.take(answer, by, self.translator.target)

    def _choose(
        self,
        part: DocumentPart,
        draft: MarkDraft,
        other: TranslatedUtterance | None,
        analyses: Iterator[Analysis],
        context: Context,
    ) -> TranslatedUtterance | None:
        """Choose the fallback's translation, else that with marks, if any."""
        analysis = next(analyses) if draft.reading is not None else None
        if other is not None:
            context.count("marks.placeholders", len(other.words.mentions))
            return other
        if analysis is None:
            reason = draft.failed or "translator_failed"
            reject_utterance(part, draft.utterance, reason, context)
            return None
        _count(part, draft, context)
        lang = self.translator.target
        return as_words(draft.utterance, _realise(draft), analysis, context, lang, nested=True)

    def _by_fallback(
        self, parts: Sequence[DocumentPart], drafts: Sequence[Sequence[MarkDraft]], context: Context
    ) -> list[dict[int, TranslatedUtterance]]:
        if self.fallback is None:
            return [{} for _ in parts]
        asked = [
            part.with_utterances(
                draft.utterance for draft in own if draft.marks and not draft.is_done
            )
            for part, own in zip(parts, drafts, strict=True)
        ]
        return self.fallback(asked, context.seed)

    def _find(self, drafts: Sequence[MarkDraft]) -> None:
        """Look for lost mentions, in plain translations if no marked one is clean."""
        without = [draft for draft in drafts if draft.reading is None]
        plain = translations([draft.text for draft in without], self.translator)
        for draft, answer in zip(without, plain, strict=True):
            draft.take_plain(answer)
        asked = [
            (draft, place)
            for draft in drafts
            if draft.reading is not None
            for place, _ in draft.find_lost()
        ]
        texts = [
            draft.text[draft.marks[place].start : draft.marks[place].end] for draft, place in asked
        ]
        for (draft, place), answer in zip(asked, translations(texts, self.translator), strict=True):
            if not isinstance(answer, DataError):
                draft.look_for(place, answer)


def _realise(draft: MarkDraft) -> Realised:
    assert draft.reading is not None
    spans = draft.spans()
    text = draft.reading.text
    return Realised(
        capitalise(text) if begins_with_capital(draft.text) else text,
        tuple(
            PlacedMention(mention.key, *spans[mark.number], "marked")
            for mention, mark in zip(draft.mentions, draft.marks, strict=True)
            if mark.number in spans
        ),
    )


def _count(part: DocumentPart, draft: MarkDraft, context: Context) -> None:
    """Counts how mentions came back, and why others did not."""
    assert draft.reading is not None
    lost = draft.find_lost()
    context.count(f"marks.{WAYS[3]}", len(draft.found))
    if draft.by in WAYS:
        context.count(f"marks.{draft.by}", len(draft.marks) - len(lost) - len(draft.found))
    for place, why in lost:
        mention, text = draft.mentions[place], draft.reading.text
        record = part.record(draft.utterance, mention, translation=text)
        context.reject(f"gamma.mentions.mark_{why}", record)
    marked_ = {mention.key for mention in draft.mentions}
    for mention in draft.utterance.mentions:
        if mention.key not in marked_:
            record = part.record(draft.utterance, mention)
            context.reject("gamma.mentions.within_a_word", record)


@dataclass(frozen=True, slots=True)
class PlaceholderFallback:
    """Asks the method of placeholders; see `Fallback`.

    It takes utterances with a verb, and of these such whose mentions stand apart and are all of the
    kinds that the method has a form for. The class of an entity is what the mentions that are given
    here show of it.
    """

    parser: SourceParser
    translation: GammaTranslation

    def __call__(
        self, parts: Sequence[DocumentPart], seed: int
    ) -> list[dict[int, TranslatedUtterance]]:
        """What came back with all its mentions."""
        aside = Context(0, seed)  # what is left out here is not lost yet
        apart = [
            part.with_utterances(
                one
                for one in part.utterances
                if all(
                    left.end <= right.start
                    for left, right in pairwise(
                        sorted(one.mentions, key=lambda m: (m.start, m.end))
                    )
                )
            )
            for part in parts
        ]
        fit = []
        for part in self.parser.add_trees(apart, lambda utterance: True):
            tagged = selection.beta1(part, 1, sys.maxsize, aside)
            sizes = {one.index: len(one.mentions) for one in tagged.utterances}
            judged = selection.beta2(tagged, aside)
            kept = (one for one in judged.utterances if len(one.mentions) == sizes[one.index])
            fit.append(part.with_utterances(kept))
        made: list[dict[int, TranslatedUtterance]] = [{} for _ in parts]
        given = [part for part in fit if part.utterances]
        places = {(one.split, one.doc_id, one.part): place for place, one in enumerate(fit)}
        for translated in self.translation(given, aside):
            source = translated.source
            for one in translated.utterances:
                if len(one.words.mentions) == len(one.source.mentions):
                    made[places[source.split, source.doc_id, source.part]][one.source.index] = one
        return made
