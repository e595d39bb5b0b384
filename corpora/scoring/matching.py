"""Match mentions (as corefud-scorer 1.2 does) and entities one to one, by the largest sum.

Every mention has at most one partner, found in this order:

1. `zeros` dependent: zero mentions of one sentence, by the F1 of their heads' DEPS: ten times that
   of (parent, relation), plus that of the parents alone.
2. Mentions of the same nodes, under `head` also of the same head.
3. `head`: mentions of the same head, by the share of the key's mention that the response's has.
   `partial`: a response's mention within the key's that has its head, by the same share.

Steps 1 and 3 take the pairs of the largest sum. Several sets of pairs may have that sum, and
scipy's solver takes one of them, depending on the order of the mentions. So the whole table is
solved wherever the largest sum may belong to several sets. Two mentions with the same ends and
number of nodes have no order in corefud-scorer (a hash decides); here their nodes and head decide.

corefud-scorer looks partners up in one table of both sides, which does not tell a node of the
response from one of the key at the same place. Where step 1 pairs nodes of different places, a
mention may be counted with the partner of another. `NodeAlignment.links` is that table, so that
figures compare with those of the field.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from corefmill.corpora.scoring.alignment import Alignment, Clusters, NodeMention, sentence_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def solve(weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the one-to-one map with the largest sum: rows and columns of a table of weights."""
    return cast("tuple[NDArray[np.intp], NDArray[np.intp]]", _solver()(weights, maximize=True))


@cache
def _solver() -> Any:
    """Load `scipy.optimize.linear_sum_assignment` from its own file, else with all of scipy."""
    package = find_spec("scipy")
    folders = (
        [str(Path(one, "optimize")) for one in package.submodule_search_locations or ()]
        if package
        else []
    )
    spec = PathFinder.find_spec("_lsap", folders)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        if hasattr(module, "linear_sum_assignment"):
            return module.linear_sum_assignment
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

    return linear_sum_assignment


Weights = Mapping[tuple[int, int], float]

_SMALL, _FEW = 64, 4
"""Pair of a document, and entities of one side of its parts, up to which all maps are tried."""

_DENSE = 250_000
"""Cells up to which a full matrix is solved; the sparse solver takes long to import."""


def best_map(weights: Weights) -> list[float]:
    """Find the weights of the pairs of the heaviest one-to-one map."""
    return [weights[pair] for pair in best_pairs(weights)]


def best_pairs(weights: Weights) -> list[tuple[int, int]]:
    """Find the pairs of the heaviest one-to-one map.

    Entities that share nothing with any other are in no pair, so that a document of thousands of
    singletons costs no more than its mentions. A small document is cut into parts that have no
    entity in common, which mostly do without a solver: numpy takes longer to import than they do.
    """
    if len(weights) <= _SMALL:
        parts = _split_parts(weights)
        if all(few <= _FEW for few, _ in parts):
            return [pair for few, part in parts for pair in _try_all_maps(part, few)]
    return _solve_table(weights)


def _split_parts(weights: Weights) -> list[tuple[int, Weights]]:
    """Split a document into parts, each with the smaller of its two numbers of entities."""
    by_row: dict[int, list[int]] = {}
    by_column: dict[int, list[int]] = {}
    for row, column in weights:
        by_row.setdefault(row, []).append(column)
        by_column.setdefault(column, []).append(row)
    parts: list[tuple[int, Weights]] = []
    while by_row:
        rows = [next(iter(by_row))]
        columns: list[int] = []
        part: dict[tuple[int, int], float] = {}
        for row in rows:  # which grows
            for column in by_row.pop(row, ()):
                part[row, column] = weights[row, column]
                if column in by_column:
                    columns.append(column)
                    rows += by_column.pop(column)
        parts.append((min(len({*rows}), len(columns)), part))
    return parts


def _solve_table(weights: Weights) -> list[tuple[int, int]]:
    """Find the pairs of the heaviest map by a solver."""
    import numpy as np

    rows = {k: index for index, k in enumerate(dict.fromkeys(k for k, _ in weights))}
    columns = {r: index for index, r in enumerate(dict.fromkeys(r for _, r in weights))}
    row = np.array([rows[k] for k, _ in weights])
    column = np.array([columns[r] for _, r in weights])
    weight = np.array(list(weights.values()), dtype=float)
    if len(rows) * len(columns) <= _DENSE:
        matrix = np.zeros((len(rows), len(columns)))
        matrix[row, column] = weight
        return _select_pairs(weights, list(rows), list(columns), *solve(matrix))
    from scipy.sparse import csr_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import (  # type: ignore[import-untyped]
        min_weight_full_bipartite_matching,
    )

    # The sparse solver wants a map for every row: each gets a column of its own that is worth
    # nothing. It takes no weight of zero, hence one more on every weight.
    own = np.arange(len(rows))
    size = (len(rows), len(columns) + len(rows))
    graph = csr_array(
        (
            np.concatenate([weight + 1, np.ones(len(rows))]),
            (np.concatenate([row, own]), np.concatenate([column, own + len(columns)])),
        ),
        shape=size,
    )
    solved = min_weight_full_bipartite_matching(graph, maximize=True)
    return _select_pairs(weights, list(rows), list(columns), *solved)


def _try_all_maps(part: Weights, few: int) -> list[tuple[int, int]]:
    """Find the heaviest pairs of a part with `few` entities on one side, trying every set."""
    if few == 1:
        return [max(part, key=part.__getitem__)]
    by_row = len({column for _, column in part}) == few
    turns: dict[int, list[tuple[int, tuple[int, int]]]] = {}
    bits: dict[int, int] = {}  # of the few; the others take one of them in turn
    for pair in part:
        one, other = pair if by_row else pair[::-1]
        turns.setdefault(one, []).append((bits.setdefault(other, 1 << len(bits)), pair))
    best: dict[int, tuple[float, tuple[tuple[int, int], ...]]] = {0: (0.0, ())}  # by what is taken
    for choices in turns.values():
        for taken, (weight, pairs) in list(best.items()):
            for bit, pair in choices:
                total = weight + part[pair]
                if not taken & bit and total > best.get(taken | bit, (0.0,))[0]:
                    best[taken | bit] = total, (*pairs, pair)
    return list(max(best.values())[1])


def _select_pairs(
    weights: Weights,
    rows: Sequence[int],
    columns: Sequence[int],
    row: NDArray[np.intp],
    column: NDArray[np.intp],
) -> list[tuple[int, int]]:
    """Translate the cells taken by a solver to pairs, without those of no weight."""
    taken = zip(row.tolist(), column.tolist(), strict=True)
    pairs = [(rows[r], columns[c]) for r, c in taken if c < len(columns)]
    return [pair for pair in pairs if pair in weights]


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
        """Return itself: a mention in two entities already is the last one's."""
        return self

    def identity(self, mention: NodeMention) -> Identity:
        """Return the identity of a mention."""
        return _identity(mention, self.how)


@dataclass(frozen=True, slots=True)
class Matching:
    """The rules on equal mentions and on zero mentions.

    `zeros` none leaves them out, linear has them match as other mentions do, by their places.
    """

    how: MentionMatch = "head"
    zeros: ZeroMatch = "dependent"

    def align(
        self, key: Clusters, response: Clusters, *, without_singletons: bool = False
    ) -> NodeAlignment:
        """Align the two sides of a document by the partners of their `NodeMention`s."""
        keys, responses = (
            self._select_mentions(side, without_singletons) for side in (key, response)
        )
        key_side, response_side = _Side(keys, self.how), _Side(responses, self.how)
        pairs = self._pair_mentions(key_side.mentions, response_side.mentions)
        unequal = [pair for pair in pairs if pair[0] != pair[1]]
        # One table of both sides, as corefud-scorer has: the response's places win.
        links = dict(unequal) | {other: own for own, other in unequal}
        cells, repeated = _count_cells(keys, response_side, links, self.how)
        back, _ = _count_cells(responses, key_side, links, self.how)
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

    def _select_mentions(
        self, clusters: Clusters, without_singletons: bool
    ) -> list[list[NodeMention]]:
        """Keep each mention of an entity once; then drop unwanted singletons, then zeros."""
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

    def _pair_mentions(
        self, key: dict[Identity, NodeMention], response: dict[Identity, NodeMention]
    ) -> list[tuple[Identity, Identity]]:
        """Pair mentions of both sides one to one, by their identities."""
        key, response = dict(key), dict(response)
        found: list[tuple[Identity, Identity]] = []

        def pair_best(score: Callable[[NodeMentions, NodeMentions], Weights], zeros: bool) -> None:
            """Pair the mentions left on both sides by the largest sum of `score`."""
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

        # The order of the steps counts: who has found a partner is out of the later ones.
        if self.zeros == "dependent":
            pair_best(_by_dependencies, zeros=True)
        for own in [own for own in key if own in response]:
            found.append((own, own))
            del key[own], response[own]
        if self.how != "exact":
            pair_best(_by_head if self.how == "head" else _by_part, zeros=False)
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


def _count_cells(
    clusters: Sequence[NodeMentions],
    other: _Side,
    links: Mapping[Identity, Identity],
    how: MentionMatch,
) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    """Count mentions by their entity and their partner's: the last one, and any of them."""
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
    """Weigh pairs of zero mentions by their dependencies (step 1)."""
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
    """Compute the F1 of two sets, 0 where they share nothing."""
    shared = len(one & other)
    if not shared:
        return 0.0
    first, second = shared / len(one), shared / len(other)
    return 2 * first * second / (first + second)


def _by_head(key: NodeMentions, response: NodeMentions) -> Weights:
    """Weigh pairs of mentions by their heads (step 3, under `head`)."""
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
    """Weigh pairs by parts of the key's mention (step 3, under `partial`).

    The head of a response's mention is not looked at.
    """
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
    """Find the pairs with the largest sum; of several such sets, corefud-scorer's."""
    # Most tables fall into stars: one mention with several candidates that have no other. There the
    # best candidate of each star is in the largest sum, and no solver is needed.
    mates = Counter(row for row, _ in weights), Counter(column for _, column in weights)
    if all(min(mates[0][row], mates[1][column]) == 1 for row, column in weights):
        stars: dict[tuple[int, int], list[tuple[float, int, int]]] = defaultdict(list)
        for (row, column), weight in weights.items():
            center = (0, row) if mates[0][row] > 1 else (1, column)
            stars[center].append((weight, row, column))
        chosen = []
        for star in stars.values():
            star.sort(reverse=True)
            if len(star) > 1 and star[0][0] == star[1][0]:
                break  # a tie, which the solver of the whole table decides
            chosen.append(star[0][1:])
        else:
            return chosen
    # Of several sets with the largest sum scipy's solver takes one by the order of the whole table,
    # zeros included. A smaller table of the weights alone would be solved otherwise.
    if rows * columns > _MOST_CELLS:
        return best_pairs(weights)
    import numpy as np  # takes longer than a score without such a table

    table = np.zeros((rows, columns))
    for cell, weight in weights.items():
        table[cell] = weight
    pairs = zip(*(side.tolist() for side in solve(table)), strict=True)
    return [pair for pair in pairs if pair in weights]
