"""A key and a response of one document side by side: what every metric counts from.

The rules on mentions that stand twice are the reference scorer's (CoNLL v8.01):

1. A mention of the key that the response has twice, in two entities or in one, counts where it
   stands first: entities in the order in which they open, mentions in the order in which they
   close. An entity that is left empty vanishes.
   `{a b} {b c}` against the key `{a b c}` is scored as `{a b} {c}`.
2. A mention that only the response has is not looked at: `{x a} {x b}` keeps both x.
3. The key is left as it is. A mention that stands in two of its entities belongs, where a metric
   looks for the one entity it is in, to the last of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Entity = Sequence[Hashable]
Clusters = Sequence[Entity]
"""Entities in order of appearance; a mention is anything hashable."""

Cells = Mapping[tuple[int, int], int]
"""Mentions that (entity of the key, entity of the response) share; cells of none are left out."""

M = TypeVar("M", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Alignment:
    """Key and response after rule 1, with the mentions that their entities share.

    `home` maps each mention of the key to its last entity. `cells` counts by `home`; `shared`
    counts the mentions that are in both entities, wherever else the key has them; `repeated`
    counts them as often as the key's entity has them. The three differ only where a mention
    stands twice in the key. `back` are the cells as the response sees them, where that is
    otherwise (see `matching`).
    """

    key: Clusters
    response: Clusters
    home: Mapping[Hashable, int]
    cells: Cells
    shared: Cells
    repeated: Cells
    key_repeats: int
    dropped: int
    back: Cells | None = None

    @property
    def found(self) -> int:
        """Mentions that both sides have."""
        return sum(self.cells.values())

    @property
    def from_response(self) -> tuple[Cells, Cells]:
        """`cells` and `shared`, as they are seen from the response."""
        return (self.cells, self.shared) if self.back is None else (self.back, self.back)

    def once(self) -> Alignment:
        """The same with every mention where it stands first only, on both sides."""
        mentions = {mention for entity in self.response for mention in entity}
        if not self.key_repeats and len(mentions) == sum(map(len, self.response)):
            return self
        return align(once(self.key), once(self.response))


def align(key: Clusters, response: Clusters) -> Alignment:
    """Puts the two side by side. Entities without mentions are left out."""
    key = [entity for entity in key if entity]
    home = {mention: number for number, entity in enumerate(key) for mention in entity}
    repeats = sum(map(len, key)) - len(home)

    seen: set[Hashable] = set()
    kept: list[Entity] = []
    cells: Counter[tuple[int, int]] = Counter()
    dropped = 0
    for entity in response:
        rest = []
        for mention in entity:
            number = home.get(mention)
            if number is not None:
                if mention in seen:
                    dropped += 1
                    continue
                seen.add(mention)
                cells[number, len(kept)] += 1
            rest.append(mention)
        if rest:
            kept.append(rest)

    shared: Cells = cells
    repeated: Cells = cells
    if repeats:
        place = {mention: r for r, entity in enumerate(kept) for mention in entity}
        shared = Counter(
            (k, place[m]) for k, e in enumerate(key) for m in dict.fromkeys(e) if m in place
        )
        repeated = Counter((k, place[m]) for k, e in enumerate(key) for m in e if m in place)
    return Alignment(key, kept, home, cells, shared, repeated, repeats, dropped)


def once(clusters: Sequence[Sequence[M]]) -> list[list[M]]:
    """The entities with every mention where it stands first only; entities left empty vanish."""
    seen: set[Hashable] = set()
    kept = []
    for entity in clusters:
        rest = []
        for mention in entity:
            if mention not in seen:
                seen.add(mention)
                rest.append(mention)
        if rest:
            kept.append(rest)
    return kept


def without_singletons(clusters: Sequence[Sequence[M]]) -> list[Sequence[M]]:
    """The entities of two mentions or more, as they stand, before any rule on duplicates."""
    return [entity for entity in clusters if len(set(entity)) > 1]
