"""Words in the place of mentions during translation (section 4.2.6 of the paper).

A mention is replaced by a word that is spelled alike in both languages and has the gender and
number of its entity, so that the translator keeps the word and agrees with it. A plural becomes two
such words joined by "and", since hardly any plural word is spelled alike and agreed with. If a draw
fails, mostly because of the sentence, later draws change the sentence, too: "Marco's car" becomes
"the car of Marco", and at last a plural becomes one word.

Marks (marks.py), in two alternating styles, carry mentions without a placeholder, such as a mention
around another or a pronoun of the speaker. One more draw leaves the marks out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, takewhile
from random import Random
from typing import Self

from corefmill.builders.translate.engines.answers import why_not
from corefmill.builders.translate.engines.protocol import NotAnswered, Translator
from corefmill.builders.translate.gamma.language import TargetLanguage
from corefmill.builders.translate.gamma.marks import (
    STYLES,
    MarkedMention,
    MarkLost,
    add_marks,
    number_mentions,
    read,
)
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    EntityClass,
    SourceUtterance,
    detokenise,
    pieces,
)
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Span
from corefmill.rules.languages import enclitics

_FULL = {"'ll": "will", "'re": "are", "'ve": "have", "'m": "am"}
_HAS = {"been", "become", "got", "gotten", "had"}
_OBJECTS = ("DT", "PRP", "PRP$", "NN", "NNS", "NNP", "NNPS", "JJ", "CD")
_WITHIN = ("JJ", "JJR", "JJS", "VBN", "VBG", "CD", "HYPH", "NN", "NNS", "NNP", "NNPS")
_NOUNS = ("NN", "NNS", "NNP", "NNPS")


def write_in_full(tokens: Sequence[str], tags: Sequence[str | None], at: int) -> str:
    """Write a contracted English verb in full: 's as is or has, 'd as would or had.

    Before a participle, 'd is had, and 's is has if an object follows or the participle is been,
    got or the like; else 's is is.
    """
    token = tokens[at]
    clitic = token.lower().replace("’", "'")
    if clitic in _FULL:
        return _FULL[clitic]
    if clitic not in ("'s", "'d") or tags[at] not in ("VBZ", "VBD", "MD"):
        return token
    after = at + 1
    after += sum(1 for _ in takewhile(lambda tag: tag == "RB", tags[after:]))
    participle = after < len(tokens) and tags[after] in ("VBN", "VBD")
    if clitic == "'d":
        return "had" if participle else "would"
    known = after < len(tokens) and tokens[after].lower() in _HAS
    taken = participle and after + 1 < len(tokens) and tags[after + 1] in _OBJECTS
    return "has" if known or taken else "is"


def find_possessed(tags: Sequence[str | None], first: int, barred: Sequence[Span]) -> int | None:
    """Find the end of the noun phrase behind a possessive, None if the phrase is unclear.

    The phrase is also unclear if one of the `barred` spans lies in it.
    """
    end = None
    for at in range(first, len(tags)):
        if tags[at] not in _WITHIN or any(start <= at < stop for start, stop in barred):
            break
        if tags[at] in _NOUNS:
            end = at + 1
    # A phrase continued by a hyphen or by another owner is not plain.
    if end is not None and end < len(tags) and tags[end] in ("HYPH", "POS"):
        return None
    return end


DRAWS = 3
"""How often words are drawn for an utterance; the paper does not say."""

_POSSESSIVES = {"my", "your", "his", "her", "its", "our", "their", "whose"}
_POSSESSIVE_TAGS = ("PRP$", "WP$")
_ENDS = ("'s", "’s", "'", "’")
_OF, _ONE = 1, 2
"""From which draw (from 0) on "X's car" is "the car of X", and a plural is one word."""


@dataclass(frozen=True, slots=True)
class PlaceholderWords:
    """The words for placeholders by type and gender, and the conjunctions that join two."""

    words: Mapping[tuple[str, str], tuple[str, ...]]
    source_and: str
    target_and: str

    @classmethod
    def load(cls, language: TargetLanguage) -> Self:
        """Load corefmill's placeholder words for English and a target language."""
        lexicon = language.lexicon
        words = {
            (type_, gender): tuple(lexicon[type_][gender].split())
            for type_ in ("human", "thing")
            for gender in ("m", "f")
        }
        return cls(words, lexicon["and"]["source"], lexicon["and"]["target"])


@dataclass(frozen=True, slots=True)
class Placeholder:
    """The replacement of one mention: a word, or two for a plural; `possessive` if 's follows."""

    entity: EntityClass
    words: tuple[str, ...]
    possessive: bool


@dataclass(frozen=True, slots=True)
class Replaced:
    """The tokens and tags of an utterance with placeholders for its mentions.

    `around` has for each marked mention its span in these tokens, None where rewording cut it.
    """

    tokens: tuple[str, ...]
    tags: tuple[str | None, ...]
    placeholders: tuple[Placeholder, ...]
    target_and: str
    around: tuple[Span | None, ...] = ()

    @property
    def text(self) -> str:
        """The text for the translator, without marks."""
        return detokenise(self.tokens, self.tags)

    def marks(self) -> tuple[MarkedMention | None, ...]:
        """The marked mentions in the text; None for a mention without text of its own."""
        places = [0, *accumulate(map(len, pieces(self.tokens, self.tags)))]
        spans: list[Span | None] = []
        for span in self.around:
            start, end = (places[span[0]], places[span[1]]) if span else (0, 0)
            start += len(self.text[start:end]) - len(self.text[start:end].lstrip())
            spans.append((start, end) if start < end else None)
        made = iter(number_mentions(self.text, [span for span in spans if span is not None]))
        return tuple(None if span is None else next(made) for span in spans)


class Lost(StrEnum):
    """The reason why a placeholder cannot be found in a translation."""

    MISSING = "missing"
    TWICE = "twice"
    CHANGED = "changed"
    """The placeholder is there in part, or in other letters."""


class Placeholders:
    """Draws placeholders; the same seed, utterance and draw give the same words.

    `rewording` lets the sentence be changed around the words; the paper changes the words alone.
    """

    def __init__(self, words: PlaceholderWords, seed: int = 0, *, rewording: bool = True) -> None:
        self._words = words
        self._seed = seed
        self._reword = rewording

    def replace(self, utterance: SourceUtterance, draw: int = 0) -> Replaced:
        """Replace each mention by a placeholder of its class, using no word twice.

        No word occurs in the utterance, in small letters or capitals. A draw avoids the words of
        the draw before if there are enough. Raises `DataError` if there are too few words.
        """
        mentions, tokens, tags = utterance.select(marked=False), utterance.forms, utterance.tags
        around = utterance.select(marked=True)
        if self._reword:
            ends = {mention.end for mention in around if mention.end < len(tokens)}
            tokens = tuple(
                write_in_full(tokens, tags, at) if at in ends else token
                for at, token in enumerate(tokens)
            )
        order = sorted(range(len(mentions)), key=lambda index: mentions[index].start)
        placeholders = self._draw(utterance, draw)
        forms: list[str] = []
        form_tags: list[str | None] = []
        position = 0
        moved = {0: 0}  # where tokens that begin or end a marked mention are now

        def copy(to: int) -> None:
            moved.update((at, len(forms) + at - position) for at in range(position, to + 1))
            forms.extend(tokens[position:to])
            form_tags.extend(tags[position:to])

        for index in order:
            copy(mentions[index].start)
            words, word_tags, position = self._in_place(
                utterance, mentions[index], placeholders[index], draw
            )
            forms += words
            form_tags += word_tags
            if position == mentions[index].end + 1:  # of which the last is the token behind it
                moved[position - 1] = len(forms) - 1
        copy(len(tokens))
        spans = (
            (moved[one.start], moved[one.end]) if {one.start, one.end} <= moved.keys() else None
            for one in around
        )
        return Replaced(
            tuple(forms), tuple(form_tags), placeholders, self._words.target_and, tuple(spans)
        )

    def _in_place(
        self,
        utterance: SourceUtterance,
        mention: ChainMention,
        placeholder: Placeholder,
        draw: int,
    ) -> tuple[list[str], list[str | None], int]:
        """Build the words in place of a mention, and reword those behind it."""
        tokens, tags, end = utterance.forms, utterance.tags, mention.end
        words = f" {self._words.source_and} ".join(placeholder.words).split()
        word_tags: list[str | None] = [*(["NNP", "CC"] * len(placeholder.words))[:-1]]
        if self._reword:
            spans = [
                (other.start, other.end)
                for other in utterance.mentions
                if not (other.marked and other.start <= mention.start and mention.end < other.end)
            ]
            # The 's is part of a mention in OntoNotes, but not in all corpora.
            first = end + (not placeholder.possessive and tags[end : end + 1] == ("POS",))
            if draw >= _OF and (placeholder.possessive or first > end):
                owned = find_possessed(tags, first, spans)
                if owned is not None:
                    phrase = ["the", *tokens[first:owned], "of", *words]
                    return phrase, ["DT", *tags[first:owned], "IN", *word_tags], owned
            covered = any(start <= end < stop for start, stop in spans)
            if not placeholder.possessive and end < len(tokens) and not covered:
                full = write_in_full(tokens, tags, end)
                return [*words, full], [*word_tags, tags[end]], end + 1
        if placeholder.possessive:
            return [*words, "'s"], [*word_tags, "POS"], end
        return words, word_tags, end

    def _draw(self, utterance: SourceUtterance, draw: int) -> tuple[Placeholder, ...]:
        """Draw a word, or two for a plural, for each mention; no word of the utterance."""
        tokens = utterance.forms
        held = {word for token in tokens for word in re.findall(r"\w+", token.casefold())}
        mentions = utterance.select(marked=False)
        entities = [mention.known_entity for mention in mentions]
        queues = {}
        for key, words in self._words.words.items():
            free = [word for word in words if word.casefold() not in held]
            Random("\0".join([str(self._seed), *key, *tokens])).shuffle(free)
            own = [entity for entity in entities if entity[:2] == key]
            if sum(self._size(entity, draw) for entity in own) > len(free):
                raise DataError(
                    f"an utterance has more mentions of the class {' '.join(map(str, key))} than"
                    f" there are placeholders ({len(free)})"
                )
            first = draw * sum(self._size(entity, 0) for entity in own) % max(1, len(free))
            queues[key] = iter([*free[first:], *free[:first]])
        placeholders = []
        for mention, entity in zip(mentions, entities, strict=True):
            queue = queues[entity.type, entity.gender]
            chosen = tuple(next(queue) for _ in range(self._size(entity, draw)))
            placeholders.append(Placeholder(entity, chosen, _is_possessive(utterance, mention)))
        return tuple(placeholders)

    def _size(self, entity: EntityClass, draw: int) -> int:
        """Return the number of words that stand for a mention."""
        return 2 if entity.number == "p" and not (self._reword and draw >= _ONE) else 1


def _is_possessive(utterance: SourceUtterance, mention: ChainMention) -> bool:
    """Tell whether a mention is a possessive: his car, the boy 's car."""
    start, end = mention.start, mention.end
    last = utterance.forms[end - 1].lower()
    if mention.length > 1 and last in _ENDS:
        return True
    if mention.length > 1 or last not in _POSSESSIVES:
        return False
    if utterance.tags[start]:
        return utterance.tags[start] in _POSSESSIVE_TAGS
    # Of these her and his may stand alone; a word must follow that can be possessed.
    return "".join(utterance.forms[end : end + 1])[:1].isalnum()


def find_survivors(replaced: Replaced, translation: str) -> tuple[Span | Lost, ...]:
    """Find each placeholder's span in the translation, or the reason of its loss.

    A placeholder must occur exactly once as a whole word, a plural as both joined, in any order.
    """
    return tuple(
        _find_survivor(one, replaced.target_and, translation) for one in replaced.placeholders
    )


def _find_survivor(placeholder: Placeholder, target_and: str, translation: str) -> Span | Lost:
    """Find a placeholder's span as whole words that occur once, or the reason of its loss."""
    words = [re.escape(word) for word in placeholder.words]
    joined = "|".join(rf"\s+{target_and}\s+".join(order) for order in (words, words[::-1]))
    found = [match.span() for match in re.finditer(rf"(?<!\w)(?:{joined})(?!\w)", translation)]
    counts = [len(re.findall(rf"(?<!\w){word}(?!\w)", translation)) for word in words]
    if len(found) == 1 and set(counts) == {1}:
        return found[0]
    if max(counts) > 1:
        return Lost.TWICE
    folded = translation.casefold()
    there = any(word.casefold() in folded for word in placeholder.words)
    return Lost.CHANGED if there else Lost.MISSING


@dataclass(frozen=True, slots=True)
class Translated:
    """A translation with every placeholder found; `draws` counts the attempts from 1.

    `around` has the span of each marked mention, or the reason of its loss.
    """

    replaced: Replaced
    text: str
    spans: tuple[Span, ...]
    draws: int
    around: tuple[Span | MarkLost, ...] = ()

    @property
    def lost(self) -> int:
        """How many marked mentions have no span."""
        return sum(isinstance(span, MarkLost) for span in self.around)


@dataclass(frozen=True, slots=True)
class Failed:
    """An utterance whose draws all lost a placeholder; `reasons` has one entry a draw."""

    reasons: tuple[str, ...]
    awaited: bool = False
    """Whether a person has yet to translate one of its texts."""


def try_translate(
    utterances: Sequence[SourceUtterance],
    translator: Translator,
    placeholders: Placeholders,
    draws: int = DRAWS,
) -> list[Translated | Failed]:
    """Translate each utterance with placeholders, drawing anew until all survive.

    All utterances go to the translator at once, then again those that failed or lost marks, unless
    a person has yet to translate their text. Raises the translator's error if the translator is
    missing or fails on several texts in a row.
    """
    found: dict[int, Translated] = {}
    reasons: dict[int, list[str]] = {index: [] for index in range(len(utterances))}
    open_ = list(reasons)
    awaited: set[int] = set()
    # Each draw has other words and the other style of marks; the last one leaves the marks out, for
    # translators that drop whatever stands in brackets.
    for draw in range(draws + 1):
        style = STYLES[draw % len(STYLES)] if draw < draws else None
        if style is None:
            open_ = [index for index in open_ if utterances[index].select(marked=True)]
        # First, words in the place of mentions. An utterance may have more mentions of one class
        # than there are words: later draws need fewer, since a plural becomes one word.
        asked: list[tuple[int, Replaced, tuple[MarkedMention | None, ...]]] = []
        for index in open_:
            try:
                replaced = placeholders.replace(utterances[index], min(draw, draws - 1))
            except DataError as error:
                reasons[index].append(error.message)
            else:
                marks = replaced.marks() if style else (None,) * len(replaced.around)
                asked.append((index, replaced, marks))
        if not asked:
            continue
        # Second, one batch for the translator.
        answers = translator.translate(
            [
                add_marks(replaced.text, [mark for mark in marks if mark], style or STYLES[0])
                for _, replaced, marks in asked
            ]
        )
        # Third, the placeholders and marks in the answers. A translation that lost marks is kept
        # unless another draw loses fewer.
        for (index, replaced, marks), answer in zip(asked, answers, strict=True):
            if isinstance(answer, DataError):
                why = why_not(answer).removesuffix("_failed")
                reasons[index].append(f"{why}: {answer.message}")
                if isinstance(answer, NotAnswered):
                    awaited.add(index)
                continue
            made = _read_translation(replaced, marks, answer, draw, translator.target)
            if isinstance(made, str):
                reasons[index].append(made)
            elif index not in found or made.lost < found[index].lost:
                found[index] = made
        # An utterance with lost marks is asked for once more, in the other style.
        open_ = [
            index
            for index in open_
            if index not in awaited
            and (index not in found or (found[index].lost and draw + 1 < len(STYLES)))
        ]
    return [
        found.get(index) or Failed(tuple(why), index in awaited) for index, why in reasons.items()
    ]


def _read_translation(
    replaced: Replaced, marks: Sequence[MarkedMention | None], text: str, draw: int, target: str
) -> Translated | str:
    """Find all mentions in a translation, or name the reason of a lost placeholder."""
    known = [mark for mark in marks if mark is not None]
    reading = read(text, known, enclitics(target)) if known else None
    if known and reading is None:
        return "spoilt: pieces of marks"
    text = reading.text if reading else text
    spans = find_survivors(replaced, text)
    whole = tuple(span for span in spans if not isinstance(span, Lost))
    if len(whole) < len(spans):
        pairs = zip(replaced.placeholders, spans, strict=True)
        lost = {f"{why} {'-'.join(one.entity)}" for one, why in pairs if isinstance(why, Lost)}
        return ", ".join(sorted(lost))
    found = iter(reading.spans if reading else ())
    around = tuple(next(found) if mark else MarkLost.MISSING for mark in marks)
    return Translated(replaced, text, whole, draw + 1, around)
