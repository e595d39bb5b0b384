"""CEAF (Luo 2005): the best one-to-one map between the entities of key and response.

The similarity of two entities is the number of mentions that they share (CEAFm), or twice that
number over the sum of their sizes, phi 4 of the paper (CEAFe).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from corefmill.corpora.scoring.assignment import solve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Weights = Mapping[tuple[int, int], float]

_SMALL, _FEW = 64, 4
"""Pairs of a document, and entities of one side of its parts, up to which all maps are tried."""

_DENSE = 250_000
"""Cells up to which a full matrix is solved; the sparse solver takes long to import."""


def best_map(weights: Weights) -> list[float]:
    """The weights of the pairs that the heaviest one-to-one map takes."""
    return [weights[pair] for pair in best_pairs(weights)]


def best_pairs(weights: Weights) -> list[tuple[int, int]]:
    """The pairs of the heaviest one-to-one map.

    Entities that share nothing with any other are in no pair, so that a document of thousands of
    singletons costs no more than its mentions. A small document is cut into parts that have no
    entity in common, which mostly do without a solver: numpy takes longer to import than they do.
    """
    if len(weights) <= _SMALL:
        parts = _parts(weights)
        if all(few <= _FEW for few, _ in parts):
            return [pair for few, part in parts for pair in _tried(part, few)]
    return _solved(weights)


def _parts(weights: Weights) -> list[tuple[int, Weights]]:
    """The parts of a document, each with the number of its entities on the side that has fewer."""
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


def _solved(weights: Weights) -> list[tuple[int, int]]:
    """The same by a solver."""
    import numpy as np

    rows = {k: index for index, k in enumerate(dict.fromkeys(k for k, _ in weights))}
    columns = {r: index for index, r in enumerate(dict.fromkeys(r for _, r in weights))}
    row = np.array([rows[k] for k, _ in weights])
    column = np.array([columns[r] for _, r in weights])
    weight = np.array(list(weights.values()), dtype=float)
    if len(rows) * len(columns) <= _DENSE:
        matrix = np.zeros((len(rows), len(columns)))
        matrix[row, column] = weight
        return _among(weights, list(rows), list(columns), *solve(matrix))
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
    return _among(weights, list(rows), list(columns), *solved)


def _tried(part: Weights, few: int) -> list[tuple[int, int]]:
    """The pairs of a part with `few` entities on one side: every set of these is tried."""
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


def _among(
    weights: Weights,
    rows: Sequence[int],
    columns: Sequence[int],
    row: NDArray[np.intp],
    column: NDArray[np.intp],
) -> list[tuple[int, int]]:
    """The cells that a solver took, without those that weigh nothing."""
    taken = zip(row.tolist(), column.tolist(), strict=True)
    pairs = [(rows[r], columns[c]) for r, c in taken if c < len(columns)]
    return [pair for pair in pairs if pair in weights]
