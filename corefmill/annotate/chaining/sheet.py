"""What of a document fits a page: whole sentences with their mentions in brackets, part by part.

A page stays below 100 KB whatever the document: a part has so many characters, words and mentions
at most, and what names a cluster is short.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from corefmill.annotate import passages
from corefmill.annotate.chaining import work
from corefmill.annotate.chaining.consensus import keys
from corefmill.annotate.chaining.state import ChainState
from corefmill.annotate.exchange.chains import PlainDocument
from corefmill.annotate.questions import CHAINS
from corefmill.annotate.store import ADJUDICATION

CHARACTERS, WORDS, MENTIONS = 5_000, 900, 180
"""Of a part."""
_WORD, _NAME, _CLUSTERS, _DIFFERENCES = 80, 30, 90, 15


@dataclass(frozen=True, slots=True)
class ShownBracket:
    """A bracket of a mention; `more` says that the mention goes on beyond the part there."""

    mention: int
    cluster: int
    more: bool


@dataclass(frozen=True, slots=True)
class ShownWord:
    """A word between the brackets that stand before and behind it, and whether a blank follows."""

    text: str
    opened: Sequence[ShownBracket]
    closed: Sequence[ShownBracket]
    blank: bool
    zero: bool


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """The words of a sentence, or of what of it is in the part; `speaker` where it changes."""

    speaker: str
    words: Sequence[ShownWord]


@dataclass(frozen=True, slots=True)
class ListedCluster:
    """A cluster: its number, how many mentions it has in the document, the words of the first."""

    number: int
    size: int
    name: str


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """A mention on which raters differ, and what each of them says it comes after.

    `mention` is its number, None where the majority has no such mention.
    """

    name: str
    mention: int | None
    said: Sequence[str]


@dataclass(frozen=True, slots=True)
class ChainSheet:
    """A part of a document: its number from 0 of how many, the number of its first word, the
    sentences and clusters; `hidden` is how many clusters are not listed."""

    part: int
    parts: int
    first: int
    sentences: Sequence[ShownSentence]
    clusters: Sequence[ListedCluster]
    hidden: int


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """Where a document is opened: at a mention, else at a word, else at the part of a number."""

    mention: int | None = None
    word: int | None = None
    part: int = 0

    @property
    def query(self) -> str:
        """What leads to a mention or a word, behind a page's address."""
        shown = f"?m={self.mention}" if self.mention is not None else ""
        return shown or (f"?at={self.word}" if self.word is not None else "")


def sheet(state: ChainState, place: SheetPlace) -> ChainSheet:
    """The part of a document at a place; the first or last where it is in none."""
    borders, part, word = _borders(state), place.part, place.word
    if place.mention is not None and place.mention in state.mentions:
        word = state.mentions[place.mention].pieces[0][0]
    if word is not None:
        part = bisect(borders, word) - 1
    part = max(0, min(part, len(borders) - 2))
    first, end = borders[part], borders[part + 1]
    clusters, hidden = _clusters(state, first, end)
    sentences = _sentences(state, first, end)
    return ChainSheet(part, len(borders) - 1, first, sentences, clusters, hidden)


def differences(
    state: ChainState, raters: Sequence[ChainState], first: int, end: int, kind: str
) -> tuple[list[ShownDifference], int]:
    """The mentions of a part on which raters differ, and how many more than can be listed.

    They differ where one has the mention and another has not, and, of chains, where they have it
    after different mentions of its cluster.
    """
    said = [_after(rater, kind) for rater in raters]
    words = {key: rater.words(number) for rater in raters for number, key in keys(rater).items()}
    places = {
        key: rater.mentions[number].place for rater in raters for number, key in keys(rater).items()
    }
    own = {key: number for number, key in keys(state).items()}
    found = []
    for key in sorted(places, key=lambda key: (places[key], str(key))):
        answers = [rater.get(key, (None, "no mention")) for rater in said]
        if first <= places[key][0] < end and len({*answers}) > 1:
            shown = [passages.short(words, _NAME) for _, words in answers]
            found.append(ShownDifference(passages.short(words[key], _NAME), own.get(key), shown))
    return found[:_DIFFERENCES], len(found[_DIFFERENCES:])


def _after(state: ChainState, kind: str) -> dict[Hashable, tuple[Hashable, str]]:
    """Of each mention which one it comes after in its cluster, and that in words."""
    known = keys(state)
    if kind != CHAINS:
        return dict.fromkeys(known.values(), (None, "a mention"))
    found: dict[Hashable, tuple[Hashable, str]] = {}
    for own in state.members().values():
        found[known[own[0]]] = None, "the first"
        for before, number in pairwise(own):
            found[known[number]] = known[before], f"after {state.words(before)}"
    return found


def _borders(state: ChainState) -> list[int]:
    """Where parts begin, and the end of the last; in the middle of a sentence if it is too long."""
    units = state.own.units
    opened: defaultdict[int, int] = defaultdict(int)
    for one in state.mentions.values():
        for start, _ in one.pieces:
            opened[start] += 1
    borders, sentence = [0], 0
    characters = words = mentions = 0
    for number, unit in enumerate(units):
        if number and unit.sentence != units[number - 1].sentence:
            sentence = number
        characters += min(unit.end - unit.start, _WORD) + 1
        words += 1
        mentions += opened[number]
        full = characters > CHARACTERS or words > WORDS or mentions > MENTIONS
        if full and number > borders[-1]:
            borders.append(sentence if sentence > borders[-1] else number)
            rest = range(borders[-1], number + 1)
            characters = sum(min(units[n].end - units[n].start, _WORD) + 1 for n in rest)
            words, mentions = len(rest), sum(opened[n] for n in rest)
    return [*borders, len(units)]


def _sentences(state: ChainState, first: int, end: int) -> list[ShownSentence]:
    opened, closed = _brackets(state, first, end)
    own, made = state.own, []
    speaker = _speaker(own, own.units[first - 1].sentence) if first else ""
    for sentence, numbers in groupby(range(first, end), lambda n: own.units[n].sentence):
        words = []
        for number in numbers:
            unit = own.units[number]
            blank = own.text[unit.end : unit.end + 1] == " "
            text = passages.short(own.text[unit.start : unit.end], _WORD) or "␣"
            words.append(ShownWord(text, opened[number], closed[number], blank, unit.zero))
        speaks = _speaker(own, sentence)
        made.append(ShownSentence(speaks if speaks != speaker else "", words))
        speaker = speaks
    return made


def _speaker(own: PlainDocument, sentence: int) -> str:
    return passages.short(own.document.sentences[sentence].speaker or "", _NAME)


_Brackets = Mapping[int, list[ShownBracket]]


def _brackets(state: ChainState, first: int, end: int) -> tuple[_Brackets, _Brackets]:
    """The brackets before and behind each word, those of mentions that end last outside."""
    opened: defaultdict[int, list[ShownBracket]] = defaultdict(list)
    closed: defaultdict[int, list[ShownBracket]] = defaultdict(list)
    for number in state.order:
        for start, stop in state.mentions[number].pieces:
            if start < end and stop > first:
                cluster = state.cluster[number]
                begins, ends = max(start, first), min(stop, end)
                opened[begins].append(ShownBracket(number, cluster, start < first))
                closed[ends - 1].insert(0, ShownBracket(number, cluster, stop > end))
    return opened, closed


def _clusters(state: ChainState, first: int, end: int) -> tuple[list[ListedCluster], int]:
    """The clusters, of too many those that are in the part and then the largest."""
    members = state.members()
    here = {
        state.cluster[number]
        for number, one in state.mentions.items()
        if any(start < end and stop > first for start, stop in one.pieces)
    }
    order = sorted(members, key=lambda number: (number not in here, -len(members[number]), number))
    shown = sorted(order[:_CLUSTERS])
    made = [
        ListedCluster(n, len(members[n]), passages.short(state.words(members[n][0]), _NAME))
        for n in shown
    ]
    return made, len(order) - len(shown)


@dataclass(frozen=True, slots=True)
class ActButton:
    """An act that has a key; mentions are assigned by the number of a cluster alone."""

    name: str
    key: str
    label: str
    title: str


BUTTONS = (
    ActButton("new", "n", "New", "A new cluster for this mention alone"),
    ActButton("split", "s", "Split", "A new cluster for this mention and those after it"),
    ActButton("merge", "j", "Merge", "All of its cluster joins another"),
    ActButton("add", "a", "Add", "A mention that is missing"),
    ActButton("remove", "r", "Remove", "This is no mention"),
    ActButton("border", "b", "Border", "It begins or ends elsewhere"),
)


def page_values(
    kind: str, state: ChainState, rows: work.Rows, stage: str, place: SheetPlace
) -> Mapping[str, Any]:
    """Collect the values of chains.html that come from the document."""
    made = sheet(state, place)
    found: Sequence[ShownDifference] = ()
    more = 0
    if stage == ADJUDICATION:
        raters = list(work.finished(state.own, rows).values())
        end = made.first + sum(len(one.words) for one in made.sentences)
        found, more = differences(state, raters, made.first, end, kind)
    return {
        "sheet": made,
        "chosen": place.mention,
        "numbered": kind == CHAINS,
        "last": max(state.cluster.values(), default=0),
        "title": passages.short(work.named(state.own)),
        "acts": [one for one in BUTTONS if one.name in work.acts(kind)],
        "differences": found,
        "more": more,
    }
