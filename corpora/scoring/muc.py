"""MUC (Vilain et al. 1995): the links that hold entities together."""

from __future__ import annotations

from corefmill.corpora.scoring.alignment import Alignment


def count(pair: Alignment) -> tuple[int, int, int, int]:
    """Right links, links of the key, right links, links of the response.

    An entity of n mentions has n - 1 links, and n mentions that two entities share make n - 1
    right ones.
    """
    right, back = (
        sum(cells.values()) - len(cells) for cells in (pair.cells, pair.from_response[0])
    )
    in_key = sum(len(entity) - 1 for entity in pair.key)
    return right, in_key, back, sum(len(entity) - 1 for entity in pair.response)
