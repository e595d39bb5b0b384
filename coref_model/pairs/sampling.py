"""Draw pairs of mentions for training, and batch them.

All pairs that corefer are used, and some that do not. Batches are random for a frozen encoder, and
of whole passages for a trained one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefmill.coref_model.pairs.embeddings import Window
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import EventMention

Indices = NDArray[np.int64]

Seed = int | Sequence[int]

LAYER = 3_000_000
"""Most pairs that the published sampler takes from one layer."""


@dataclass(frozen=True, slots=True)
class MentionPairs:
    """Pairs of indices in a list of mentions, the earlier one first; each array is [p]."""

    first: Indices
    second: Indices
    positive: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True)
class Topics:
    """Mentions in topics: `members` lists the indices of each, `chains` [m] numbers the clusters.

    Pairs are made within a topic only. Topics and chains come in the order of first appearance.
    """

    members: tuple[Indices, ...]
    chains: Indices

    def list_chains(self) -> list[Indices]:
        """List the mentions of each chain in each topic, topic by topic."""
        found = []
        for members in self.members:
            chains: dict[int, list[int]] = {}
            for index in members.tolist():
                chains.setdefault(int(self.chains[index]), []).append(index)
            found += [np.array(chain, dtype=np.int64) for chain in chains.values()]
        return found

    def count_pairs(self) -> tuple[int, int]:
        """Count the coreferent pairs within topics, and the others."""
        positive, total = (
            sum(len(own) * (len(own) - 1) // 2 for own in groups)
            for groups in (self.list_chains(), self.members)
        )
        return positive, total - positive


def number_to_pairs(numbers: Indices | None, groups: Sequence[Indices]) -> tuple[Indices, Indices]:
    """Convert `numbers` [p] of pairs within groups to the indices of both mentions; None for all.

    Pairs are numbered group by group, by place in the group: (0, 1), (0, 2) ... (1, 2) ...
    """
    members = np.concatenate(groups)
    later = np.concatenate([np.arange(len(own))[::-1] for own in groups])  # pairs begun by each
    ends = later.cumsum()
    if numbers is None:
        numbers = np.arange(ends[-1])
    row = np.searchsorted(ends, numbers, side="right")
    return members[row], members[row + 1 + numbers - (ends - later)[row]]


def group_by_topic(mentions: Sequence[EventMention], *, by_topic: bool = True) -> Topics:
    """Group mentions by `meta["topic"]`, those without a topic together, or all in one topic.

    Raises `DataError` for no mentions.
    """
    if not mentions:
        raise DataError("the split has no event mentions", remedy="name a split with mentions")
    topics: dict[str, list[int]] = {}
    chains: dict[str, int] = {}
    numbers = []
    for index, mention in enumerate(mentions):
        topic = str(mention.meta.get("topic", "")) if by_topic else ""
        topics.setdefault(topic, []).append(index)
        numbers.append(chains.setdefault(mention.cluster, len(chains)))
    members = tuple(np.array(indices, dtype=np.int64) for indices in topics.values())
    return Topics(members, np.array(numbers, dtype=np.int64))


def list_pairs(topics: Topics) -> MentionPairs:
    """List all pairs within topics, positives first."""
    return _join_positives(topics, *_list_negatives(topics))


def draw_uniformly(topics: Topics, ratio: float, seed: Seed) -> MentionPairs:
    """Draw `ratio` times as many negatives as positives, uniformly without replacement.

    All positives are used, and all negatives if there are too few to draw from, or if `ratio` is 0.
    """
    positive, negative = topics.count_pairs()
    wanted = round(ratio * positive)
    if ratio == 0 or wanted >= negative:
        return list_pairs(topics)
    if wanted * 4 > negative:  # a draw would often be in vain
        first, second = _list_negatives(topics)
        kept = np.sort(np.random.default_rng(seed).choice(negative, wanted, replace=False))
        return _join_positives(topics, first[kept], second[kept])
    return _join_positives(topics, *_draw_negatives(topics, wanted, seed))


def draw_as_published(topics: Topics, ratio: float, seed: int = 0) -> MentionPairs:
    """Draw negatives as WEC's published code takes them, and use all positives.

    With several topics (ECB+), all negatives within them are taken. With one topic (WEC), they come
    in layers: layer k has the k-th mention of every chain. A layer of more than two mentions gives
    all its pairs, or 3,000,000 drawn by Python's `random.sample`. The layers in order are cut at
    `ratio` times the positives (0: never). So with a ratio of 10 the negatives of WEC-Eng are pairs
    of first and of second mentions only.
    """
    if len(topics.members) > 1:
        return list_pairs(topics)
    positive, _ = topics.count_pairs()
    wanted = round(ratio * positive) if ratio else None
    draw = random.Random(seed)
    chains = topics.list_chains()
    firsts, seconds, taken = [], [], 0
    for depth in range(max(map(len, chains))):
        layer = np.array([c[depth] for c in chains if len(c) > depth], dtype=np.int64)
        if len(layer) < 3 or (wanted is not None and taken >= wanted):
            break
        total = len(layer) * (len(layer) - 1) // 2
        numbers = (
            np.arange(total)
            if total <= LAYER
            else np.fromiter(draw.sample(range(total), LAYER), dtype=np.int64, count=LAYER)
        )
        if wanted is not None:
            numbers = numbers[: wanted - taken]
        first, second = number_to_pairs(numbers, [layer])
        firsts.append(first)
        seconds.append(second)
        taken += len(numbers)
    empty = np.empty(0, dtype=np.int64)
    return _join_positives(
        topics, np.concatenate([empty, *firsts]), np.concatenate([empty, *seconds])
    )


def _join_positives(topics: Topics, first: Indices, second: Indices) -> MentionPairs:
    """Join all coreferent pairs with the given pairs that do not corefer."""
    i, j = number_to_pairs(None, topics.list_chains())
    positive = np.zeros(len(i) + len(first), dtype=np.bool_)
    positive[: len(i)] = True
    low, high = np.minimum(first, second), np.maximum(first, second)
    return MentionPairs(np.concatenate([i, low]), np.concatenate([j, high]), positive)


def _list_negatives(topics: Topics) -> tuple[Indices, Indices]:
    """List all pairs within topics that do not corefer."""
    first, second = number_to_pairs(None, topics.members)
    apart = topics.chains[first] != topics.chains[second]
    return first[apart], second[apart]


def _draw_negatives(topics: Topics, wanted: int, seed: Seed) -> tuple[Indices, Indices]:
    """Draw numbers among all pairs of all topics until enough are new and negative."""
    generator = np.random.default_rng(seed)
    total = sum(topics.count_pairs())
    taken = np.empty(0, dtype=np.int64)
    while len(taken) < wanted:
        fresh = generator.integers(total, size=2 * (wanted - len(taken)) + 16)
        i, j = number_to_pairs(fresh, topics.members)
        fresh = fresh[topics.chains[i] != topics.chains[j]]
        # The first draw of a number counts, so that the numbers stay a uniform sample.
        numbers = np.concatenate([taken, fresh])
        taken = numbers[np.sort(np.unique(numbers, return_index=True)[1])][:wanted]
    return number_to_pairs(np.sort(taken), topics.members)


@dataclass(frozen=True, slots=True)
class PairBatch:
    """`mentions` [q] are indices in the split; first, second [p] are indices in `mentions`."""

    mentions: Indices
    first: Indices
    second: Indices
    positive: NDArray[np.bool_]


def shuffle_pairs(pairs: MentionPairs, size: int, seed: Seed) -> list[PairBatch]:
    """Batch the pairs in random order, `size` in a batch."""
    return _cut_batches(pairs, np.random.default_rng(seed).permutation(len(pairs)), size)


def group_pairs(topics: Topics, pairs: MentionPairs, size: int, seed: Seed) -> list[PairBatch]:
    """Batch every pair once, `size` each, with shared mentions in a batch.

    So several pairs use the vectors of a mention. The mentions of a topic are dealt into random
    groups, so large that two groups have `size` pairs between them. Two by two, in random order,
    the groups give their pairs, which are cut into batches. In a topic with few pairs to a mention
    the batches share few mentions, as in a random order.
    """
    draw = np.random.default_rng(seed)
    topic = np.empty(len(topics.chains), dtype=np.int64)
    for at, members in enumerate(topics.members):
        topic[members] = at
    drawn = np.bincount(topic[pairs.first], minlength=len(topics.members))  # pairs of each topic
    group = np.empty(len(topics.chains), dtype=np.int64)
    count = 0
    for members, own in zip(topics.members, drawn.tolist(), strict=True):
        wide = len(members) * (size / max(2 * own, 1)) ** 0.5  # mentions of a group
        groups = max(1, round(len(members) / wide))
        group[members] = count + draw.permutation(len(members)) % groups
        count += groups
    one, other = group[pairs.first], group[pairs.second]
    cells = np.minimum(one, other) * count + np.maximum(one, other)
    _, cell = np.unique(cells, return_inverse=True)
    rank = draw.permutation(cell.max(initial=0) + 1)[cell]
    return _cut_batches(pairs, np.lexsort((draw.random(len(pairs)), rank)), size)


def batch_passages(
    topics: Topics, plan: Sequence[Window], pieces: int, ratio: float, seed: Seed
) -> list[PairBatch]:
    """Batch pairs by passage, each encoded once, for a trained encoder.

    Chains in random order, topic by topic, fill a batch until its windows have `pieces` pieces. Its
    pairs are all positives of the batch and `ratio` times as many negatives (0: all), drawn
    uniformly within its topics. A long chain is cut at another place in each epoch. Batches without
    pairs are left out.
    """
    draw = np.random.default_rng(seed)
    window = {index: at for at, one in enumerate(plan) for index, _ in one.mentions}
    made: list[PairBatch] = []

    def add_batch(indices: list[int]) -> None:
        """Draw the pairs of a full batch at once, so that the order of draws follows the seed."""
        mentions = np.sort(np.array(indices, dtype=np.int64))
        members = [np.flatnonzero(np.isin(mentions, own)) for own in topics.members]
        pairs = list_pairs(Topics(tuple(members), topics.chains[mentions]))
        kept, others = np.flatnonzero(pairs.positive), np.flatnonzero(~pairs.positive)
        wanted = round(ratio * len(kept))
        if ratio and wanted < len(others):
            others = draw.choice(others, wanted, replace=False)
        chosen = np.concatenate([kept, others])
        if len(chosen):
            part = pairs.first[chosen], pairs.second[chosen], pairs.positive[chosen]
            made.append(PairBatch(mentions, *part))

    indices: list[int] = []
    inside: set[int] = set()
    size = 0
    for topic in draw.permutation(len(topics.members)):
        members = draw.permutation(topics.members[topic])
        # Chains in the order of their first mention in a permutation of all.
        rank = {chain: at for at, chain in reversed(list(enumerate(topics.chains[members])))}
        for index in sorted(members.tolist(), key=lambda one: rank[topics.chains[one]]):
            own = window[index]
            length = len(plan[own].ids)
            more = 0 if own in inside else length
            if indices and size + more > pieces:
                add_batch(indices)
                indices, inside, size, more = [], set(), 0, length
            indices.append(index)
            inside.add(own)
            size += more
    add_batch(indices)
    return [made[at] for at in draw.permutation(len(made))]


def _cut_batches(pairs: MentionPairs, order: Indices, size: int) -> list[PairBatch]:
    """Cut the pairs, in this order, into batches of `size` with their distinct mentions."""
    made = []
    for at in range(0, len(order), size):
        chosen = order[at : at + size]
        both = np.stack([pairs.first[chosen], pairs.second[chosen]])  # [2, p]
        mentions, inverse = np.unique(both, return_inverse=True)
        first, second = inverse.reshape(both.shape)
        made.append(PairBatch(mentions, first, second, pairs.positive[chosen]))
    return made
