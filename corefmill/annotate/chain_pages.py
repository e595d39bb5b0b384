"""Prepare documents for correction: items, exercises, replayed acts, and pages of a document.

A page stays below 100 KB whatever the document: a part of it has so many characters, words and
mentions at most, and what names a cluster is short.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.annotate import documents
from corefmill.annotate.chain_state import (
    ACTS,
    OF_SPANS,
    ChainState,
    find_consensus,
    mention_keys,
)
from corefmill.annotate.documents import PlainDocument
from corefmill.annotate.questions import (
    ACT,
    CHAINS,
    SKIPPED,
    SPANS,
    AnnotationItem,
    Exercise,
    shorten,
)
from corefmill.annotate.store import ADJUDICATION, MAIN, StoredJudgement
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Token

Documents = Mapping[str, PlainDocument]
"""By the id of the item."""
Rows = Sequence[StoredJudgement]
"""Those about one document that stand, the oldest first."""


def read_documents(corpus: Path) -> dict[str, PlainDocument]:
    """Read the documents of a corpus by the ids of their items.

    Raises `UsageError` for a corpus of other records, `DataError` where two have one name.
    """
    found: dict[str, PlainDocument] = {}
    for own in documents.read_documents(corpus):
        name = document_id(own)
        if name in found:
            raise DataError(f"the document {name[:60]!r} comes twice", path=corpus)
        found[name] = own
    return found


def document_id(own: PlainDocument) -> str:
    """Name the item of a document."""
    return f"{own.document.doc_id}/{own.document.part}"


def document_items(kind: str, found: Documents) -> Iterator[AnnotationItem]:
    """Make items of a kind, chains or spans, of documents; without their text."""
    for name, own in found.items():
        yield AnnotationItem(
            id=name,
            kind=kind,
            lang=own.document.lang,
            split=own.split,
            group=name,
            text="",
        )


def allowed_acts(kind: str) -> Sequence[str]:
    """List the acts on an item of a kind."""
    return OF_SPANS if kind == SPANS else tuple(ACTS)


def replay_acts(own: PlainDocument, rows: Rows, rater: str, stage: str) -> ChainState:
    """Replay the acts of a rater on a document.

    An adjudicator begins with the consensus of the raters who were done by then.
    """
    mine = [row for row in rows if row.rater == rater and row.stage == stage]
    begun = None
    if stage == ADJUDICATION:
        first = mine[0].number if mine else None
        begun = find_consensus(list(replay_raters(own, rows, first).values()))
    made = ChainState(own, begun)
    for row in mine:
        if row.question == ACT:
            made.do(row.answer)
    return made


def replay_raters(
    own: PlainDocument, rows: Rows, before: int | None = None
) -> dict[str, ChainState]:
    """Replay the acts of each rater with a finished document, by default up to now.

    Raises `ValueError` where the acts do not give the result that was acknowledged.
    """
    return {
        row.rater: _check_digest(replay_acts(own, rows, row.rater, MAIN), row)
        for row in rows
        if row.stage == MAIN
        and row.question != ACT
        and row.answer != SKIPPED
        and (before is None or row.number < before)
    }


def replay_adjudicator(own: PlainDocument, rows: Rows) -> ChainState | None:
    """Replay the adjudication of a document, None until it is done; raise as `replay_raters`."""
    for row in reversed(rows):
        if row.stage == ADJUDICATION and row.question != ACT and row.answer != SKIPPED:
            return _check_digest(replay_acts(own, rows, row.rater, ADJUDICATION), row)
    return None


def _check_digest(made: ChainState, row: StoredJudgement) -> ChainState:
    if made.digest(row.question) != row.answer:
        raise ValueError("other acts")
    return made


class ChainLesson(NamedTuple):
    """An exercise and the document before it; its item's text is the right answer."""

    exercise: Exercise
    own: PlainDocument


@cache
def lessons(kind: str) -> tuple[ChainLesson, ...]:
    """Read the exercises of a kind from lessons.toml; chains have those of spans as well."""
    tables = disk.read_package_table(__file__, "lessons")
    rows = [row for name in dict.fromkeys((kind, SPANS)) for row in tables[name]]
    made = []
    for number, row in enumerate(rows, 1):
        name = f"{kind}-tutorial-{number}"
        given, wanted = (
            documents.make_plain(number, "", parse_notation(row[key])) for key in ("given", "right")
        )
        right = ChainState(wanted)
        item = AnnotationItem(
            id=name,
            kind=kind,
            lang="en",
            split="",
            group="",
            text=right.bracket(kind),
            gold=((kind, right.digest(kind)),),
        )
        made.append(ChainLesson(Exercise(item, why=row["why"]), given))
    return tuple(made)


def parse_notation(text: str) -> Document:
    """Parse a document in the notation of lessons.toml."""
    sentences = []
    clusters: dict[str, list[Mention]] = {}
    for number, line in enumerate(text.strip().splitlines()):
        words: list[str] = []
        begun: list[tuple[str, int]] = []
        for piece in line.split():
            if piece.startswith("["):
                begun.append((piece[1:], len(words)))
            elif piece == "]":
                cluster, start = begun.pop()
                clusters.setdefault(cluster, []).append(Mention(number, start, len(words)))
            else:
                words.append(piece)
        glued = [word in (".", ",", "?", "'s") for word in [*words[1:], ""]]
        tokens = (Token(word, space_after=not no) for word, no in zip(words, glued, strict=True))
        sentences.append(Sentence(tuple(tokens)))
    found = tuple(tuple(clusters[key]) for key in sorted(clusters))
    return Document("exercise", 0, "en", tuple(sentences), found)


CHARACTERS, WORDS, MENTIONS = 5_000, 900, 180
"""Of a part."""
_WORD, _NAME, _CLUSTERS, _DIFFERENCES = 80, 30, 90, 15


class ShownBracket(NamedTuple):
    """A bracket of a mention; `more` where the mention goes on beyond the part."""

    mention: int
    cluster: int
    more: bool


class ShownWord(NamedTuple):
    """A word, the brackets before and behind it, and whether a blank follows."""

    text: str
    opened: Sequence[ShownBracket]
    closed: Sequence[ShownBracket]
    blank: bool
    zero: bool


class ShownSentence(NamedTuple):
    """The words of a sentence in a part; `speaker` where it changes."""

    speaker: str
    words: Sequence[ShownWord]


class ListedCluster(NamedTuple):
    """A cluster: its number, its size in the document, the words of its first mention."""

    number: int
    size: int
    name: str


class ShownDifference(NamedTuple):
    """A disputed mention, and each rater's antecedent of it.

    `mention` is its number, None where the majority has no such mention.
    """

    name: str
    mention: int | None
    said: Sequence[str]


class ChainSheet(NamedTuple):
    """A part of a document: its number from 0, the number of its first word, and its content.

    `hidden` counts the clusters that are not listed.
    """

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
        """The query of a page's address for a mention or a word."""
        shown = f"?m={self.mention}" if self.mention is not None else ""
        return shown or (f"?at={self.word}" if self.word is not None else "")


def make_sheet(state: ChainState, place: SheetPlace) -> ChainSheet:
    """Cut the part of a document at a place, the nearest part if it lies outside."""
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
    """List the disputed mentions of a part, and count those left out.

    They differ where one has the mention and another has not, and, of chains, where they have it
    after different mentions of its cluster.
    """
    said = [_antecedents(rater, kind) for rater in raters]
    words: dict[Hashable, str] = {}
    places: dict[Hashable, tuple[int, int]] = {}
    for rater in raters:
        for number, key in mention_keys(rater).items():
            words[key], places[key] = rater.words(number), rater.mentions[number].place
    own = {key: number for number, key in mention_keys(state).items()}
    found = []
    for key in sorted(places, key=lambda key: (places[key], str(key))):
        answers = [rater.get(key, (None, "no mention")) for rater in said]
        if first <= places[key][0] < end and len({*answers}) > 1:
            shown = [shorten(words, _NAME) for _, words in answers]
            found.append(ShownDifference(shorten(words[key], _NAME), own.get(key), shown))
    return found[:_DIFFERENCES], len(found[_DIFFERENCES:])


def _antecedents(state: ChainState, kind: str) -> dict[Hashable, tuple[Hashable, str]]:
    """Map each mention to the one before it in its cluster, with a description."""
    known = mention_keys(state)
    if kind != CHAINS:
        return dict.fromkeys(known.values(), (None, "a mention"))
    found: dict[Hashable, tuple[Hashable, str]] = {}
    for own in state.members().values():
        found[known[own[0]]] = None, "the first"
        for before, number in pairwise(own):
            found[known[number]] = known[before], f"after {state.words(before)}"
    return found


def _borders(state: ChainState) -> list[int]:
    """Divide a document into parts at sentences, and too long sentences as well.

    Returns the first unit of each part and the end of the last.
    """
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
            text = shorten(own.text[unit.start : unit.end], _WORD) or "␣"
            words.append(ShownWord(text, opened[number], closed[number], blank, unit.zero))
        speaks = _speaker(own, sentence)
        made.append(ShownSentence(speaks if speaks != speaker else "", words))
        speaker = speaks
    return made


def _speaker(own: PlainDocument, sentence: int) -> str:
    return shorten(own.document.sentences[sentence].speaker or "", _NAME)


def _brackets(
    state: ChainState, first: int, end: int
) -> tuple[Mapping[int, list[ShownBracket]], Mapping[int, list[ShownBracket]]]:
    """Find the brackets before and behind each word, those of the longest mentions outside."""
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
    """List the clusters, of too many those in the part and then the largest."""
    members = state.members()
    here = {
        state.cluster[number]
        for number, one in state.mentions.items()
        if any(start < end and stop > first for start, stop in one.pieces)
    }
    order = sorted(members, key=lambda number: (number not in here, -len(members[number]), number))
    shown = sorted(order[:_CLUSTERS])
    made = [
        ListedCluster(n, len(members[n]), shorten(state.words(members[n][0]), _NAME)) for n in shown
    ]
    return made, len(order) - len(shown)


class ActButton(NamedTuple):
    """An act with a key; mentions are assigned by the number of a cluster alone."""

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
    kind: str, state: ChainState, rows: Rows, stage: str, place: SheetPlace
) -> Mapping[str, Any]:
    """Collect the document's values for chains.html."""
    made = make_sheet(state, place)
    found: Sequence[ShownDifference] = ()
    more = 0
    if stage == ADJUDICATION:
        raters = list(replay_raters(state.own, rows).values())
        end = made.first + sum(len(one.words) for one in made.sentences)
        found, more = differences(state, raters, made.first, end, kind)
    return {
        "sheet": made,
        "chosen": place.mention,
        "numbered": kind == CHAINS,
        "last": max(state.cluster.values(), default=0),
        "title": shorten(document_id(state.own)),
        "acts": [one for one in BUTTONS if one.name in allowed_acts(kind)],
        "differences": found,
        "more": more,
    }
