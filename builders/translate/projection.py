"""The dataset gamma by marks: whole utterances translated, and their mentions found in them.

`MarkTranslation` takes all parts of a unit at once, so that each step is one batch. It translates
utterances with their mentions in marks. If a mention is lost, the utterance is translated again
with other marks. A mention that is still lost is translated alone and searched in the translated
utterance, where it must occur once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.engines.answers import why_not
from corefmill.builders.translate.engines.protocol import NotAnswered, Translator
from corefmill.builders.translate.gamma.edits import begins_with_capital, capitalise
from corefmill.builders.translate.gamma.gamma import (
    TranslatedPart,
    reject_utterance,
    split_into_words,
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
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    SourceUtterance,
)
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Span
from corefmill.rules.languages import enclitics

WAYS = ("first", "second", "found")
"""How a mention was found: by marks in the first or the second try, or by its own translation."""

_SPOILT = "spoilt"
"""The reason of mentions whose utterance comes back with pieces of marks, in both tries."""
_LETTERS = 4
"""Shortest translation that is searched in another; shorter ones occur in too many places."""
_OUTSIDE = " \t.,;:!?¿¡"


@dataclass(slots=True)
class MarkDraft:
    """The translation of one utterance in progress: marked mentions and the best reading so far.

    `text` is the text to translate, without marks. `reading` is the best translation so far, `by`
    how each of its mentions was found. If `awaited`, a person has yet to translate the text, and no
    other way is tried.
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
        """Start a draft; `rewording` writes contracted English verbs behind mentions in full."""
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
    def is_done(self) -> bool:
        """Whether nothing was lost, or nothing more may be asked for now."""
        return self.awaited or (self.reading is not None and not self.reading.lost)

    def take(self, answer: str | DataError, by: str, lang: str) -> None:
        """Read a marked translation, and keep it if it has more mentions than the one before."""
        self.failed = why_not(answer) if isinstance(answer, DataError) else ""
        self.awaited = isinstance(answer, NotAnswered)
        if isinstance(answer, DataError):
            return
        reading = read(answer, self.marks, enclitics(lang))
        if reading is None or (self.reading is not None and self.reading.lost <= reading.lost):
            return
        self.reading, self.by = reading, by

    def take_plain(self, answer: str | DataError) -> None:
        """Keep a translation without marks, whose mentions are all still to be found."""
        self.failed = why_not(answer) if isinstance(answer, DataError) else ""
        if not isinstance(answer, DataError):
            lost = (MarkLost.MISSING,) * len(self.marks)
            self.reading, self.by = MarkedReading(answer, lost), _SPOILT

    def find_lost(self) -> list[tuple[int, str]]:
        """List the mentions without a span, by index, with the reason of the loss."""
        assert self.reading is not None
        return [
            (place, _SPOILT if self.by == _SPOILT else span)
            for place, span in enumerate(self.reading.spans)
            if isinstance(span, MarkLost) and self.marks[place].number not in self.found
        ]

    def spans(self) -> dict[int, Span]:
        """Collect the spans of the found mentions, by the numbers of their marks."""
        assert self.reading is not None
        pairs = zip(self.marks, self.reading.spans, strict=True)
        kept = {mark.number: span for mark, span in pairs if not isinstance(span, MarkLost)}
        return {**kept, **self.found}

    def look_for(self, place: int, alone: str) -> None:
        """Search a lost mention by its own translation, which must occur exactly once."""
        assert self.reading is not None
        mark, source, text = self.marks[place], self.text, self.reading.text
        if len(_places(source[mark.start : mark.end], source)) != 1:
            return
        words = alone.strip(_OUTSIDE)
        if sum(map(str.isalnum, words)) < _LETTERS:
            return
        small = words[:1].lower() + words[1:]
        span = next((own[0] for w in (words, small) if len(own := _places(w, text)) == 1), None)
        if span is None:
            return
        spans = self.spans()
        for other in spans.values():
            # The place of another mention, or one crossing it, is not this mention's.
            first, second = sorted((span, other), key=lambda one: (one[0], -one[1]))
            if span == other or second[0] < first[1] < second[1]:
                return
        if mark.number not in find_misplaced(self.marks, {**spans, mark.number: span}):
            self.found[mark.number] = span


def _places(words: str, text: str) -> list[Span]:
    """Find whole words in a text."""
    return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text)]


@dataclass(frozen=True, slots=True)
class MarkTranslation:
    """Stage gamma by marks: translates parts with numbered marks around mentions."""

    translator: Translator
    parser: TargetParser
    rewording: bool

    def __call__(self, parts: Sequence[DocumentPart], context: Context) -> Iterator[TranslatedPart]:
        """Translate the parts; count and drop utterances and parts that cannot be translated."""
        lang = self.translator.target
        drafts = [
            [MarkDraft.of(one, rewording=self.rewording) for one in part.utterances]
            for part in parts
        ]
        every = [draft for own in drafts for draft in own]
        self._mark(every)
        self._find([draft for draft in every if not draft.is_done])
        realised = {id(one): _realise(one) for one in every if one.reading is not None}
        analyses = self.parser.read([one.text for one in realised.values()])
        for part, own in zip(parts, drafts, strict=True):
            made = []
            for draft in own:
                if (text := realised.get(id(draft))) is None:
                    reject_utterance(part, draft.utterance, draft.failed, context)
                    continue
                _count(part, draft, context)
                made.append(
                    split_into_words(
                        draft.utterance, text, next(analyses), context, lang, nested=True
                    )
                )
            if found := tuple(utterance for utterance in made if utterance is not None):
                yield TranslatedPart(part, found)
            else:
                context.reject("gamma.parts.no_utterances", {"part": part.key})

    def _mark(self, drafts: Sequence[MarkDraft]) -> None:
        """Translate drafts with one style of marks; those with losses again with another style."""
        for style, by in zip(STYLES, WAYS, strict=False):
            open_ = [draft for draft in drafts if not draft.is_done]
            texts = [add_marks(draft.text, draft.marks, style) for draft in open_]
            for draft, answer in zip(open_, self.translator.translate(texts), strict=True):
                draft.take(answer, by, self.translator.target)

    def _find(self, drafts: Sequence[MarkDraft]) -> None:
        """Search lost mentions by their own translations, in unmarked text if necessary."""
        without = [draft for draft in drafts if draft.reading is None]
        plain = self.translator.translate([draft.text for draft in without])
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
        for (draft, place), answer in zip(asked, self.translator.translate(texts), strict=True):
            if not isinstance(answer, DataError):
                draft.look_for(place, answer)


def _realise(draft: MarkDraft) -> Realised:
    """Make the finished utterance of a draft, with a capital if the source begins with one."""
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
    """Count the mentions by the way they were found, and the lost ones by reason."""
    assert draft.reading is not None
    lost = draft.find_lost()
    context.count(f"marks.{WAYS[2]}", len(draft.found))
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
