"""What several raters together made of a document: what more than half of them say.

1. A mention stands where more than half have it. Where the number of raters is even, the corpus's
   own answer, with which all began, is half a voice more, so that it decides between halves.
2. Mentions are joined where more than half have them in one cluster, of those who have both. Where
   such links contradict each other, groups are joined by the mean over their pairs of mentions, the
   surest first: no chain of links joins what a majority keeps apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import combinations
from math import prod

from corefmill.annotate.chaining.state import ChainState, Clusters, HeldMention

_Version = Mapping[Hashable, int]
"""The cluster of each mention; raters know a mention as the same by its key."""
_Ballot = tuple[int | None, ...]
"""The cluster of a mention in each version, None in one that does not have it."""


@dataclass(slots=True)
class _Group:
    """Mentions that are together.

    `had` counts for each version those of them that it has. `together` counts by another group's
    number the pairs of mentions, one of each group, that are one cluster in a version, each as
    often as the version has voices; groups that are together in none are not in it.
    """

    keys: list[Hashable]
    had: list[int]
    together: dict[int, int]


def agreed(states: Sequence[ChainState]) -> Clusters:
    """The clusters that the raters' states of one document amount to; there is one at least."""
    if len({state.clusters() for state in states}) == 1:
        return states[0].clusters()
    start = ChainState(states[0].own)
    voices = [2] * len(states) + ([1] if len(states) % 2 == 0 else [])
    mentions: dict[Hashable, HeldMention] = {}
    versions: list[_Version] = []
    for state in [*states, *([start] if len(voices) > len(states) else [])]:
        versions.append({key: state.cluster[number] for number, key in keys(state).items()})
        mentions |= {key: state.mentions[number] for number, key in keys(state).items()}
    # Mentions that are in one cluster for everybody are so from the start.
    alike: defaultdict[_Ballot, list[Hashable]] = defaultdict(list)
    for key in mentions:
        ballot = tuple(version.get(key) for version in versions)
        if 2 * _voices(voices, ballot) > sum(voices):
            alike[ballot].append(key)
    clusters = [
        sorted((mentions[key] for key in group.keys), key=lambda one: one.place)
        for group in _joined(_groups(alike, voices), voices)
    ]
    clusters.sort(key=lambda own: own[0].place)
    return tuple(tuple(one.mention for one in own) for own in clusters)


def keys(state: ChainState) -> dict[int, Hashable]:
    """What each mention is known by among raters: its words, of the corpus's own its number.

    Two omitted words at one place are told apart by that.
    """
    before: dict[Hashable, int] = {}
    for number, one in state.original.items():
        before.setdefault(one.pieces, number)
    return {
        number: number if state.original.get(number) == one else before.get(one.pieces, one.pieces)
        for number, one in state.mentions.items()
    }


def _voices(voices: Sequence[int], ballot: _Ballot) -> int:
    return sum(own for own, cluster in zip(voices, ballot, strict=True) if cluster is not None)


def _groups(alike: Mapping[_Ballot, list[Hashable]], voices: Sequence[int]) -> dict[int, _Group]:
    """The groups of mentions with one ballot, by number."""
    groups: dict[int, _Group] = {}
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, (ballot, own) in enumerate(alike.items()):
        had = [0 if cluster is None else len(own) for cluster in ballot]
        groups[number] = _Group(list(own), had, {})
        for version, cluster in enumerate(ballot):
            if cluster is not None:
                places[version, cluster].append(number)
    for (version, _), numbers in places.items():
        for one, other in combinations(numbers, 2):
            first, second = groups[one], groups[other]
            said = voices[version] * len(first.keys) * len(second.keys)
            first.together[other] = second.together[one] = first.together.get(other, 0) + said
    return groups


def _joined(left: dict[int, _Group], voices: Sequence[int]) -> Iterable[_Group]:
    """The groups, joined as rule 2 says.

    Of groups that were joined `together` and `had` are sums, so that a share is one division. The
    queue keeps shares that no longer are, which are passed over.
    """
    queue = [
        (-share, one, other)
        for one, group in left.items()
        for other in group.together
        if one < other and (share := _share(left, one, other, voices)) > 0
    ]
    heapify(queue)
    while queue:
        share, first, second = heappop(queue)
        if {first, second} <= left.keys() and -share == _share(left, first, second, voices):
            _join(left, first, second)
            for place in left[first].together:
                pair = min(first, place), max(first, place)
                if (now := _share(left, *pair, voices)) > 0:
                    heappush(queue, (-now, *pair))
    return left.values()


def _join(left: dict[int, _Group], first: int, second: int) -> None:
    """Makes one group of two, which has the first's number."""
    one, other = left[first], left.pop(second)
    one.keys += other.keys
    one.had = [own + its for own, its in zip(one.had, other.had, strict=True)]
    del one.together[second], other.together[first]
    for place, said in other.together.items():
        both = one.together.get(place, 0) + said
        one.together[place] = left[place].together[first] = both
        del left[place].together[second]


def _share(left: Mapping[int, _Group], one: int, other: int, voices: Sequence[int]) -> float:
    """How far those are in the majority who have both together, the mean over pairs of mentions."""
    first, second = left[one], left[other]
    had = sum(map(prod, zip(voices, first.had, second.had, strict=True)))
    return (2 * first.together[other] - had) / (len(first.keys) * len(second.keys))
