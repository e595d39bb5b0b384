"""Words that stand for mentions while an utterance is translated (section 4.2.6 of the paper).

A mention gives way to a word that is spelled alike in both languages and has the gender and number
of its entity, so that the translator keeps it and agrees with it. A plural is two such words joined
by "and", since hardly any plural word is spelled alike and agreed with. Where a draw fails, the
sentence is more to blame than the word, so that later draws change the sentence too: "Marco's car"
becomes "the car of Marco", and at last a plural becomes one word.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from random import Random
from typing import Self

from corefmill.builders.ontonotes_it.english.classes import Class
from corefmill.builders.ontonotes_it.english.detokenise import detokenise
from corefmill.builders.ontonotes_it.gamma import reword
from corefmill.builders.translation.protocol import Translator
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.records import Span

DRAWS = 3
"""How often words are drawn for an utterance; the paper does not say."""

_POSSESSIVES = {"my", "your", "his", "her", "its", "our", "their", "whose"}
_POSSESSIVE_TAGS = ("PRP$", "WP$")
_ENDS = ("'s", "’s", "'", "’")
_OF, _ONE = 1, 2
"""From which draw (from 0) on "X's car" is "the car of X", and a plural is one word."""
_STUBBORN = 3
"""Texts on which a translator may fail one after the other before it is taken to be broken."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words by type and gender, and how two are joined in the source and in the target."""

    words: Mapping[tuple[str, str], tuple[str, ...]]
    source_and: str
    target_and: str

    @classmethod
    def shipped(cls) -> Self:
        """The table beside this module."""
        folder = resources.files("corefmill.builders.ontonotes_it.gamma")
        table = tomllib.loads(folder.joinpath("lexicon.toml").read_text("utf-8"))
        words = {
            (type_, gender): tuple(table[type_][gender].split())
            for type_ in ("human", "thing")
            for gender in ("m", "f")
        }
        return cls(words, table["and"]["source"], table["and"]["target"])


@dataclass(frozen=True, slots=True)
class Placed:
    """What stands for one mention: a word, or two for a plural; `possessive` if 's follows."""

    kind: Class
    words: tuple[str, ...]
    possessive: bool


@dataclass(frozen=True, slots=True)
class Replaced:
    """An utterance with its placeholders; `tags` as they were given, `placed` by mention."""

    tokens: tuple[str, ...]
    tags: tuple[str | None, ...] | None
    placed: tuple[Placed, ...]
    target_and: str

    @property
    def text(self) -> str:
        """As it is given to the translator."""
        return detokenise(self.tokens, self.tags).text


class Lost(StrEnum):
    """Why a placeholder cannot be found in a translation."""

    MISSING = "missing"
    TWICE = "twice"
    CHANGED = "changed"
    """It is there, in part or in other letters."""


class Placeholders:
    """Draws words from a lexicon: the same seed, utterance and draw give the same words.

    `rewording` lets the sentence be changed around the words; the paper changes the words alone.
    """

    def __init__(self, lexicon: Lexicon, seed: int = 0, *, rewording: bool = True) -> None:
        self._lexicon = lexicon
        self._seed = seed
        self._reword = rewording

    def replace(
        self,
        tokens: Sequence[str],
        mentions: Sequence[tuple[int, int, Class]],
        draw: int = 0,
        *,
        tags: Sequence[str | None] | None = None,
    ) -> Replaced:
        """The utterance with a word in place of each mention [start, end), none twice.

        No word is one that the utterance holds, in any case; those of one draw are not those of
        the draw before as long as there are enough. `placed` is in the order of `mentions`.
        Raises `DataError` where the lexicon has too few words, `ValueError` where mentions overlap.
        """
        order = sorted(range(len(mentions)), key=lambda number: mentions[number][:2])
        position = 0
        for start, end, _ in (mentions[number] for number in order):
            if not position <= start < end <= len(tokens):
                raise ValueError(f"mention [{start}, {end}) is empty, overlaps or is out of bounds")
            position = end
        known = list(tags) if tags is not None else [None] * len(tokens)
        placed = self._draw(tokens, mentions, draw, known)
        forms: list[str] = []
        form_tags: list[str | None] = []
        position = 0
        for number in order:
            start, end, _ = mentions[number]
            words, word_tags, following = self._in_place(
                tokens, known, mentions, number, placed[number], draw
            )
            forms += [*tokens[position:start], *words]
            form_tags += [*known[position:start], *word_tags]
            position = following
        forms += tokens[position:]
        form_tags += known[position:]
        return Replaced(
            tuple(forms),
            tuple(form_tags) if tags is not None else None,
            placed,
            self._lexicon.target_and,
        )

    def _in_place(
        self,
        tokens: Sequence[str],
        tags: Sequence[str | None],
        mentions: Sequence[tuple[int, int, Class]],
        number: int,
        one: Placed,
        draw: int,
    ) -> tuple[list[str], list[str | None], int]:
        """What stands for a mention and what is reworded behind it, and the token that follows."""
        spans = [(start, end) for start, end, _ in mentions]
        end = spans[number][1]
        words = f" {self._lexicon.source_and} ".join(one.words).split()
        word_tags: list[str | None] = [*(["NNP", "CC"] * len(one.words))[:-1]]
        if self._reword:
            # The 's is part of a mention in OntoNotes, but not everywhere.
            first = end + (not one.possessive and tags[end : end + 1] == ["POS"])
            if draw >= _OF and (one.possessive or first > end):
                owned = reword.owned(tags, first, spans)
                if owned is not None:
                    phrase = ["the", *tokens[first:owned], "of", *words]
                    return phrase, ["DT", *tags[first:owned], "IN", *word_tags], owned
            covered = any(start <= end < stop for start, stop in spans)
            if not one.possessive and end < len(tokens) and not covered:
                full = reword.full(tokens, tags, end)
                return [*words, full], [*word_tags, tags[end]], end + 1
        if one.possessive:
            return [*words, "'s"], [*word_tags, "POS"], end
        return words, word_tags, end

    def _draw(
        self,
        tokens: Sequence[str],
        mentions: Sequence[tuple[int, int, Class]],
        draw: int,
        tags: Sequence[str | None],
    ) -> tuple[Placed, ...]:
        held = {word for token in tokens for word in re.findall(r"\w+", token.casefold())}
        queues = {}
        for key, words in self._lexicon.words.items():
            free = [word for word in words if word.casefold() not in held]
            Random("\0".join([str(self._seed), *key, *tokens])).shuffle(free)
            kinds = [kind for *_, kind in mentions if (kind.type, kind.gender) == key]
            taken = sum(self._words(kind, draw) for kind in kinds)
            if taken > len(free):
                raise DataError(
                    f"an utterance has more mentions of one class than the lexicon has words "
                    f"({len(free)})"
                )
            first = draw * sum(self._words(kind, 0) for kind in kinds) % max(1, len(free))
            queues[key] = iter([*free[first:], *free[:first]])
        placed = []
        for start, end, kind in mentions:
            queue = queues[kind.type, kind.gender]
            words = tuple(next(queue) for _ in range(self._words(kind, draw)))
            placed.append(Placed(kind, words, _is_possessive(tokens, start, end, tags)))
        return tuple(placed)

    def _words(self, kind: Class, draw: int) -> int:
        """How many words stand for a mention."""
        return 2 if kind.number == "p" and not (self._reword and draw >= _ONE) else 1


def _is_possessive(tokens: Sequence[str], start: int, end: int, tags: Sequence[str | None]) -> bool:
    last = tokens[end - 1].lower()
    if end - start > 1 and last in _ENDS:
        return True
    if end - start > 1 or last not in _POSSESSIVES:
        return False
    if tags[start]:
        return tags[start] in _POSSESSIVE_TAGS
    # Of these her and his may stand alone; a word must follow that can be possessed.
    following = tokens[end] if end < len(tokens) else ""
    return following[:1].isalnum()


def survived(replaced: Replaced, translation: str) -> tuple[Span | Lost, ...]:
    """For each mention where its placeholder stands in the translation, or why it is lost.

    It must be there as a whole word exactly once; of a plural both words joined, in either order.
    """
    return tuple(_survived(one, replaced.target_and, translation) for one in replaced.placed)


def _survived(placed: Placed, target_and: str, translation: str) -> Span | Lost:
    words = [re.escape(word) for word in placed.words]
    joined = "|".join(rf"\s+{target_and}\s+".join(order) for order in (words, words[::-1]))
    found = [match.span() for match in re.finditer(rf"(?<!\w)(?:{joined})(?!\w)", translation)]
    counts = [len(re.findall(rf"(?<!\w){word}(?!\w)", translation)) for word in words]
    if len(found) == 1 and set(counts) == {1}:
        return found[0]
    if max(counts) > 1:
        return Lost.TWICE
    folded = translation.casefold()
    there = any(word.casefold() in folded for word in placed.words)
    return Lost.CHANGED if there else Lost.MISSING


@dataclass(frozen=True, slots=True)
class Utterance:
    """What is to be translated; `mentions` are [start, end) in tokens and do not overlap."""

    tokens: Sequence[str]
    mentions: Sequence[tuple[int, int, Class]]
    tags: Sequence[str | None] | None = None


@dataclass(frozen=True, slots=True)
class Translated:
    """A translation in which every placeholder was found; `spans` by mention, `draws` from 1."""

    replaced: Replaced
    text: str
    spans: tuple[Span, ...]
    draws: int


@dataclass(frozen=True, slots=True)
class Failed:
    """No draw survived; `reasons` has one entry a draw, such as `missing thing-m-s`."""

    reasons: tuple[str, ...]


def try_translate(
    utterances: Sequence[Utterance],
    translator: Translator,
    placeholders: Placeholders,
    draws: int = DRAWS,
) -> list[Translated | Failed]:
    """Each utterance translated with all its placeholders, by up to `draws` draws of words.

    All utterances go to the translator at once, then those that failed. Raises the translator's
    error where it is not there or fails on several texts in a row.
    """
    found: dict[int, Translated] = {}
    reasons: dict[int, list[str]] = {place: [] for place in range(len(utterances))}
    open_ = list(reasons)
    for draw in range(draws):
        asked: list[tuple[int, Replaced]] = []
        for place in open_:
            one = utterances[place]
            try:
                replaced = placeholders.replace(one.tokens, one.mentions, draw, tags=one.tags)
            except DataError as error:
                reasons[place].append(error.message)
            else:
                asked.append((place, replaced))
        texts = _translated([replaced.text for _, replaced in asked], translator)
        for (place, replaced), text in zip(asked, texts, strict=True):
            if isinstance(text, DataError):
                reasons[place].append(f"translator: {text.message}")
                continue
            spans = survived(replaced, text)
            whole = tuple(span for span in spans if not isinstance(span, Lost))
            if len(whole) == len(spans):
                found[place] = Translated(replaced, text, whole, draw + 1)
            else:
                reasons[place].append(_why(replaced, spans))
        open_ = [place for place in open_ if place not in found]
    return [found.get(place) or Failed(tuple(why)) for place, why in reasons.items()]


def _why(replaced: Replaced, spans: Sequence[Span | Lost]) -> str:
    lost = {
        f"{span} {one.kind.type}-{one.kind.gender}-{one.kind.number}"
        for one, span in zip(replaced.placed, spans, strict=True)
        if isinstance(span, Lost)
    }
    return ", ".join(sorted(lost))


def _translated(texts: Sequence[str], translator: Translator) -> list[str | DataError]:
    """Translations at once; where that fails, one by one, with the error in place of its text."""
    try:
        return list(translator.translate(texts)) if texts else []
    except DataError:
        pass
    found: list[str | DataError] = []
    for text in texts:
        try:
            found += translator.translate([text])
        except DataError as error:
            found.append(error)
            if len(found) >= _STUBBORN and not any(
                isinstance(one, str) for one in found[-_STUBBORN:]
            ):
                raise UsageError(
                    f"{translator.name} fails on every text: {error.message}",
                    remedy=error.remedy,
                ) from error
    return found
