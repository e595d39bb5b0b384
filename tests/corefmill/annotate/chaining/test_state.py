"""What a rater's acts make of the clusters of a document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.annotate.chaining.state import ACTS, OF_SPANS, ChainState
from corefmill.annotate.chaining.work import lessons
from corefmill.annotate.exchange import chains
from corefmill.annotate.questions import CHAINS, SPANS
from corefmill.corpora.records import Mention
from tests.corefmill.annotate.chaining.chained import after, begun
from tests.corefmill.annotate.exchange.trials import SMALL

# Mentions: Ann 0, Ann 1, Bea 2, her 3, She 4. Words: Ann 0, met 1, Bea 2, . 3, She 4 ...


@pytest.mark.parametrize(
    ("acts", "shown"),
    [
        ([], "[Ann]1 met [Bea]2.\n[She]3 saw [her]2.\n[Ann]1 waved and it rained."),
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
    assert state.shown(CHAINS) == shown.replace("<", "")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("", "does not know"),
        ("assign 4", "does not know"),
        ("assign 4 1 1", "does not know"),
        ("assign 4 -1", "does not know"),
        ("assign 4 ٣", "does not know"),
        ("__init__ 4", "does not know"),
        ("new 99", "Choose a mention"),
        ("assign 4 9", "no cluster 9"),
        ("assign 4 3", "in cluster 3 already"),
        ("merge 0 1", "in cluster 1 already"),
        ("new 4", "of its own already"),
        ("split 0", "first of its cluster"),
        ("add 2 2", "a mention already"),
        ("add 2 4", "over the end of a sentence"),
        ("add 4 2", "not in the document"),
        ("add 999 999", "not in the document"),
    ],
)
def test_what_cannot_be_done_changes_nothing(act: str, said: str) -> None:
    state = begun()
    before = state.digest(CHAINS)
    with pytest.raises(ValueError, match=said):
        state.do(act)
    assert state.digest(CHAINS) == before


def test_where_only_spans_are_corrected_clusters_stay() -> None:
    with pytest.raises(ValueError, match="does not know"):
        begun().do("new 3", OF_SPANS)
    assert begun().do("remove 3", OF_SPANS) == 1
    assert after("new 3").digest(SPANS) == begun().digest(SPANS) != after("remove 3").digest(SPANS)


def test_zero_mentions_and_mentions_in_pieces_stay_what_they_are() -> None:
    state = ChainState(chains.plain(1, "all", SMALL))
    assert state.shown(CHAINS) == "[[𝒜da]2 [put]3 [it]1 [out]3.]1\n[She]2 [∅]2 left"
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
    assert after(*done).digest(CHAINS) == state.digest(CHAINS)
    mentions = [mention for cluster in state.clusters() for mention in cluster]
    assert len(set(mentions)) == len(mentions) and all(state.clusters())


@pytest.mark.parametrize("kind", [CHAINS, SPANS])
def test_an_exercise_can_be_done(kind: str) -> None:
    found = lessons(kind)
    assert len(found) == {CHAINS: 10, SPANS: 4}[kind]
    right = [
        ChainState(one.own).digest(kind) == dict(one.exercise.item.gold)[kind] for one in found
    ]
    assert right.count(True) == (1 if kind == CHAINS else 0)
    assert all(one.exercise.why for one in found)
