"""What several raters together made of a document."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from corefmill.annotate.chaining.consensus import agreed
from corefmill.annotate.chaining.state import ChainState
from corefmill.annotate.questions import CHAINS
from tests.corefmill.annotate.chaining.chained import after, begun


def together(*raters: list[str]) -> str:
    clusters = agreed([after(*acts) for acts in raters])
    return ChainState(begun().own, clusters).digest(CHAINS)


@pytest.mark.parametrize(
    ("raters", "right"),
    [
        ([["assign 4 1"]], ["assign 4 1"]),
        ([["assign 4 1"], ["assign 4 1"]], ["assign 4 1"]),
        # One of two is no majority: the corpus's own answer stands.
        ([["assign 4 1"], []], []),
        ([["remove 4"], []], []),
        ([["add 11 11"], []], []),
        ([["assign 4 1"], ["assign 4 1"], ["assign 4 2"]], ["assign 4 1"]),
        ([["remove 4"], ["remove 4"], []], ["remove 4"]),
        ([["add 11 11"], ["add 11 11", "assign 5 1"], ["add 11 11", "assign 5 1"]],
         ["add 11 11", "assign 5 1"]),
        # Removed and added again it is the mention that it was.
        ([["remove 4", "add 4 4"], []], []),
        ([["merge 0 2"], ["merge 2 1"], []], ["merge 0 2"]),
        # She is Ann for two, Ann is Bea for two, but only one has all of them together.
        ([["assign 4 1"], ["merge 0 2"], ["assign 4 1", "merge 0 2"]],
         ["merge 0 2"]),
    ],
)  # fmt: skip
def test_a_change_counts_if_more_than_half_made_it(
    raters: list[list[str]], right: list[str]
) -> None:
    assert together(*raters) == after(*right).digest(CHAINS)
    assert together(*reversed(raters)) == together(*raters)


def by_the_rule(raters: list[ChainState]) -> set[frozenset[int]]:
    """Rule 2, for an odd number of raters who removed nothing: every mean taken anew."""
    alike: dict[tuple[int, ...], list[int]] = {}
    for number in raters[0].mentions:
        alike.setdefault(tuple(one.cluster[number] for one in raters), []).append(number)
    groups = dict(enumerate(alike.values()))

    def share(pair: tuple[int, int]) -> float:
        left, right = (groups[one] for one in pair)
        said = [
            1 if rater.cluster[one] == rater.cluster[other] else -1
            for one in left
            for other in right
            for rater in raters
        ]
        return sum(said) / (len(left) * len(right))

    while len(groups) > 1:
        best = min(combinations(sorted(groups), 2), key=lambda pair: (-share(pair), pair))
        if share(best) <= 0:
            break
        groups[best[0]] = groups[best[0]] + groups.pop(best[1])
    return {frozenset(own) for own in groups.values()}


def at_random(mentions: int, raters: int, seed: int) -> list[ChainState]:
    """Raters who put every mention of a document into one of four clusters, as it comes."""
    draw = random.Random(seed)
    text = "\n".join(f"[{draw.randint(1, 4)} w{n} ] fell ." for n in range(mentions))
    found = [begun(text) for _ in range(raters)]
    for state in found:
        for number in range(4, mentions):  # so that no cluster is emptied
            state.cluster[number] = draw.randint(1, 4)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_surest_groups_are_joined_first(seed: int) -> None:
    raters = at_random(14, 5, seed)
    place = {one.mention: number for number, one in raters[0].mentions.items()}
    found = {frozenset(place[one] for one in own) for own in agreed(raters)}
    assert found == by_the_rule(raters)


def test_a_long_document_is_no_matter_of_minutes() -> None:
    """Every pair of mentions was gone through anew at each join."""
    clusters = agreed(at_random(1000, 5, 0))
    assert sum(map(len, clusters)) == 1000
