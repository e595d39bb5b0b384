"""Replay raters' acts on the clusters of a document, and find the consensus of several raters.

1. An act is a line of a word and whole numbers, such as `merge 4 7`. A rater's acts in their order
   give the clusters, beginning with those of the corpus; an undone act is left out of them.
2. Mentions and clusters have numbers, in the order in which they came to be; those of what was
   removed are given to nothing else. Words are counted over the document from 0, omitted ones (∅)
   included.
3. What cannot be done changes nothing and raises `ValueError` in words for the rater.
4. Raters agree on a mention where more than half have it. Where their number is even, the corpus's
   own answer, with which all began, is half a voice more, so that it decides between halves.
5. Mentions are joined where more than half have them in one cluster, of those who have both. Where
   such links contradict each other, groups are joined by the mean over their pairs of mentions, the
   surest first: no chain of links joins what a majority keeps apart.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corefmill.annotate.documents import PlainDocument
from corefmill.corpora.records import Mention, Span

ACTS: Mapping[str, int] = {
    "assign": 2,  # mention, cluster that it joins
    "new": 1,  # mention that gets a cluster of its own
    "split": 1,  # mention that with those after it leaves its cluster for a new one
    "merge": 2,  # mention whose cluster joins the cluster
    "add": 2,  # first and last word of a new mention, in a cluster of its own
    "remove": 1,  # mention that is none
    "border": 3,  # mention, its first and last word from now on
}
"""What a rater can do, and how many numbers it takes."""

Clusters = tuple[tuple[Mention, ...], ...]


@dataclass(frozen=True, slots=True)
class HeldMention:
    """A mention with the places of its words: half-open pieces, counted in the document."""

    mention: Mention
    pieces: tuple[Span, ...]

    @property
    def place(self) -> tuple[int, int]:
        """The key of the reading order, the longest first at one beginning."""
        return self.pieces[0][0], -self.pieces[-1][1]


class ChainState:
    """The mentions of a document by number, and the number of the cluster of each.

    It begins with `clusters`, by default those of the document.
    """

    def __init__(self, own: PlainDocument, clusters: Clusters | None = None) -> None:
        self.own = own
        self.mentions: dict[int, HeldMention] = {}
        self.cluster: dict[int, int] = {}
        found = [one for one in (own.document.clusters if clusters is None else clusters) if one]
        marked = [
            [HeldMention(mention, place) for mention, place in zip(cluster, places, strict=True)]
            for cluster, places in zip(found, own.places(found), strict=True)
        ]
        for number, group in enumerate(sorted(marked, key=lambda one: min(m.place for m in one))):
            for one in group:
                self.cluster[len(self.mentions)] = number + 1
                self.mentions[len(self.mentions)] = one
        self.original = dict(self.mentions)
        self._mentions = len(self.mentions)
        self.last_cluster = max(self.cluster.values(), default=0)

    def do(self, act: str) -> int | None:
        """Apply an act, and return the mention to select next; raise `ValueError` (rule 3)."""
        name, numbers = _act_parts(act)
        if name not in ACTS or len(numbers) != ACTS[name]:
            raise ValueError("This page does not know that act: reload it.")
        if name != "add" and numbers[0] not in self.mentions:
            raise ValueError("Choose a mention first.")
        done: Callable[..., int | None] = getattr(self, f"_{name}")
        return done(*numbers)

    @property
    def order(self) -> list[int]:
        """Sort the numbers of the mentions in reading order."""
        return sorted(self.mentions, key=lambda number: (self.mentions[number].place, number))

    def members(self) -> dict[int, list[int]]:
        """List the mentions of each cluster in reading order, the clusters by number."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number in self.order:
            found[self.cluster[number]].append(number)
        return dict(sorted(found.items()))

    def clusters(self) -> Clusters:
        """Return the clusters of a record, in the order of their first mentions."""
        found = sorted(
            self.members().values(), key=lambda own: (self.mentions[own[0]].place, own[0])
        )
        return tuple(tuple(self.mentions[number].mention for number in own) for own in found)

    def digest(self) -> str:
        """Hash the clusters: equal where two raters agree."""
        clusters = [
            sorted(
                [one.sentence, one.start, one.end, list(map(list, one.parts)), one.zero]
                for one in own
            )
            for own in self.clusters()
        ]
        return hashlib.sha256(json.dumps(sorted(clusters)).encode()).hexdigest()[:12]

    def words(self, number: int) -> str:
        """Join the words of a mention, with … between its pieces."""
        units, text = self.own.units, self.own.text
        return " … ".join(
            text[units[start].start : units[end - 1].end]
            for start, end in self.mentions[number].pieces
        )

    # Each act below is a method of its name, called by `do` with the act's numbers.
    def _assign(self, number: int, cluster: int) -> int:
        """Move a mention to a cluster."""
        if cluster not in self.cluster.values():
            raise ValueError(f"There is no cluster {cluster}: reload the page.")
        if self.cluster[number] == cluster:
            raise ValueError(f"The mention is in cluster {cluster} already.")
        self.cluster[number] = cluster
        return number

    def _new(self, number: int) -> int:
        """Move a mention to a new cluster."""
        if len(self.members()[self.cluster[number]]) == 1:
            raise ValueError("The mention is in a cluster of its own already.")
        self.cluster[number] = self._next_cluster()
        return number

    def _split(self, number: int) -> int:
        """Move a mention and the later mentions of its cluster to a new cluster."""
        own = self.members()[self.cluster[number]]
        if own[0] == number:
            raise ValueError(
                "The mention is the first of its cluster: choose the first mention to split off."
            )
        left = self._next_cluster()
        for other in own[own.index(number) :]:
            self.cluster[other] = left
        return number

    def _merge(self, number: int, cluster: int) -> int:
        """Move all mentions of a mention's cluster to another cluster."""
        own = self.members()[self.cluster[number]]
        self._assign(number, cluster)
        for other in own:
            self.cluster[other] = cluster
        return number

    def _add(self, first: int, last: int) -> int:
        """Add a mention of the words from first to last, in a new cluster."""
        made = self._make_mention(first, last)
        number, self._mentions = self._mentions, self._mentions + 1
        self.mentions[number], self.cluster[number] = made, self._next_cluster()
        return number

    def _remove(self, number: int) -> int | None:
        """Remove a mention, and return the next one, else the one before."""
        order = self.order
        del self.mentions[number], self.cluster[number]
        rest = order[order.index(number) + 1 :] or order[-2:-1]
        return rest[0] if rest else None

    def _border(self, number: int, first: int, last: int) -> int:
        self.mentions[number] = self._make_mention(first, last)
        return number

    def _make_mention(self, first: int, last: int) -> HeldMention:
        """Make a mention of the words from first to last; raise `ValueError` if impossible."""
        units = self.own.units
        if not first <= last < len(units):
            raise ValueError("These words are not in the document.")
        pieces = ((first, last + 1),)
        if any(one.pieces == pieces for one in self.mentions.values()):
            raise ValueError("A mention with exactly these words exists already.")
        try:
            mention = self.own.find_mention(units[first].start, units[last].end)
        except ValueError as error:
            raise ValueError(f"This cannot be a mention: {error}.") from None
        return HeldMention(mention, pieces)

    def _next_cluster(self) -> int:
        self.last_cluster += 1
        return self.last_cluster


def find_place(act: str) -> tuple[int | None, int | None]:
    """Find the place of an act: its mention, or the first word of a mention to add."""
    name, numbers = _act_parts(act)
    first = numbers[0] if numbers else None
    return (None, first) if name == "add" else (first, None)


def _act_parts(act: str) -> tuple[str, list[int]]:
    """Split an act into its word and its numbers; no numbers if any is malformed."""
    name, *words = act.split(" ")
    whole = all(word.isascii() and word.isdigit() and len(word) < 10 for word in words)
    return name, [int(word) for word in words] if whole else []


def find_consensus(states: Sequence[ChainState]) -> Clusters:
    """Find the consensus clusters of the raters of a document (rules 4 and 5)."""
    if len({state.clusters() for state in states}) == 1:
        return states[0].clusters()
    voters, voices = list(states), [2] * len(states)
    if len(states) % 2 == 0:  # rule 4: half a voice decides between halves
        voters.append(ChainState(states[0].own))
        voices.append(1)
    mentions: dict[Hashable, HeldMention] = {}
    versions: list[Mapping[Hashable, int]] = []  # the cluster of each mention, by its key
    for state in voters:
        numbers = mention_keys(state)
        versions.append({key: state.cluster[number] for number, key in numbers.items()})
        mentions |= {key: state.mentions[number] for number, key in numbers.items()}
    # A ballot is a mention's cluster in each version, -1 where it is not a mention. Mentions of one
    # ballot are in one cluster for everybody, so they are joined from the start: what is left to
    # decide are as many groups as raters made differences, however long the document.
    alike: defaultdict[tuple[int, ...], list[Hashable]] = defaultdict(list)
    for key in mentions:
        ballot = tuple(version.get(key, -1) for version in versions)
        had = sum(own for own, cluster in zip(voices, ballot, strict=True) if cluster >= 0)
        if 2 * had > sum(voices):
            alike[ballot].append(key)
    clusters = [
        sorted((mentions[key] for key in group), key=lambda one: one.place)
        for group in _join_groups(alike, voices)
    ]
    clusters.sort(key=lambda own: own[0].place)
    return tuple(tuple(one.mention for one in own) for own in clusters)


def mention_keys(state: ChainState) -> dict[int, Hashable]:
    """Map each mention to its key among raters: its number in the corpus, else its words.

    Two omitted words at one place differ by their numbers alone.
    """
    before: dict[Hashable, int] = {}
    for number, one in state.original.items():
        before.setdefault(one.pieces, number)
    return {
        number: number if state.original.get(number) == one else before.get(one.pieces, one.pieces)
        for number, one in state.mentions.items()
    }


def _join_groups(
    alike: Mapping[tuple[int, ...], Sequence[Hashable]], voices: Sequence[int]
) -> list[list[Hashable]]:
    """Join the groups of mentions with one ballot, the surest first, as rule 5 says."""
    groups = [list(own) for own in alike.values()]
    if not groups:
        return []
    sizes = np.array([len(own) for own in groups], dtype=np.float64)
    # Of each pair of groups, summed over its pairs of mentions: the voices of those who put both
    # into one cluster, less the voices of those who have both, but apart. Sums can be added when
    # groups are joined, and divided by the number of pairs they are the mean of rule 5.
    score = np.zeros((len(groups), len(groups)))
    for voice, cluster in zip(voices, np.array(list(alike)).T, strict=True):
        both = np.logical_and.outer(cluster >= 0, cluster >= 0)
        score += voice * (2 * (both & (cluster[:, np.newaxis] == cluster)) - both.astype(int))
    score *= np.outer(sizes, sizes)
    while True:
        share = np.triu(score / np.outer(sizes, sizes), 1)
        first, second = divmod(int(share.argmax()), len(groups))  # of equals the first in order
        if share[first, second] <= 0:  # no majority is left for any pair
            return [own for own in groups if own]
        score[first] += score[second]
        score[:, first] += score[:, second]
        score[second] = score[:, second] = 0
        sizes[first] += sizes[second]
        groups[first] += groups[second]
        groups[second] = []
