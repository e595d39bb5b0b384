"""Batches: every pair once, and of whole passages within the budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corefmill.coref_model.pairs.embeddings import Window
from corefmill.coref_model.pairs.sampling import (
    PairBatch,
    every,
    groups,
    of_passages,
    shared,
    shuffled,
)
from tests.coref_model.pairs.made import chains


@given(st.lists(st.integers(1, 4), min_size=2, max_size=6), st.integers(1, 9), st.integers(0, 99))
def test_every_pair_is_in_one_batch(sizes: list[int], size: int, seed: int) -> None:
    found = groups(chains(sizes, "x") + chains(sizes, "y"))
    pairs = every(found)
    for made in (shuffled(pairs, size, seed), shared(found, pairs, size, seed)):
        seen = []
        for batch in made:
            assert 0 < len(batch.first) <= size
            first, second = batch.mentions[batch.first], batch.mentions[batch.second]
            seen += list(zip(first, second, batch.positive, strict=True))
        assert sorted(seen) == sorted(zip(pairs.first, pairs.second, pairs.positive, strict=True))


def test_pairs_of_a_batch_share_mentions() -> None:
    found = groups(chains([3] * 32, "x") + chains([3] * 32, "y"))
    pairs = every(found)

    def mentions(made: list[PairBatch]) -> float:
        return sum(len(one.mentions) for one in made) / len(made)

    made = shared(found, pairs, 64, 0)
    assert mentions(made) < 32 < 64 < mentions(shuffled(pairs, 64, 0))
    again, other = (shared(found, pairs, 64, seed) for seed in (0, 1))
    assert [one.mentions.tolist() for one in again] == [one.mentions.tolist() for one in made]
    assert [one.mentions.tolist() for one in other] != [one.mentions.tolist() for one in made]


@given(
    st.lists(st.integers(1, 4), min_size=2, max_size=6),
    st.sampled_from([0, 1, 3]),
    st.integers(10, 60),
    st.integers(0, 99),
)
def test_passages_fill_a_batch_to_its_pieces(
    sizes: list[int], ratio: float, pieces: int, seed: int
) -> None:
    mentions = chains(sizes, "x") + chains(sizes, "y")
    found = groups(mentions)
    # Two mentions to a passage of ten pieces.
    plan = [
        Window((0,) * 10, tuple((index, (1,)) for index in range(at, min(at + 2, len(mentions)))))
        for at in range(0, len(mentions), 2)
    ]
    topic = [mention.meta["topic"] for mention in mentions]
    for batch in of_passages(found, plan, pieces, ratio, seed):
        assert 10 * len({index // 2 for index in batch.mentions.tolist()}) <= pieces
        first, second = batch.mentions[batch.first], batch.mentions[batch.second]
        assert (first < second).all()
        assert ((found.chains[first] == found.chains[second]) == batch.positive).all()
        assert all(topic[i] == topic[j] for i, j in zip(first, second, strict=True))
        positive = int(batch.positive.sum())
        if ratio:
            assert len(batch.first) - positive <= ratio * positive


def test_with_room_for_all_every_pair_is_learnt_from() -> None:
    found = groups(chains([2, 3, 1], "x") + chains([2, 2], "y"))
    plan = [Window((0,) * 5, ((index, (1,)),)) for index in range(10)]
    (batch,) = of_passages(found, plan, 1000, 0, 1)
    assert (int(batch.positive.sum()), int((~batch.positive).sum())) == found.counts()
    assert len(of_passages(found, plan, 10, 0, 1)) > 1
