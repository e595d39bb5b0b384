"""Clusters: merges, sparse links, the baselines of lemma and string."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

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
    choose_pairs,
    cluster_by_form,
    link_average,
    number_clusters,
    pair_nearest,
)
from corefmill.coref_model.pairs.sampling import group_by_topic
from tests.coref_model.pairs.made import mention


def _partition(labels: Labels) -> set[frozenset[int]]:
    clusters: dict[int, set[int]] = {}
    for index, label in enumerate(labels.tolist()):
        clusters.setdefault(label, set()).add(index)
    return {frozenset(cluster) for cluster in clusters.values()}


def _scipy(distances: Labels, threshold: float) -> set[frozenset[int]]:
    merges = linkage(distances, method="average")
    return _partition(fcluster(merges, np.nextafter(threshold, -1), criterion="distance"))


def test_a_merge_at_the_threshold_is_not_done() -> None:
    # scikit-learn's rule: "the linkage distance threshold at or above which clusters will not be
    # merged".
    distances = np.array([0.5, 0.75, 0.75])
    for threshold, expected in ((0.5, [0, 1, 2]), (0.5001, [0, 0, 1]), (1, [0, 0, 0])):
        labels = link_average(3, *np.triu_indices(3, 1), distances, threshold)
        assert labels.tolist() == expected


@settings(deadline=None)
@given(
    st.integers(2, 30),
    st.integers(0, 10**6),
    st.floats(0.01, 0.99),
    st.sampled_from([0.1, 0.5, 1]),
    st.sampled_from([0, clustering._LARGEST]),  # of a larger component only known pairs are kept
)
def test_a_cut_is_scipys_and_unknown_pairs_are_at_distance_one(
    size: int, seed: int, threshold: float, share: float, largest: int
) -> None:
    generator = np.random.default_rng(seed)
    first, second = np.triu_indices(size, 1)
    known = generator.random(len(first)) < share
    distances = np.where(known, generator.random(len(first)), 1)
    with patch.object(clustering, "_LARGEST", largest):
        labels = link_average(size, first[known], second[known], distances[known], threshold)
    assert _partition(labels) == _scipy(distances, threshold)
    assert (labels == number_clusters(labels)).all()


@pytest.mark.parametrize("size", [0, 1, 2])
def test_mentions_without_pairs_stay_alone(size: int) -> None:
    empty = np.empty(0, dtype=np.int64)
    assert link_average(size, empty, empty, np.empty(0), 0.7).tolist() == list(range(size))


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
        first, second = pair_nearest(g, 3)  # [2, p]
        assert list(zip(first.tolist(), second.tolist(), strict=True)) == sorted(wanted)


def test_with_all_neighbours_the_chosen_pairs_are_all_pairs_within_topics() -> None:
    topics = group_by_topic([mention("war", "a", topic=topic) for topic in "xyxxyzxy"])
    g = torch.randn(8, 6, generator=torch.Generator().manual_seed(3))
    every = choose_pairs(g, topics, dense=8, neighbours=1)
    near = choose_pairs(g, topics, dense=1, neighbours=7)
    assert every[0].tolist() == [0, 0, 0, 2, 2, 3, 1, 1, 4]
    assert every[1].tolist() == [2, 3, 6, 3, 6, 6, 4, 7, 7]
    assert all(torch.equal(one, other) for one, other in zip(every, near, strict=True))


def test_one_lemma_in_one_topic_is_one_cluster() -> None:
    mentions = [
        mention("quakes", "a", topic="x", lemma="quake"),
        mention("Quake", "b", topic="x", lemma="Quake"),
        mention("tremor", "b", topic="x", lemma="tremor"),
        mention("quake", "a", topic="y", lemma="quake"),
    ]
    for by_topic, expected in ((True, [0, 0, 1, 2]), (False, [0, 0, 1, 0])):
        labels = cluster_by_form(mentions, group_by_topic(mentions, by_topic=by_topic), "lemma")
        assert labels is not None and labels.tolist() == expected
    unknown = [*mentions, mention("war", "c")]
    assert cluster_by_form(unknown, group_by_topic(unknown), "lemma") is None


def test_one_string_is_one_cluster_case_and_white_space_aside() -> None:
    gap = mention("put the fire out", "c")
    parted = replace(gap, parts=((gap.start, gap.start + 3), (gap.end - 3, gap.end)))
    words = "The quake", "the\n quake", "quake", "put out"
    mentions = [parted, *(mention(word, "a") for word in words)]
    labels = cluster_by_form(mentions, group_by_topic(mentions), "string")
    assert labels is not None and labels.tolist() == [0, 1, 1, 2, 0]
