"""Prepare documents for correction: items, replayed acts, and pages of a document.

A page stays below 100 KB whatever the document: a part of it has so many characters, words and
mentions at most, and what names a cluster is short.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from corefmill.annotate import documents
from corefmill.annotate.chain_state import ChainState, find_consensus, mention_keys
from corefmill.annotate.documents import PlainDocument
from corefmill.annotate.questions import ACT, CHAINS, SKIPPED, AnnotationItem, shorten
from corefmill.annotate.store import ADJUDICATION, MAIN, StoredJudgement
from corefmill.corpora.files.errors import DataError

Documents = Mapping[str, PlainDocument]
"""Documents by the ids of their items."""
Rows = Sequence[StoredJudgement]
"""The rows about one document that are not undone, the oldest first."""


def read_documents(corpus: Path) -> dict[str, PlainDocument]:
    """Read the documents of a corpus by the ids of their items.

    Raises `UsageError` for a corpus of other records, `DataError` where two have one name.
    """
    found: dict[str, PlainDocument] = {}
    for own in documents.read_documents(corpus):
        name = own.document_id
        if name in found:
            raise DataError(f"the corpus holds two documents {name[:60]!r}", path=corpus)
        found[name] = own
    return found


def document_items(found: Documents) -> Iterator[AnnotationItem]:
    """Make an annotation item of each document, without its text."""
    for name, own in found.items():
        yield AnnotationItem(
            id=name, kind=CHAINS, lang=own.document.lang, split=own.split, group=name, text=""
        )


def replay_acts(own: PlainDocument, rows: Rows, rater: str, stage: str) -> ChainState:
    """Replay the acts of a rater on a document, and return its clusters.

    An adjudicator begins with the consensus of the raters who had finished by then.
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
    """Replay the acts of each rater who finished a document, before a row's number if given.

    Raises `ValueError` where the acts do not give the acknowledged result.
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
    """Return the state; raise `ValueError` where its hash is not that of the rater's row."""
    if made.digest() != row.answer:
        raise ValueError("other acts")
    return made


CHARACTERS, WORDS, MENTIONS = 5_000, 900, 180
"""Limits of one part of a document on a page."""
_WORD, _NAME, _CLUSTERS, _DIFFERENCES = 80, 30, 90, 15


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """The place to open a document: a mention, else a word, else a part by number."""

    mention: int | None = None
    word: int | None = None
    part: int = 0

    @property
    def query(self) -> str:
        """The query of a page's address for a mention or a word."""
        shown = f"?m={self.mention}" if self.mention is not None else ""
        return shown or (f"?at={self.word}" if self.word is not None else "")


BUTTONS = (
    ("new", "n", "New", "A new cluster for this mention alone"),
    ("split", "s", "Split", "A new cluster for this mention and those after it"),
    ("merge", "j", "Merge", "All of its cluster joins another"),
    ("add", "a", "Add", "A mention that is missing"),
    ("remove", "r", "Remove", "This is not a mention"),
    ("border", "b", "Border", "It begins or ends elsewhere"),
)
"""The name of an act, its key, label and title; a cluster's number alone assigns a mention."""


def page_values(state: ChainState, rows: Rows, stage: str, place: SheetPlace) -> dict[str, Any]:
    """Collect the values of the template chains.html for the part of a document at a place.

    Words have a text, the brackets before and behind them, and whether a blank follows; `hidden`
    counts the clusters without a button, `more` the differences left out.
    """
    borders = find_borders(state)
    part, word = place.part, place.word
    if place.mention is not None and place.mention in state.mentions:
        word = state.mentions[place.mention].pieces[0][0]
    if word is not None:
        part = bisect(borders, word) - 1
    part = max(0, min(part, len(borders) - 2))
    first, end = borders[part], borders[part + 1]
    clusters, hidden = _list_clusters(state, first, end)
    found: list[dict[str, Any]] = []
    if stage == ADJUDICATION:
        found = find_differences(state, list(replay_raters(state.own, rows).values()), first, end)
    return {
        "part": part,
        "parts": len(borders) - 1,
        "first": first,
        "sentences": _cut_sentences(state, first, end),
        "clusters": clusters,
        "hidden": hidden,
        "chosen": place.mention,
        "last": max(state.cluster.values(), default=0),
        "title": shorten(state.own.document_id),
        "acts": BUTTONS,
        "differences": found[:_DIFFERENCES],
        "more": len(found[_DIFFERENCES:]),
    }


def find_borders(state: ChainState) -> list[int]:
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
            # The new part begins with this sentence, or in it where it fills a part by itself; what
            # of it has been counted already belongs to the new part.
            borders.append(sentence if sentence > borders[-1] else number)
            rest = range(borders[-1], number + 1)
            characters = sum(min(units[n].end - units[n].start, _WORD) + 1 for n in rest)
            words, mentions = len(rest), sum(opened[n] for n in rest)
    return [*borders, len(units)]


def _cut_sentences(state: ChainState, first: int, end: int) -> list[dict[str, Any]]:
    """Cut the words of a part into sentences, each with its speaker after a change."""
    own = state.own
    # The brackets before and behind each word, those of the longest mentions outside; `more` says
    # that the mention goes on beyond the part.
    opened: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    closed: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for number in state.order:
        for start, stop in state.mentions[number].pieces:
            if start < end and stop > first:
                one = {"mention": number, "cluster": state.cluster[number]}
                opened[max(start, first)].append({**one, "more": start < first})
                closed[min(stop, end) - 1].insert(0, {**one, "more": stop > end})

    def find_speaker(sentence: int) -> str:
        return shorten(own.document.sentences[sentence].speaker or "", _NAME)

    made = []
    before = find_speaker(own.units[first - 1].sentence) if first else ""
    for sentence, numbers in groupby(range(first, end), lambda n: own.units[n].sentence):
        words = []
        for number in numbers:
            unit = own.units[number]
            words.append(
                {
                    "text": shorten(own.text[unit.start : unit.end], _WORD) or "␣",
                    "opened": opened[number],
                    "closed": closed[number],
                    "blank": own.text[unit.end : unit.end + 1] == " ",
                    "zero": unit.zero,
                }
            )
        speaker = find_speaker(sentence)
        made.append({"speaker": speaker if speaker != before else "", "words": words})
        before = speaker
    return made


def _list_clusters(state: ChainState, first: int, end: int) -> tuple[list[dict[str, Any]], int]:
    """Choose the clusters for buttons: those in the part, then the largest; return them by number,
    and the number of clusters left out.
    """
    members = state.members()
    here = {
        state.cluster[number]
        for number, one in state.mentions.items()
        if any(start < end and stop > first for start, stop in one.pieces)
    }
    order = sorted(members, key=lambda number: (number not in here, -len(members[number]), number))
    made = [
        {"number": n, "size": len(members[n]), "name": shorten(state.words(members[n][0]), _NAME)}
        for n in sorted(order[:_CLUSTERS])
    ]
    return made, len(order) - len(made)


def find_differences(
    state: ChainState, raters: Sequence[ChainState], first: int, end: int
) -> list[dict[str, Any]]:
    """Find the disputed mentions of a part, each with the words of the raters' antecedents.

    Raters differ where one has the mention and another has not, and where they have it after
    different mentions of its cluster. `mention` is None where the consensus has no such mention.
    """
    words: dict[Hashable, str] = {}
    places: dict[Hashable, tuple[int, int]] = {}
    said: list[dict[Hashable, tuple[Hashable, str]]] = []  # of each rater, by mention
    for rater in raters:
        known = mention_keys(rater)
        for number, key in known.items():
            words[key], places[key] = rater.words(number), rater.mentions[number].place
        said.append({})
        for own in rater.members().values():
            said[-1][known[own[0]]] = None, "the first"
            for before, number in pairwise(own):
                said[-1][known[number]] = known[before], f"after {rater.words(before)}"
    numbers = {key: number for number, key in mention_keys(state).items()}
    found = []
    for key in sorted(places, key=lambda key: (places[key], str(key))):
        answers = [rater.get(key, (None, "no mention")) for rater in said]
        if first <= places[key][0] < end and len({*answers}) > 1:
            shown = [shorten(words, _NAME) for _, words in answers]
            name = shorten(words[key], _NAME)
            found.append({"name": name, "mention": numbers.get(key), "said": shown})
    return found
