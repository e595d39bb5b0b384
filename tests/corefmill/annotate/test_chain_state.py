"""What a rater's acts make of the clusters of a document."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.annotate import documents
from corefmill.annotate.chain_state import ACTS, ChainState, find_consensus
from corefmill.corpora.records import Mention
from tests.corefmill.annotate.chained import after, begun, bracket
from tests.corefmill.annotate.trials import SMALL

# Mentions: Ann 0, Ann 1, Bea 2, her 3, She 4. Words: Ann 0, met 1, Bea 2, . 3, She 4 ...


@pytest.mark.parametrize(
    ("acts", "shown"),
    [
        (["assign 4 1"], "[Ann]1 met [Bea]2.\n[She]1 saw [her]2.\n[Ann]1 waved and it rained."),
        (["new 3"], "[Ann]1 met [Bea]2.\n[She]3 saw [her]4.\n[Ann]1 waved and it rained."),
        (["split 1"], "[Ann]1 met [Bea]2.\n[She]3 saw [her]2.\n[Ann]4 waved and it rained."),
        (["merge 0 2"], "[Ann]2 met [Bea]2.\n[She]3 saw [her]2.\n[Ann]2 waved and it rained."),
        (["add 11 11"], "[Ann]1 met [Bea]2.\n[She]3 saw [her]2.\n[Ann]1 waved and [it]4 rained."),
        (["remove 1"], "[Ann]1 met [Bea]2.\n[She]3 saw [her]2.\nAnn waved and it rained."),
        (["border 0 0 2"], "[Ann met [Bea]2]1.\n[She]3 saw [her]2.\n[Ann]1 waved and it rained."),
    ],
)
def test_each_act(acts: list[str], shown: str) -> None:
    state = after(*acts)
    numbers = {cluster: place for place, cluster in enumerate(state.members(), 1)}
    for cluster, place in numbers.items():  # as the page has them, not counted anew
        shown = shown.replace(f"]{cluster}", f"]<{place}")
    assert bracket(state) == shown.replace("<", "")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("", "does not know"),
        ("assign 4 1 1", "does not know"),
        ("assign 4 ٣", "does not know"),
        ("__init__ 4", "does not know"),
        ("new 99", "Choose a mention"),
        ("assign 4 9", "no cluster 9"),
        ("assign 4 3", "in cluster 3 already"),
        ("new 4", "of its own already"),
        ("split 0", "first of its cluster"),
        ("add 2 2", "exists already"),
        ("add 2 4", "crosses the end of a sentence"),
        ("add 999 999", "not in the document"),
    ],
)
def test_what_cannot_be_done_changes_nothing(act: str, said: str) -> None:
    state = begun()
    before = state.digest()
    with pytest.raises(ValueError, match=said):
        state.do(act)
    assert state.digest() == before


def test_zero_mentions_and_mentions_in_pieces_stay_what_they_are() -> None:
    state = ChainState(documents.make_plain(1, "all", SMALL))
    assert bracket(state) == "[[𝒜da]2 [put]3 [it]1 [out]3.]1\n[She]2 [∅]2 left"
    state.do("remove 4")
    state.do("add 6 6")
    assert state.mentions[6].mention == Mention(1, 1, 1, zero=True)
    assert {m for own in state.clusters() for m in own} == {
        m for own in SMALL.clusters for m in own
    }


_NUMBERS = st.integers(0, 14)


@given(
    st.lists(st.tuples(st.sampled_from(sorted(ACTS)), _NUMBERS, _NUMBERS, _NUMBERS), max_size=12)
)
def test_any_acts_leave_a_document_that_has_each_mention_once(
    drawn: list[tuple[str, int, int, int]],
) -> None:
    state, done = begun(), []
    for name, *numbers in drawn:
        act = " ".join([name, *map(str, numbers[: ACTS[name]])])
        try:
            chosen = state.do(act)
        except ValueError:
            continue
        done.append(act)
        assert chosen is None or chosen in state.mentions
    assert after(*done).digest() == state.digest()
    mentions = [mention for cluster in state.clusters() for mention in cluster]
    assert len(set(mentions)) == len(mentions) and all(state.clusters())


def together(*raters: list[str]) -> str:
    clusters = find_consensus([after(*acts) for acts in raters])
    return ChainState(begun().own, clusters).digest()


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
    assert together(*raters) == after(*right).digest()
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


@pytest.mark.parametrize("seed", range(3))
def test_the_surest_groups_are_joined_first(seed: int) -> None:
    raters = at_random(14, 5, seed)
    place = {one.mention: number for number, one in raters[0].mentions.items()}
    found = {frozenset(place[one] for one in own) for own in find_consensus(raters)}
    assert found == by_the_rule(raters)
