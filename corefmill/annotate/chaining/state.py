"""The clusters of a document as a rater's acts have left them.

1. An act is a line of a word and whole numbers, such as `merge 4 7`. A rater's acts in their order
   give the clusters, beginning with those of the corpus; an undone act is left out of them.
2. Mentions and clusters have numbers, in the order in which they came to be; those of what was
   removed are given to nothing else. Words are counted over the document from 0, omitted ones (∅)
   included.
3. What cannot be done changes nothing and raises `ValueError` in words for the rater.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from corefmill.annotate.exchange.chains import PlainDocument, ToolMention
from corefmill.annotate.questions import CHAINS
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
OF_SPANS = ("add", "remove", "border")
"""Those that do not say what corefers."""

Clusters = tuple[tuple[Mention, ...], ...]


@dataclass(frozen=True, slots=True)
class HeldMention:
    """A mention and where its words are: half-open pieces, in words of the document."""

    mention: Mention
    pieces: tuple[Span, ...]

    @property
    def place(self) -> tuple[int, int]:
        """Sorts mentions as they are read, of those that begin together the longest first."""
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

    def do(self, act: str, allowed: Sequence[str] = tuple(ACTS)) -> int | None:
        """Does what a line says, and returns the mention to look at then.

        Raises `ValueError` for a line that is no act, or none of those `allowed`, and as rule 3.
        """
        name, numbers = _act_parts(act)
        if name not in allowed or len(numbers) != ACTS[name]:
            raise ValueError("This page does not know that act.")
        if name != "add" and numbers[0] not in self.mentions:
            raise ValueError("Choose a mention first.")
        done: Callable[..., int | None] = getattr(self, f"_{name}")
        return done(*numbers)

    @property
    def order(self) -> list[int]:
        """The numbers of the mentions as they are read."""
        return sorted(self.mentions, key=lambda number: (self.mentions[number].place, number))

    def members(self) -> dict[int, list[int]]:
        """The mentions of each cluster as they are read, the clusters by their number."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number in self.order:
            found[self.cluster[number]].append(number)
        return dict(sorted(found.items()))

    def clusters(self) -> Clusters:
        """The clusters as records have them, in the order of their first mentions."""
        found = sorted(
            self.members().values(), key=lambda own: (self.mentions[own[0]].place, own[0])
        )
        return tuple(tuple(self.mentions[number].mention for number in own) for own in found)

    def digest(self, kind: str) -> str:
        """Names what was made: equal for two raters who made the same.

        Of spans it is the mentions alone.
        """
        clusters = [
            sorted(
                [one.sentence, one.start, one.end, list(map(list, one.parts)), one.zero]
                for one in own
            )
            for own in self.clusters()
        ]
        told = clusters if kind == CHAINS else [one for own in clusters for one in own]
        return hashlib.sha256(json.dumps(sorted(told)).encode()).hexdigest()[:12]

    def words(self, number: int) -> str:
        """The words of a mention, its pieces with … between them."""
        units, text = self.own.units, self.own.text
        return " … ".join(
            text[units[start].start : units[end - 1].end]
            for start, end in self.mentions[number].pieces
        )

    def shown(self, kind: str) -> str:
        """The text with each mention in brackets, followed by the number of its cluster."""
        before: defaultdict[int, str] = defaultdict(str)
        behind: defaultdict[int, str] = defaultdict(str)
        numbers = {cluster: place for place, cluster in enumerate(self.members(), 1)}
        for number in self.order:
            sign = f"]{numbers[self.cluster[number]]}" if kind == CHAINS else "]"
            for start, end in self.mentions[number].pieces:
                before[start] += "["
                behind[end - 1] = sign + behind[end - 1]
        made, done = [], 0
        for place, unit in enumerate(self.own.units):
            made += [self.own.text[done : unit.start], before[place]]
            made += [self.own.text[unit.start : unit.end], behind[place]]
            done = unit.end
        return "".join(made)

    def _assign(self, number: int, cluster: int) -> int:
        if cluster not in self.cluster.values():
            raise ValueError(f"There is no cluster {cluster}.")
        if self.cluster[number] == cluster:
            raise ValueError(f"It is in cluster {cluster} already.")
        self.cluster[number] = cluster
        return number

    def _new(self, number: int) -> int:
        if len(self.members()[self.cluster[number]]) == 1:
            raise ValueError("It is in a cluster of its own already.")
        self.cluster[number] = self._next_cluster()
        return number

    def _split(self, number: int) -> int:
        own = self.members()[self.cluster[number]]
        if own[0] == number:
            raise ValueError(
                "It is the first of its cluster: choose the first of those that leave."
            )
        left = self._next_cluster()
        for other in own[own.index(number) :]:
            self.cluster[other] = left
        return number

    def _merge(self, number: int, cluster: int) -> int:
        own = self.members()[self.cluster[number]]
        self._assign(number, cluster)
        for other in own:
            self.cluster[other] = cluster
        return number

    def _add(self, first: int, last: int) -> int:
        made = self._spanned(first, last)
        number, self._mentions = self._mentions, self._mentions + 1
        self.mentions[number], self.cluster[number] = made, self._next_cluster()
        return number

    def _remove(self, number: int) -> int | None:
        order = self.order
        del self.mentions[number], self.cluster[number]
        rest = order[order.index(number) + 1 :] or order[-2:-1]
        return rest[0] if rest else None

    def _border(self, number: int, first: int, last: int) -> int:
        self.mentions[number] = self._spanned(first, last)
        return number

    def _spanned(self, first: int, last: int) -> HeldMention:
        units = self.own.units
        if not first <= last < len(units):
            raise ValueError("These words are not in the document.")
        pieces = ((first, last + 1),)
        if any(one.pieces == pieces for one in self.mentions.values()):
            raise ValueError("These very words are a mention already.")
        try:
            mention = self.own.mention(ToolMention(((units[first].start, units[last].end),)))
        except ValueError as error:
            raise ValueError(f"This cannot be a mention: {error}.") from None
        return HeldMention(mention, pieces)

    def _next_cluster(self) -> int:
        self.last_cluster += 1
        return self.last_cluster


def place_of(act: str) -> tuple[int | None, int | None]:
    """The mention that an act is about; of a new one, which has no number before, the word."""
    name, numbers = _act_parts(act)
    first = numbers[0] if numbers else None
    return (None, first) if name == "add" else (first, None)


def _act_parts(act: str) -> tuple[str, list[int]]:
    """The word of an act, and its numbers: none where they are not all numbers."""
    name, *words = act.split(" ")
    whole = all(word.isascii() and word.isdigit() and len(word) < 10 for word in words)
    return name, [int(word) for word in words] if whole else []
