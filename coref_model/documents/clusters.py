"""Clusters from each span's best antecedent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

M = TypeVar("M")


def joined(spans: Sequence[M], links: Sequence[int], singles: Sequence[bool]) -> list[list[M]]:
    """Spans that links join, in order of each cluster's first.

    `links` has the number of each span's antecedent, an earlier one, or -1 for none. A span that
    nothing joins is a cluster of its own where `singles` says so, and else left out.
    """
    home: list[int] = []
    found: list[list[int]] = []
    for number, link in enumerate(links):
        if not -1 <= link < number:
            raise ValueError(f"span {number} has no antecedent {link} before it")
        if link < 0:
            home.append(len(found))
            found.append([number])
        else:
            home.append(home[link])
            found[home[link]].append(number)
    return [
        [spans[number] for number in group]
        for group in found
        if len(group) > 1 or singles[group[0]]
    ]
