"""The metrics once more, slowly and straight from their definitions, to compare with.

Nothing is shared with the scorer. Duplicates are treated as the reference scorer treats them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

Clusters = Sequence[Sequence[object]]
Row = list[Fraction]


def counts(metric: str, key: Clusters, response: Clusters) -> Row:
    key = [list(entity) for entity in key if entity]
    return [Fraction(number) for number in METRICS[metric](key, kept(key, response))]


def kept(key: Clusters, response: Clusters) -> Clusters:
    """The response without what it repeats of the key's mentions."""
    of_key = {mention for entity in key for mention in entity}
    seen: list[object] = []
    found = []
    for entity in response:
        rest = []
        for mention in entity:
            if mention not in of_key or mention not in seen:
                rest.append(mention)
            seen.append(mention)
        found.append(rest)
    return [entity for entity in found if entity]


def last(clusters: Clusters, mention: object) -> int | None:
    """The last entity that has the mention."""
    return max((n for n, entity in enumerate(clusters) if mention in entity), default=None)


def muc(key: Clusters, response: Clusters) -> Sequence[int]:
    right = 0
    for entity in response:
        homes = [last(key, mention) for mention in entity]
        for home in {home for home in homes if home is not None}:
            right += homes.count(home) - 1
    return right, sum(len(e) - 1 for e in key), right, sum(len(e) - 1 for e in response)


def bcub(key: Clusters, response: Clusters) -> Sequence[Fraction | int]:
    recall = precision = Fraction(0)
    for entity in response:
        for mention in entity:
            home = last(key, mention)
            if home is not None:
                common = sum(other in key[home] for other in entity)
                recall += Fraction(common, len(key[home]))
                precision += Fraction(common, len(entity))
    return recall, sum(map(len, key)), precision, sum(map(len, response))


def best(key: Clusters, response: Clusters, similarity: Callable[..., Fraction]) -> Fraction:
    """The heaviest map, by trying all."""
    small, large = sorted((key, response), key=len)
    table = {
        (a, b): similarity(k, r) if small is key else similarity(r, k)
        for a, k in enumerate(small)
        for b, r in enumerate(large)
    }
    return max(
        sum((table[a, b] for a, b in enumerate(chosen)), Fraction(0))
        for chosen in permutations(range(len(large)), len(small))
    )


def common(key: Sequence[object], response: Sequence[object]) -> Fraction:
    return Fraction(sum(mention in response for mention in key))


def phi4(key: Sequence[object], response: Sequence[object]) -> Fraction:
    return 2 * common(key, response) / (len(key) + len(response))


def ceafm(key: Clusters, response: Clusters) -> Sequence[Fraction | int]:
    found = best(key, response, common)
    return found, sum(map(len, key)), found, sum(map(len, response))


def ceafe(key: Clusters, response: Clusters) -> Sequence[Fraction | int]:
    found = best(key, response, phi4)
    return found, len(key), found, len(response)


Link = frozenset[object]


def links(clusters: Clusters) -> tuple[set[Link], set[Link]]:
    same = {frozenset(pair) for entity in clusters for pair in combinations(entity, 2)}
    apart = {frozenset((m, n)) for one, two in combinations(clusters, 2) for m in one for n in two}
    return same, apart


def blanc(key: Clusters, response: Clusters) -> Sequence[int]:
    found: list[int] = []
    for own, other in zip(links(key), links(response), strict=True):
        right = len(own & other)
        found += [right, len(own), right, len(other)]
    return found


METRICS: dict[str, Callable[[Clusters, Clusters], Sequence[Fraction | int]]] = {
    "muc": muc,
    "bcub": bcub,
    "ceafe": ceafe,
    "ceafm": ceafm,
    "blanc": blanc,
}
