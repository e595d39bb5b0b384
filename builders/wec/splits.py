"""Dev and test by cluster and by article: which clusters, and what no longer fits beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from corefmill.builders.runner.stages import seeded

TRAIN, DEV, TEST = "train", "dev", "test"
SPLITS = (TRAIN, DEV, TEST)


def size(clusters: int, wanted: float) -> int:
    """How many clusters a split gets: `wanted` itself, or below 1 that share, but at least one.

    Never more than there are, and none of fewer than three: dev, test and train want one each.
    """
    if wanted <= 0 or clusters < len(SPLITS):
        return 0
    return min(clusters, int(wanted) if wanted >= 1 else max(1, round(clusters * wanted)))


def draw(types: Sequence[str], dev: float, test: float, seed: int) -> list[int]:
    """For each cluster, given by its event type, the index of its split in SPLITS.

    Within each type the clusters are drawn at random; each type gives its share of them, by
    largest remainders, so that dev and test have the types that the corpus has. Where a type has
    fewer clusters than are asked of it the others give more.
    """
    drawn = [0] * len(types)
    members: dict[str, list[int]] = defaultdict(list)
    for cluster, kind in enumerate(types):
        members[kind].append(cluster)
    for kind, own in members.items():
        seeded(seed, "split", kind).shuffle(own)
    for split, wanted in ((DEV, dev), (TEST, test)):
        left = {kind: len(own) for kind, own in members.items()}
        total = min(size(len(types), wanted), sum(left.values()))
        for kind, count in _shares(left, total).items():
            for cluster in members[kind][:count]:
                drawn[cluster] = SPLITS.index(split)
            del members[kind][:count]
    return drawn


def _shares(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """`total` dealt out in proportion to the sizes, by largest remainders."""
    every = sum(sizes.values())
    if not every:
        return {}
    exact = {kind: total * count / every for kind, count in sizes.items()}
    shares = {kind: int(share) for kind, share in exact.items()}
    order = sorted(sizes, key=lambda kind: (shares[kind] - exact[kind], -sizes[kind], kind))
    for kind in order[: total - sum(shares.values())]:
        shares[kind] += 1
    return shares


def foreign(articles: Sequence[int], splits: Sequence[int], *, strict: bool) -> list[int]:
    """For each mention, the split (an index) whose article it shares and may not; 0 for none.

    `articles` and `splits` have a number for each mention, -1 for a split is none. A training
    mention may share no article with dev or test (WEC, section 3.3); where `strict` a mention of
    dev shares none with test either.
    """
    test = {a for a, s in zip(articles, splits, strict=True) if s == 2}
    dev = {a for a, s in zip(articles, splits, strict=True) if s == 1}
    found = []
    for article, split in zip(articles, splits, strict=True):
        if split == 0 and (article in dev or article in test):
            found.append(1 if article in dev else 2)
        elif strict and split == 1 and article in test:
            found.append(2)
        else:
            found.append(0)
    return found
