"""Pairs for training, and their batches."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.coref_model.pairs import sampling
from corefmill.coref_model.pairs.embeddings import Window
from corefmill.coref_model.pairs.sampling import (
    PairBatch,
    every,
    groups,
    of_passages,
    published,
    shared,
    shuffled,
    uniform,
    unranked,
)
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.ecbplus import DEV
from corefmill.corpora.records import EventMention
from tests.coref_model.pairs.made import chains, mention

SHARED = Path(__file__).resolve().parents[4] / "shared"
ECB = SHARED / "data" / "ecbplus" / "ECB+"
WEC = SHARED / "data" / "wec-eng" / "WEC-Eng_dev_half.json"


def _read(path: Path, form: str) -> list[EventMention]:
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return [record for _, record in registry.FORMATS[form].read(path, "en")]


def test_the_published_pair_counts_of_ecbs_development_topics_are_ours() -> None:
    mentions = [own for topic in sorted(DEV) for own in _read(ECB / str(topic), "ecbplus")]
    found = groups(mentions)
    assert found.counts() == (5_881, 50_653)
    pairs = every(found)
    assert (int(pairs.positive.sum()), int((~pairs.positive).sum())) == (5_881, 50_653)


def test_the_pairs_of_the_wec_half_are_one_topic() -> None:
    mentions = _read(WEC, "wec-json")
    sizes = Counter(mention.cluster for mention in mentions).values()
    positive = sum(size * (size - 1) // 2 for size in sizes)
    found = groups(mentions)
    assert found.names == ("",)
    assert found.counts() == (positive, len(mentions) * (len(mentions) - 1) // 2 - positive)


def test_pairs_are_made_within_topics_the_earlier_first() -> None:
    # topic x: a b a   topic y: c a c   (a's mention in y pairs with none of x)
    mentions = [
        mention(f"word{at}", cluster, topic=topic)
        for at, (cluster, topic) in enumerate(zip("abacac", "xxxyyy", strict=True))
    ]
    pairs = every(groups(mentions))
    assert list(zip(pairs.first, pairs.second, pairs.positive, strict=True)) == [
        (0, 2, True),
        (3, 5, True),
        (0, 1, False),
        (1, 2, False),
        (3, 4, False),
        (4, 5, False),
    ]
    assert groups(mentions, by_topic=False).counts() == (3 + 1, 15 - 4)


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=9),
    other=st.lists(st.integers(1, 4), min_size=1, max_size=9),
    ratio=st.sampled_from([0.5, 1, 2, 50, 0]),
    seed=st.integers(0, 99),
)
def test_uniform_draws_the_wanted_number_of_negatives_once_each(
    sizes: list[int], other: list[int], ratio: float, seed: int
) -> None:
    found = groups(chains(sizes, "x") + chains(other, "y"))
    positive, negative = found.counts()
    pairs = uniform(found, ratio, seed)
    assert int(pairs.positive.sum()) == positive
    wanted = negative if ratio == 0 else min(negative, round(ratio * positive))
    assert len(pairs) == positive + wanted
    assert len(set(zip(pairs.first, pairs.second, strict=True))) == len(pairs)
    assert (pairs.first < pairs.second).all()
    assert ((found.chains[pairs.first] == found.chains[pairs.second]) == pairs.positive).all()
    again = uniform(found, ratio, seed)
    assert (again.first == pairs.first).all() and (again.second == pairs.second).all()


def test_every_negative_is_drawn_about_as_often_as_any_other() -> None:
    # 3 + 66 chains of one or two mentions: 3 positives, 2,553 negatives, of which 30 are drawn
    # (less than a quarter, so by rejection).
    found = groups(chains([2] * 3 + [1] * 36, "x") + chains([1] * 30, "y"))
    drawn: Counter[tuple[int, int]] = Counter()
    rounds = 500
    for seed in range(rounds):
        pairs = uniform(found, 10, seed)
        drawn.update(zip(pairs.first[3:].tolist(), pairs.second[3:].tolist(), strict=True))
    _, negative = found.counts()
    share = np.zeros(negative)
    share[: len(drawn)] = list(drawn.values())
    mean = rounds * 30 / negative
    # The statistic has mean 1 (Poisson counts, nearly) and standard deviation sqrt(2 / negative).
    assert abs(((share - mean) ** 2).mean() / mean - 1) < 5 * (2 / negative) ** 0.5


def test_layers_are_first_mentions_then_second_ones_and_cut() -> None:
    # Indices: a0 b0 c0 d0 a1 b1 c1 a2 b2, so layers abcd, abc, ab; the last gives none.
    found = groups(chains([3, 3, 2, 1]))
    negatives = [*combinations(range(4), 2), *combinations((4, 5, 6), 2)]
    pairs = published(found, 0)
    assert list(zip(pairs.first[7:], pairs.second[7:], strict=True)) == negatives
    topics = groups(chains([2, 1], "x") + chains([2, 2], "y"))
    assert len(published(topics, 1)) == sum(topics.counts())
    cut = published(found, 1)  # 7 positives
    assert list(zip(cut.first[7:], cut.second[7:], strict=True)) == negatives[:7]


def test_a_layer_that_is_too_large_is_sampled_as_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampling, "LAYER", 5)
    found = groups(chains([2, 1, 1, 1, 1, 1]))
    expected = random.Random(7).sample(list(combinations(range(6), 2)), 5)
    pairs = published(found, 0, seed=7)
    assert list(zip(pairs.first[1:], pairs.second[1:], strict=True)) == expected


@given(st.integers(2, 40))
def test_pairs_are_numbered_as_combinations_come(size: int) -> None:
    i, j = unranked(np.arange(size * (size - 1) // 2), size)
    assert list(zip(i, j, strict=True)) == list(combinations(range(size), 2))


def test_no_mentions_are_refused() -> None:
    with pytest.raises(DataError, match="no event mentions here"):
        groups([])


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
