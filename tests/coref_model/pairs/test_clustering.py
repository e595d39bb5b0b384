"""Average link: against scipy's, whole and on known pairs only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage  # type: ignore[import-untyped]
from scipy.spatial.distance import squareform  # type: ignore[import-untyped]

from corefmill.coref_model.pairs.clustering import Labels, SparseMerges, numbered, tree


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
    labels = tree(distances).cut(threshold)
    assert _partition(labels) == _scipy(distances, threshold)
    assert (labels == numbered(labels)).all()


def test_a_merge_at_the_threshold_is_not_done() -> None:
    # scikit-learn's rule: "the linkage distance threshold at or above which clusters will not be
    # merged".
    merges = tree(np.array([0.5, 0.75, 0.75]))
    assert merges.cut(0.5).tolist() == [0, 1, 2]
    assert merges.cut(0.5001).tolist() == [0, 0, 1]
    assert merges.cut(1).tolist() == [0, 0, 0]


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
    labels = SparseMerges(size, first[known], second[known], similarity[known]).cut(threshold)
    assert _partition(labels) == _scipy(1 - similarity, threshold)


def test_the_matrix_of_a_square_and_its_condensed_form_agree() -> None:
    square = np.array([[0, 0.1, 0.9], [0.1, 0, 0.8], [0.9, 0.8, 0]])
    assert tree(squareform(square)).cut(0.7).tolist() == [0, 0, 1]


def test_none_and_one_mention_are_clusters() -> None:
    empty = np.empty(0, dtype=np.int64)
    assert tree(np.empty(0)).cut(0.7).tolist() == [0]
    assert SparseMerges(0, empty, empty, np.empty(0)).cut(0.7).tolist() == []
    assert SparseMerges(2, empty, empty, np.empty(0)).cut(0.7).tolist() == [0, 1]


def test_what_is_no_distance_and_no_threshold_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        tree(np.array([0.1, np.nan, 0.2]))
    empty = np.empty(0, dtype=np.int64)
    with pytest.raises(ValueError, match=r"1\.5 is not from 0 to 1"):
        SparseMerges(2, empty, empty, np.empty(0)).cut(1.5)
