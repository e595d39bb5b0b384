"""Pairs for training, and their batches."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.coref_model.pairs.embeddings import Window
from corefmill.coref_model.pairs.sampling import (
    batch_passages,
    draw_as_published,
    draw_uniformly,
    group_by_topic,
    group_pairs,
    list_pairs,
    shuffle_pairs,
)
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.ecbplus import DEV
from tests.coref_model.pairs.made import chains

ECB = Path(__file__).resolve().parents[4] / "shared/data/ecbplus/ECB+"


def test_the_published_pair_counts_of_ecbs_development_topics_are_ours() -> None:
    if not ECB.exists():
        pytest.skip(f"{ECB.name} is not here")
    read = registry.FORMATS["ecbplus"].read
    found = group_by_topic(
        [own for topic in sorted(DEV) for _, own in read(ECB / str(topic), "en")]
    )
    assert found.count_pairs() == (5_881, 50_653)
    pairs = list_pairs(found)
    assert (int(pairs.positive.sum()), int((~pairs.positive).sum())) == (5_881, 50_653)


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=9),
    other=st.lists(st.integers(1, 4), min_size=1, max_size=9),
    ratio=st.sampled_from([0.5, 1, 2, 50, 0]),
    seed=st.integers(0, 99),
)
def test_uniform_draws_the_wanted_number_of_negatives_once_each(
    sizes: list[int], other: list[int], ratio: float, seed: int
) -> None:
    found = group_by_topic(chains(sizes, "x") + chains(other, "y"))
    positive, negative = found.count_pairs()
    pairs = draw_uniformly(found, ratio, seed)
    assert int(pairs.positive.sum()) == positive
    wanted = negative if ratio == 0 else min(negative, round(ratio * positive))
    assert len(pairs) == positive + wanted
    assert len(set(zip(pairs.first, pairs.second, strict=True))) == len(pairs)
    assert (pairs.first < pairs.second).all()
    assert ((found.chains[pairs.first] == found.chains[pairs.second]) == pairs.positive).all()
    again = draw_uniformly(found, ratio, seed)
    assert (again.first == pairs.first).all() and (again.second == pairs.second).all()


def test_layers_are_first_mentions_then_second_ones_and_cut() -> None:
    # Indices: a0 b0 c0 d0 a1 b1 c1 a2 b2, so layers abcd, abc, ab; the last gives none.
    found = group_by_topic(chains([3, 3, 2, 1]))
    negatives = [*combinations(range(4), 2), *combinations((4, 5, 6), 2)]
    pairs = draw_as_published(found, 0)
    assert list(zip(pairs.first[7:], pairs.second[7:], strict=True)) == negatives
    topics = group_by_topic(chains([2, 1], "x") + chains([2, 2], "y"))
    assert len(draw_as_published(topics, 1)) == sum(topics.count_pairs())
    cut = draw_as_published(found, 1)  # 7 positives
    assert list(zip(cut.first[7:], cut.second[7:], strict=True)) == negatives[:7]


@given(st.lists(st.integers(1, 4), min_size=2, max_size=6), st.integers(1, 9), st.integers(0, 99))
def test_every_pair_is_in_one_batch(sizes: list[int], size: int, seed: int) -> None:
    found = group_by_topic(chains(sizes, "x") + chains(sizes, "y"))
    pairs = list_pairs(found)
    for made in (shuffle_pairs(pairs, size, seed), group_pairs(found, pairs, size, seed)):
        seen = []
        for batch in made:
            assert 0 < len(batch.first) <= size
            first, second = batch.mentions[batch.first], batch.mentions[batch.second]
            seen += list(zip(first, second, batch.positive, strict=True))
        assert sorted(seen) == sorted(zip(pairs.first, pairs.second, pairs.positive, strict=True))


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
    found = group_by_topic(mentions)
    # Two mentions to a passage of ten pieces.
    plan = [
        Window((0,) * 10, tuple((index, (1,)) for index in range(at, min(at + 2, len(mentions)))))
        for at in range(0, len(mentions), 2)
    ]
    topic = [mention.meta["topic"] for mention in mentions]
    for batch in batch_passages(found, plan, pieces, ratio, seed):
        assert 10 * len({index // 2 for index in batch.mentions.tolist()}) <= pieces
        first, second = batch.mentions[batch.first], batch.mentions[batch.second]
        assert (first < second).all()
        assert ((found.chains[first] == found.chains[second]) == batch.positive).all()
        assert all(topic[i] == topic[j] for i, j in zip(first, second, strict=True))
        positive = int(batch.positive.sum())
        if ratio:
            assert len(batch.first) - positive <= ratio * positive
