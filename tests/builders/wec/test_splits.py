"""Dev and test: by cluster, by type, by article."""

from __future__ import annotations

from collections import Counter

from corefmill.builders.wec.splits import (
    WORTH,
    DrawnSplit,
    assign_splits,
    describe_splits,
    draw,
    prices,
)


def test_each_type_gives_its_share() -> None:
    types = ["Flood"] * 60 + ["Award"] * 30 + ["Attack"] * 10
    drawn = draw(types, 10, 20, seed=1)
    assert Counter(zip(types, drawn, strict=True)) == {
        ("Flood", 1): 6, ("Award", 1): 3, ("Attack", 1): 1,
        ("Flood", 2): 12, ("Award", 2): 6, ("Attack", 2): 2,
        ("Flood", 0): 42, ("Award", 0): 21, ("Attack", 0): 7,
    }  # fmt: skip


def test_sizes_are_the_corpus_s_own_whatever_the_prices() -> None:
    """The cheapest are the smallest; of every size one in ten is drawn all the same."""
    sizes = [1] * 60 + [5] * 30 + [20] * 10
    drawn = draw(["Flood"] * 100, 5, 5, 1, sizes, [float(size) for size in sizes])
    assert Counter(s for s, split in zip(sizes, drawn, strict=True) if split) == {1: 6, 5: 3, 20: 1}


def test_of_like_clusters_the_dearer_half_is_hardly_drawn() -> None:
    prices = [float(n % 10) for n in range(200)]
    drawn = [draw(["Flood"] * 200, 10, 10, seed, [1] * 200, prices) for seed in range(20)]
    found = Counter(
        price for splits in drawn for price, split in zip(prices, splits, strict=True) if split
    )
    assert sum(found[price] for price in (5.0, 6.0, 7.0, 8.0, 9.0)) < 0.05 * found.total()
    assert len({tuple(splits) for splits in drawn}) == 20
    assert found[1.0] > 40  # and not the cheapest alone


def test_the_price_of_a_cluster() -> None:
    # article 1: a a b; article 2: a and twenty of b; article 3: c alone; article 4: twenty of b, d
    clusters = [0, 0, 1, 0, *[1] * 20, 2, *[1] * 20, 3]
    articles = [1, 1, 1, *[2] * 21, 3, *[4] * 21]
    a, b, c, d = prices(clusters, articles, 4)
    assert a == (1 + WORTH) / 2  # it loses its own in article 2
    assert b == (2 + 1 + 1) / 41
    assert (c, d) == (0, float("inf"))


def test_an_article_is_of_one_split() -> None:
    #          train dev test, then nothing, of articles 1, 2, 3
    articles = [1, 1, 2, 2, 3, 3, 1, 4]
    splits = [0, 1, 0, 2, 1, 2, -1, 0]
    roomy = [*articles, *range(10, 30)], [*splits, *[0] * 20]  # so that few of all are lost
    assert assign_splits(*roomy, strict=True) == [1, 1, 2, 2, 2, 2, -1, 0, *[0] * 20]
    assert assign_splits(articles, splits, strict=False) == [1, 1, 2, 2, 1, 2, -1, 0]


def test_an_article_full_of_training_mentions_stays_train_s() -> None:
    articles, splits = [1] * (WORTH + 2), [0] * (WORTH + 1) + [2]
    elsewhere = range(10, 110)
    roomy = [*articles, *elsewhere], [*splits, *[0] * 100]
    assert assign_splits(*roomy, strict=True) == [0] * (WORTH + 102)
    fewer = roomy[0][1:], roomy[1][1:]
    assert assign_splits(*fewer, strict=True) == [2] * (WORTH + 1) + [0] * 100
    assert assign_splits(articles, splits, strict=False) == [2] * (WORTH + 2)


def test_where_too_many_would_be_lost_dev_and_test_are_worth_less() -> None:
    """Article 1 has four mentions of train and one of test: 4 of 25 are too many, 4 of 27 not."""
    articles, splits = [1] * 5, [0] * 4 + [2]
    for others, home in ((20, 0), (22, 2)):
        found = assign_splits(
            [*articles, *range(10, 10 + others)], [*splits, *[0] * others], strict=True
        )
        assert found == [home] * 5 + [0] * others


def test_what_was_drawn() -> None:
    clusters, articles, own = [0, 0, 1, 2, 3], [1, 2, 1, 2, 3], [0, 0, 1, 2, -1]
    found = describe_splits(clusters, articles, own, [1, 2, 1, 2, -1])
    assert found == {
        "train": DrawnSplit(clusters=1, mentions=2, in_article=2.0, left_out=2),
        "dev": DrawnSplit(clusters=1, mentions=1, in_article=2.0, left_out=0),
        "test": DrawnSplit(clusters=1, mentions=1, in_article=2.0, left_out=0),
    }
