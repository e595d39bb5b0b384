"""Clusters: merges, sparse links, the baselines of lemma and string."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from torch.nn import functional

from corefmill.coref_model.pairs import clustering
from corefmill.coref_model.pairs.clustering import (
    Labels,
    cluster_by_lemma,
    cluster_by_string,
    cut_sparse,
    cut_tree,
    link_all,
    number_clusters,
    pair_nearest,
    score_pairs,
)
from corefmill.coref_model.pairs.features import Features
from corefmill.coref_model.pairs.sampling import group_by_topic
from corefmill.coref_model.pairs.scorer import PairScorer
from tests.coref_model.pairs.made import mention


def _partition(labels: Labels) -> set[frozenset[int]]:
    clusters: dict[int, set[int]] = {}
    for index, label in enumerate(labels.tolist()):
        clusters.setdefault(label, set()).add(index)
    return {frozenset(cluster) for cluster in clusters.values()}


def _scipy(distances: Labels, threshold: float) -> set[frozenset[int]]:
    merges = linkage(distances, method="average")
    return _partition(fcluster(merges, np.nextafter(threshold, -1), criterion="distance"))


@settings(deadline=None)
@given(st.integers(2, 30), st.integers(0, 10**6), st.floats(0.01, 0.99))
def test_a_cut_is_scipys(size: int, seed: int, threshold: float) -> None:
    distances = np.random.default_rng(seed).random(size * (size - 1) // 2)
    labels = cut_tree(link_all(distances), threshold)
    assert _partition(labels) == _scipy(distances, threshold)
    assert (labels == number_clusters(labels)).all()


def test_a_merge_at_the_threshold_is_not_done() -> None:
    # scikit-learn's rule: "the linkage distance threshold at or above which clusters will not be
    # merged".
    merges = link_all(np.array([0.5, 0.75, 0.75]))
    assert cut_tree(merges, 0.5).tolist() == [0, 1, 2]
    assert cut_tree(merges, 0.5001).tolist() == [0, 0, 1]
    assert cut_tree(merges, 1).tolist() == [0, 0, 0]


@settings(deadline=None)
@given(
    st.integers(2, 30), st.integers(0, 10**6), st.floats(0.05, 0.99), st.sampled_from([0.1, 0.5, 1])
)
def test_known_pairs_alone_are_the_matrix_with_the_others_at_distance_one(
    size: int, seed: int, threshold: float, share: float
) -> None:
    generator = np.random.default_rng(seed)
    first, second = np.triu_indices(size, 1)
    known = generator.random(len(first)) < share
    similarity = np.where(known, generator.random(len(first)), 0)
    labels = cut_sparse(size, first[known], second[known], similarity[known], threshold)
    assert _partition(labels) == _scipy(1 - similarity, threshold)


def test_none_and_one_mention_are_clusters() -> None:
    empty = np.empty(0, dtype=np.int64)
    assert cut_tree(link_all(np.empty(0)), 0.7).tolist() == [0]
    assert cut_sparse(0, empty, empty, np.empty(0), 0.7).tolist() == []
    assert cut_sparse(2, empty, empty, np.empty(0), 0.7).tolist() == [0, 1]


def test_the_nearest_are_those_of_a_plain_search(monkeypatch: pytest.MonkeyPatch) -> None:
    g = torch.randn(23, 4, generator=torch.Generator().manual_seed(0))
    cosine = functional.cosine_similarity(g[:, None], g[None], dim=-1).fill_diagonal_(-2)
    wanted = {
        (min(i, j), max(i, j))
        for i in range(23)
        for j in cosine[i].argsort(descending=True)[:3].tolist()
    }
    for cells in (1, 100, clustering._CELLS):
        monkeypatch.setattr(clustering, "_CELLS", cells)
        first, second = pair_nearest(g, 3)
        assert list(zip(first.tolist(), second.tolist(), strict=True)) == sorted(wanted)


@pytest.mark.parametrize("shares", [False, True])
def test_with_all_neighbours_the_sparse_clusters_are_the_dense_ones(shares: bool) -> None:
    torch.manual_seed(3)
    alike = Features(torch.randint(3, (40, 1)), torch.empty(40, 0), (), (torch.randn(40, 2),))
    shared = (alike, torch.randn(8, 2)) if shares else ()
    g = torch.randn(40, 6)
    scorer = PairScorer(6, hidden=8)
    for parameter in scorer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    dense = score_pairs(scorer, g, *shared, dense=40, neighbours=1)
    sparse = score_pairs(scorer, g, *shared, dense=39, neighbours=39)
    assert dense.first is None and sparse.first is not None
    for one, other in zip(dense.list_pairs(), sparse.list_pairs(), strict=True):
        assert (one == other).all()
    np.testing.assert_allclose(dense.logits, sparse.logits, atol=1e-5)
    counts = set()
    for threshold in (0.05, 0.15, 0.3):
        labels = dense.cut(threshold)
        assert labels.tolist() == sparse.cut(threshold).tolist()
        counts.add(labels.max())
    assert len(counts) == 3  # the thresholds cut at different indices


def test_one_lemma_in_one_topic_is_one_cluster() -> None:
    mentions = [
        mention("quakes", "a", topic="x", lemma="quake"),
        mention("Quake", "b", topic="x", lemma="Quake"),
        mention("tremor", "b", topic="x", lemma="tremor"),
        mention("quake", "a", topic="y", lemma="quake"),
    ]
    for by_topic, expected in ((True, [0, 0, 1, 2]), (False, [0, 0, 1, 0])):
        labels = cluster_by_lemma(mentions, group_by_topic(mentions, by_topic=by_topic))
        assert labels is not None and labels.tolist() == expected
    assert cluster_by_lemma([*mentions, mention("war", "c")], group_by_topic(mentions)) is None


def test_one_string_is_one_cluster_case_and_white_space_aside() -> None:
    gap = mention("put the fire out", "c")
    parted = replace(gap, parts=((gap.start, gap.start + 3), (gap.end - 3, gap.end)))
    words = "The quake", "the\n quake", "quake", "put out"
    mentions = [parted, *(mention(word, "a") for word in words)]
    assert cluster_by_string(mentions, group_by_topic(mentions)).tolist() == [0, 1, 1, 2, 0]
