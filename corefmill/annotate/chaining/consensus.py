"""What several raters together made of a document: what more than half of them say.

1. A mention stands where more than half have it. Where the number of raters is even, the corpus's
   own answer, with which all began, is half a voice more, so that it decides between halves.
2. Mentions are joined where more than half have them in one cluster, of those who have both. Where
   such links contradict each other, groups are joined by the mean over their pairs of mentions, the
   surest first: no chain of links joins what a majority keeps apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from corefmill.annotate.chaining.state import ChainState, Clusters, HeldMention

_Version = Mapping[Hashable, int]
"""The cluster of each mention; raters know a mention as the same by its key."""


@dataclass(slots=True)
class _Group:
    """Mentions that are together; `ballots` says how many are where: of each version the cluster,
    None for a version that does not have them."""

    keys: list[Hashable]
    ballots: dict[tuple[int | None, ...], int]


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
    groups: dict[tuple[int | None, ...], _Group] = {}
    for key in mentions:
        ballot = tuple(version.get(key) for version in versions)
        if 2 * _voices(voices, ballot) > sum(voices):
            groups.setdefault(ballot, _Group([], {ballot: 0})).keys.append(key)
            groups[ballot].ballots[ballot] += 1
    clusters = [
        sorted((mentions[key] for key in group.keys), key=lambda one: one.place)
        for group in _joined(list(groups.values()), voices)
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


def _voices(voices: Sequence[int], ballot: Sequence[int | None]) -> int:
    return sum(own for own, cluster in zip(voices, ballot, strict=True) if cluster is not None)


def _joined(groups: list[_Group], voices: Sequence[int]) -> list[_Group]:
    """The groups, joined as rule 2 says."""
    left = dict(enumerate(groups))
    shares = {pair: _share(left[pair[0]], left[pair[1]], voices) for pair in _meeting(groups)}
    while shares:
        first, second = min(shares, key=lambda pair: (-shares[pair], pair))
        if shares[first, second] <= 0:
            break
        one, other = left[first], left.pop(second)
        one.keys += other.keys
        for ballot, count in other.ballots.items():
            one.ballots[ballot] = one.ballots.get(ballot, 0) + count
        touched = {place for pair in shares if {first, second} & {*pair} for place in pair}
        shares = {pair: share for pair, share in shares.items() if not {first, second} & {*pair}}
        for place in sorted(touched - {first, second}):
            pair = min(first, place), max(first, place)
            shares[pair] = _share(left[pair[0]], left[pair[1]], voices)
    return list(left.values())


def _meeting(groups: Sequence[_Group]) -> Iterator[tuple[int, int]]:
    """The pairs of groups that are one cluster for anybody."""
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        for ballot in group.ballots:
            for version, cluster in enumerate(ballot):
                if cluster is not None:
                    places[version, cluster].append(number)
    yield from dict.fromkeys(pair for own in places.values() for pair in combinations(own, 2))


def _share(one: _Group, other: _Group, voices: Sequence[int]) -> float:
    """How far those are in the majority who have both together, the mean over pairs of mentions."""
    total = pairs = 0
    for first, often in one.ballots.items():
        for second, also in other.ballots.items():
            for own, left, right in zip(voices, first, second, strict=True):
                if left is not None and right is not None:
                    total += often * also * (own if left == right else -own)
            pairs += often * also
    return total / pairs
