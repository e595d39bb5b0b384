"""Dev and test: by cluster, by type, by article."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.wec.options import DEV_SHARE, TEST_SHARE
from corefmill.builders.wec.splits import draw, foreign, size


@pytest.mark.parametrize(
    ("clusters", "wanted", "count"),
    [
        (7597, DEV_SHARE, 228),
        (7597, TEST_SHARE, 304),
        (7597, 588, 588),
        (20, 0.03, 1),
        (10, 50, 10),
        (2, 0.5, 0),
        (20, 0, 0),
        (100, 1, 1),
    ],
)
def test_size(clusters: int, wanted: float, count: int) -> None:
    assert size(clusters, wanted) == count


def test_each_type_gives_its_share() -> None:
    types = ["Flood"] * 60 + ["Award"] * 30 + ["Attack"] * 10
    drawn = draw(types, 10, 20, seed=1)
    assert Counter(zip(types, drawn, strict=True)) == {
        ("Flood", 1): 6, ("Award", 1): 3, ("Attack", 1): 1,
        ("Flood", 2): 12, ("Award", 2): 6, ("Attack", 2): 2,
        ("Flood", 0): 42, ("Award", 0): 21, ("Attack", 0): 7,
    }  # fmt: skip


def test_another_seed_draws_others() -> None:
    types = ["Flood"] * 50
    assert draw(types, 5, 5, seed=1) != draw(types, 5, 5, seed=2)
    assert draw(types, 5, 5, seed=1) == draw(types, 5, 5, seed=1)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from("abc"), max_size=40),
    st.one_of(st.floats(0, 1), st.integers(0, 30)),
    st.one_of(st.floats(0, 1), st.integers(0, 30)),
)
def test_any_sizes(types: list[str], dev: float, test: float) -> None:
    counted = Counter(draw(types, dev, test, seed=0))
    assert counted[1] == size(len(types), dev)
    assert counted[2] == min(size(len(types), test), len(types) - counted[1])


def test_an_article_stands_in_one_split() -> None:
    #          train dev test, then nothing, of articles 1, 2, 3
    articles = [1, 1, 2, 2, 3, 3, 1]
    splits = [0, 1, 0, 2, 1, 2, -1]
    assert foreign(articles, splits, strict=True) == [1, 0, 2, 0, 2, 0, 0]
    assert foreign(articles, splits, strict=False) == [1, 0, 2, 0, 0, 0, 0]


def test_an_article_that_leaves_dev_for_test_frees_no_training_mention() -> None:
    assert foreign([1, 1, 1], [0, 1, 2], strict=True) == [1, 2, 0]
