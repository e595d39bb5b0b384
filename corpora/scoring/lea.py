"""LEA (Moosavi and Strube 2016): entities weighed by size, resolved by the share of their links.

The reference scorer has no LEA. An entity of one mention has one link, to itself, which is right
if the other side has the same entity of one mention; toolkits that leave such entities out give
other numbers. A mention that stands twice counts where it stands first, on both sides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import fsum

from corefmill.corpora.scoring.alignment import Alignment, Clusters


def count(pair: Alignment) -> tuple[float, int, float, int]:
    """Resolved weight of the key's entities, their mentions, and the same of the response's."""
    pair = pair.once()
    key, response = pair.key, pair.response
    in_key: dict[int, list[tuple[int, int]]] = defaultdict(list)
    in_response: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (k, r), shared in pair.cells.items():
        in_key[k].append((shared, len(response[r])))
    for (k, r), shared in pair.from_response[0].items():
        in_response[r].append((shared, len(key[k])))
    return (
        fsum(len(entity) * _resolved(len(entity), in_key[k]) for k, entity in enumerate(key)),
        _mentions(key),
        fsum(len(e) * _resolved(len(e), in_response[r]) for r, e in enumerate(response)),
        _mentions(response),
    )


def _resolved(size: int, overlaps: Iterable[tuple[int, int]]) -> float:
    """The share of an entity's links that the other side has; overlaps are (shared, other size)."""
    if size == 1:
        return float(any(other == 1 for _, other in overlaps))
    return sum(shared * (shared - 1) for shared, _ in overlaps) / (size * (size - 1))


def _mentions(clusters: Clusters) -> int:
    return sum(map(len, clusters))
