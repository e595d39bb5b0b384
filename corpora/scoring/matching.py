"""Pairs the mentions of key and response as corefud-scorer 1.2 does, where they need not be equal.

Every mention has one partner at most. In this order:

1. `zeros` dependent: zero mentions of one sentence, by the F1 of their heads' DEPS: ten times that
   of (parent, relation), and once that of the parents alone.
2. Mentions of the same nodes, under `head` also of the same head.
3. `head`: mentions of the same head, by the share of the key's mention that the response's has.
   `partial`: a response's mention within the key's that has its head, by the same share.

In 1 and 3 the pairs are those of the largest sum. Of several such sets scipy's solver takes one,
given all mentions in their order; what is solved here is therefore the whole table wherever the
largest sum might not be one set's alone. Two mentions with the same ends and number of nodes have
no order there (a hash decides); here their nodes and head decide.

corefud-scorer looks partners up in one table of both sides, in which a node of the response and one
of the key that stand at the same place are one. Where step 1 pairs nodes of different places, a
mention may so be counted with another's partner. Figures are to compare with those of the field:
`NodeAlignment.links` is that table.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from corefmill.corpora.scoring.alignment import Alignment, Clusters
from corefmill.corpora.scoring.assignment import solve
from corefmill.corpora.scoring.ceaf import Weights, best_pairs
from corefmill.corpora.scoring.units import NodeMention, sentence_of

MentionMatch = Literal["exact", "head", "partial"]
ZeroMatch = Literal["none", "linear", "dependent"]

NodeMentions = Sequence[NodeMention]

Identity = tuple[int, ...]
"""What a mention is found by: its nodes, and under `head` its head."""

_MOST_CELLS = 50_000_000
"""Cells of the largest table that is solved whole, 400 MB; beyond it, ties fall otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAlignment(Alignment):
    """Mentions of CorefUD with their partners.

    `links` maps the identity of a mention to that of its partner, where the two differ.
    """

    how: MentionMatch
    links: Mapping[Identity, Identity]

    def once(self) -> NodeAlignment:
        """Itself: a mention that stands in two entities was taken for the last's already."""
        return self

    def identity(self, mention: NodeMention) -> Identity:
        """What a mention is found by."""
        return _identity(mention, self.how)


@dataclass(frozen=True, slots=True)
class Matching:
    """When two mentions are the same, and what becomes of zero mentions.

    `zeros` none leaves them out, linear has them match as other mentions do, by their places.
    """

    how: MentionMatch = "head"
    zeros: ZeroMatch = "dependent"

    def align(
        self, key: Clusters, response: Clusters, *, without_singletons: bool = False
    ) -> NodeAlignment:
        """The two sides of a document, whose mentions are `NodeMention`s, with their partners."""
        keys, responses = (self._kept(side, without_singletons) for side in (key, response))
        key_side, response_side = _Side(keys, self.how), _Side(responses, self.how)
        links = _links(self._pairs(key_side.mentions, response_side.mentions))
        cells, repeated = _seen(keys, response_side, links, self.how)
        back, _ = _seen(responses, key_side, links, self.how)
        home: dict[Hashable, int] = {}
        for number, entity in enumerate(keys):
            home.update(dict.fromkeys(entity, number))
        return NodeAlignment(
            key=keys,
            response=responses,
            home=home,
            cells=cells,
            shared=cells,
            repeated=repeated,
            key_repeats=key_side.repeats,
            dropped=0,
            back=Counter({(k, r): shared for (r, k), shared in back.items()}),
            how=self.how,
            links=links,
        )

    def _kept(self, clusters: Clusters, without_singletons: bool) -> list[list[NodeMention]]:
        """Each mention of an entity once; then no singletons, then no zeros, where not wanted."""
        kept = []
        for entity in clusters:
            own: dict[Identity, NodeMention] = {}
            for mention in entity:
                assert isinstance(mention, NodeMention)
                own.setdefault(_identity(mention, self.how), mention)
            if without_singletons and len(own) == 1:
                continue
            rest = [m for m in own.values() if not (m.zero and self.zeros == "none")]
            if rest:
                kept.append(rest)
        return kept

    def _pairs(
        self, key: dict[Identity, NodeMention], response: dict[Identity, NodeMention]
    ) -> list[tuple[Identity, Identity]]:
        """The identities of mentions and their partners."""
        key, response = dict(key), dict(response)
        found: list[tuple[Identity, Identity]] = []

        def settle(score: Callable[[NodeMentions, NodeMentions], Weights], zeros: bool) -> None:
            sides = [
                sorted(
                    ((m.order, name) for name, m in side.items() if m.zero or not zeros),
                )
                for side in (key, response)
            ]
            rows, columns = ([name for _, name in side] for side in sides)
            weights = score([key[name] for name in rows], [response[name] for name in columns])
            for row, column in _heaviest(weights, len(rows), len(columns)):
                found.append((rows[row], columns[column]))
                del key[rows[row]], response[columns[column]]

        if self.zeros == "dependent":
            settle(_by_dependencies, zeros=True)
        for own in [own for own in key if own in response]:
            found.append((own, own))
            del key[own], response[own]
        if self.how != "exact":
            settle(_by_head if self.how == "head" else _by_part, zeros=False)
        return found


class _Side:
    """Where each mention of a side stands: `last` its entity, `all` where it has several."""

    def __init__(self, clusters: Sequence[NodeMentions], how: MentionMatch) -> None:
        self.mentions: dict[Identity, NodeMention] = {}
        self.last: dict[Identity, int] = {}
        self.all: dict[Identity, list[int]] = {}
        self.repeats = 0
        for number, entity in enumerate(clusters):
            for mention in entity:
                name = _identity(mention, how)
                if name in self.last:
                    self.repeats += 1
                    self.all.setdefault(name, [self.last[name]]).append(number)
                self.mentions.setdefault(name, mention)
                self.last[name] = number


def _identity(mention: NodeMention, how: MentionMatch) -> Identity:
    return (*mention.words, mention.head) if how == "head" else mention.words


def _links(pairs: Iterable[tuple[Identity, Identity]]) -> dict[Identity, Identity]:
    unequal = [pair for pair in pairs if pair[0] != pair[1]]
    return dict(unequal) | {other: own for own, other in unequal}


def _seen(
    clusters: Sequence[NodeMentions],
    other: _Side,
    links: Mapping[Identity, Identity],
    how: MentionMatch,
) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    """Mentions by their entity and their partner's last one, and by any of their partner's."""
    last, every = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for number, entity in enumerate(clusters):
        for mention in entity:
            name = _identity(mention, how)
            partner = links.get(name, name)
            if (place := other.last.get(partner)) is not None:
                last[number, place] += 1
                for one in other.all.get(partner, (place,)):
                    every[number, one] += 1
    return last, every


def _by_dependencies(key: NodeMentions, response: NodeMentions) -> Weights:
    """Step 1."""
    there: dict[int, list[int]] = defaultdict(list)
    for column, mention in enumerate(response):
        there[sentence_of(mention.head)].append(column)
    weights = {}
    for row, mention in enumerate(key):
        parents = {parent for parent, _ in mention.deps}
        for column in there.get(sentence_of(mention.head), ()):
            deps = response[column].deps
            weight = 10 * _f1(mention.deps, deps) + _f1(parents, {parent for parent, _ in deps})
            if weight > 0:
                weights[row, column] = weight
    return weights


def _f1(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    shared = len(one & other)
    if not shared:
        return 0.0
    first, second = shared / len(one), shared / len(other)
    return 2 * first * second / (first + second)


def _by_head(key: NodeMentions, response: NodeMentions) -> Weights:
    """Step 3, under `head`."""
    there: dict[int, list[int]] = defaultdict(list)
    for column, mention in enumerate(response):
        there[mention.head].append(column)
    weights = {}
    for row, mention in enumerate(key):
        for column in there.get(mention.head, ()):
            shared = len(set(mention.words).intersection(response[column].words))
            weights[row, column] = shared / len(mention.words)
    return weights


def _by_part(key: NodeMentions, response: NodeMentions) -> Weights:
    """Step 3, under `partial`: the head of a response's mention is not looked at."""
    heads: dict[int, list[int]] = defaultdict(list)
    for row, mention in enumerate(key):
        heads[mention.head].append(row)
    weights = {}
    for column, mention in enumerate(response):
        for word in mention.words:
            for row in heads.get(word, ()):
                whole = key[row].words
                if len(mention.words) <= len(whole) and set(whole).issuperset(mention.words):
                    weights[row, column] = len(mention.words) / len(whole)
    return weights


def _heaviest(weights: Weights, rows: int, columns: int) -> Iterable[tuple[int, int]]:
    """The pairs of the largest sum, those that corefud-scorer takes where there are several."""
    mates = Counter(row for row, _ in weights), Counter(column for _, column in weights)
    if all(min(mates[0][row], mates[1][column]) == 1 for row, column in weights):
        # Every mention with several candidates is the only one of each: its best is in the sum.
        stars: dict[tuple[int, int], list[tuple[float, int, int]]] = defaultdict(list)
        for (row, column), weight in weights.items():
            center = (0, row) if mates[0][row] > 1 else (1, column)
            stars[center].append((weight, row, column))
        chosen = []
        for star in stars.values():
            star.sort(reverse=True)
            if len(star) > 1 and star[0][0] == star[1][0]:
                break
            chosen.append(star[0][1:])
        else:
            return chosen
    if rows * columns > _MOST_CELLS:
        return best_pairs(weights)
    import numpy as np  # takes longer than a score without such a table

    table = np.zeros((rows, columns))
    for cell, weight in weights.items():
        table[cell] = weight
    pairs = zip(*(side.tolist() for side in solve(table)), strict=True)
    return [pair for pair in pairs if pair in weights]
