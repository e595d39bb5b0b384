"""Draw clusters for dev and test, and drop the mentions that would share an article across splits.

Splits share neither clusters nor articles (WEC, section 3.3). So each cluster of dev or test costs
the mentions of other clusters in its articles. Clean mode reduces this loss in two ways:

1. Of clusters alike in type and size, those are drawn whose articles hold few others (`draw`).
2. An article goes to the split with most of its mentions (`assign_splits`): in an article with
   a hundred training mentions and one test mention, the test mention is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.run.stages import make_random

_Numbers: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]

TRAIN, DEV, TEST = "train", "dev", "test"
SPLITS = (TRAIN, DEV, TEST)

WORTH = 5
"""Training mentions that a mention of dev or test is worth. At 10, small corpora with articles full
of events lost over 15 of 100 mentions with every third seed; at 3, dev and test lost clusters."""

MOST_LOST = Fraction(15, 100)
"""Most lost share of all mentions; above it, mentions of dev and test are worth less."""

TRIED = Fraction(3, 4)
"""Share of a run's clusters that are drawn at random and compared. At a half, little is saved if a
run has one cheap cluster; at one, every seed gives the same dev and test."""


def size(clusters: int, wanted: float) -> int:
    """Compute the number of clusters in a split: `wanted`, or below 1 that share, at least one.

    The number is at most `clusters`, and 0 for fewer than three: each split needs one.
    """
    if wanted <= 0 or clusters < len(SPLITS):
        return 0
    return min(clusters, int(wanted) if wanted >= 1 else max(1, round(clusters * wanted)))


def draw(
    types: Sequence[str],
    dev: float,
    test: float,
    seed: int,
    sizes: Sequence[int] = (),
    prices: Sequence[float] = (),
) -> list[int]:
    """Draw the split of each cluster, given by its event type, as an index into SPLITS.

    The clusters are sorted by type and size, equal ones at random, and cut into as many runs as dev
    and test need clusters; each run gives one. So dev and test have the corpus's types and sizes,
    whatever the prices. A run gives the cheapest of the share TRIED of its clusters, so never one
    of its dearest quarter; without `prices` all clusters cost the same.
    """
    count = len(types)
    in_dev = size(count, dev)
    wanted = min(count, in_dev + size(count, test))
    random = make_random(seed, "split")
    line = list(range(count))
    random.shuffle(line)
    line.sort(key=lambda cluster: (types[cluster], sizes[cluster] if sizes else 0))
    drawn = [0] * count
    # Runs at equal distances give to dev, from a random first one.
    first = random.randrange(wanted) if wanted else 0
    for number in range(wanted):
        run = line[number * count // wanted : (number + 1) * count // wanted]
        random.shuffle(run)
        tried = run[: ceil(len(run) * TRIED)] if prices else run[:1]
        chosen = min(tried, key=lambda cluster: prices[cluster] if prices else 0)
        for_dev = (first + number) * in_dev // wanted < (first + number + 1) * in_dev // wanted
        drawn[chosen] = SPLITS.index(DEV if for_dev else TEST)
    return drawn


def prices(clusters: _Numbers, articles: _Numbers, count: int) -> list[float]:
    """Price each of `count` clusters in dev or test: mentions lost for each that stays.

    `clusters` and `articles` have a number for each mention. As in `assign_splits`, a cluster costs
    the other clusters' mentions in the articles that it wins, and its own mentions in the rest.
    """
    _, article = _number_articles(articles)
    every = np.bincount(article)
    pairs, own = np.unique(
        np.array(clusters, dtype=np.int64) * len(every) + article, return_counts=True
    )
    cluster, others = pairs // max(1, len(every)), every[pairs % max(1, len(every))] - own
    stays = others <= WORTH * own
    lost = np.bincount(cluster, np.where(stays, others, WORTH * own), count)
    kept = np.bincount(cluster, np.where(stays, own, 0), count)
    found = np.divide(lost, kept, out=np.full(count, np.inf), where=kept > 0)
    return [float(price) for price in found]


def assign_splits(articles: Sequence[int], splits: Sequence[int], *, strict: bool) -> list[int]:
    """Assign each mention the split (an index) of its article; a mention stays in no other.

    `articles` and `splits` have a number for each mention; split -1 means none. If `strict`, an
    article goes to the split whose mentions in it are worth most, of equals to test, then to dev. A
    mention of dev or test is worth WORTH, or less to lose at most MOST_LOST. Otherwise, as in the
    original, dev and test keep all their mentions, and train loses its mentions in their articles.
    """
    own = np.array(splits, dtype=np.int8)
    numbers, article = _number_articles(articles)
    counted = own >= 0
    cells = article[counted] * len(SPLITS) + own[counted]
    counts = np.bincount(cells, minlength=len(SPLITS) * numbers).reshape(-1, len(SPLITS))
    shared = counts[:, 1:].any(axis=1)  # dev or test has mentions there
    if strict:
        most = MOST_LOST * int(counted.sum())
        for worth in range(WORTH, 0, -1):
            home = _assign_articles(counts, worth)
            stay = np.take_along_axis(counts, home[:, None], axis=1)
            if int(counts[shared].sum() - stay[shared].sum()) <= most:
                break
    else:
        home = np.where(counts[:, 1] > 0, 1, 2)
    found = np.where(shared, home, 0)[article]
    stays = ~counted if strict else own != 0
    return [int(split) for split in np.where(stays, own, found)]


def _number_articles(articles: _Numbers) -> tuple[int, NDArray[np.int64]]:
    """Count the articles, and number the article of each mention."""
    known, article = np.unique(np.array(articles, dtype=np.uint64), return_inverse=True)
    return len(known), article


def _assign_articles(counts: NDArray[np.int64], worth: int) -> NDArray[np.int64]:
    """Assign each article the split with most mentions in it; `worth` weighs dev and test."""
    worths = counts * (1, worth, worth)
    last: NDArray[np.int64] = worths[:, ::-1].argmax(axis=1)  # of those that are equal
    return len(SPLITS) - 1 - last


@dataclass(frozen=True, slots=True)
class DrawnSplit:
    """A split as drawn, before the splits were separated, and the cost of separation."""

    clusters: int
    mentions: int
    in_article: float
    """Mean number of mentions, of any split, in the article of a mention."""
    left_out: int
    """Mentions whose article is another split's."""


def describe_splits(
    clusters: Sequence[int], articles: Sequence[int], own: Sequence[int], home: Sequence[int]
) -> dict[str, DrawnSplit]:
    """Describe each split as drawn; `own` and `home` are input and result of `assign_splits`.

    The rows show how far dev and test differ from train.
    """
    numbers, article = _number_articles(articles)
    of, split = np.array(clusters, dtype=np.int64), np.array(own, dtype=np.int8)
    moved = np.array(home, dtype=np.int8) != split
    crowds = np.bincount(article[split >= 0], minlength=numbers)
    found = {}
    for number, name in enumerate(SPLITS):
        in_it = split == number
        mentions = int(in_it.sum())
        found[name] = DrawnSplit(
            clusters=len(np.unique(of[in_it])),
            mentions=mentions,
            in_article=int(crowds[article[in_it]].sum()) / max(1, mentions),
            left_out=int(moved[in_it].sum()),
        )
    return found
