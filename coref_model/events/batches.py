"""Batches of pairs: shuffled where vectors are at hand, of whole passages where they are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefmill.coref_model.events.sampling import Indices, MentionPairs, Seed, Topics, every
from corefmill.coref_model.events.windows import Window


@dataclass(frozen=True, slots=True)
class PairBatch:
    """`mentions` [q] are indices in the split; first, second [p] are indices in `mentions`."""

    mentions: Indices
    first: Indices
    second: Indices
    positive: NDArray[np.bool_]


def shuffled(pairs: MentionPairs, size: int, seed: Seed) -> list[PairBatch]:
    """The pairs in random order, `size` in a batch."""
    return _cut(pairs, np.random.default_rng(seed).permutation(len(pairs)), size)


def shared(found: Topics, pairs: MentionPairs, size: int, seed: Seed) -> list[PairBatch]:
    """Every pair once, `size` in a batch, so drawn that the pairs of a batch share mentions.

    What is computed for a mention is then of use to several pairs. The mentions of a topic are
    dealt into random groups, as large as it takes for two groups to have `size` pairs between them.
    Two by two, in random order, the groups give their pairs, which are cut into batches. Of a topic
    with few pairs to a mention these share little, as in an order that is random altogether.
    """
    draw = np.random.default_rng(seed)
    topic = np.empty(len(found.chains), dtype=np.int64)
    for at, members in enumerate(found.members):
        topic[members] = at
    drawn = np.bincount(topic[pairs.first], minlength=len(found.members))  # pairs of each topic
    group = np.empty(len(found.chains), dtype=np.int64)
    count = 0
    for members, own in zip(found.members, drawn.tolist(), strict=True):
        wide = len(members) * (size / max(2 * own, 1)) ** 0.5  # mentions of a group
        groups = max(1, round(len(members) / wide))
        group[members] = count + draw.permutation(len(members)) % groups
        count += groups
    one, other = group[pairs.first], group[pairs.second]
    cells = np.minimum(one, other) * count + np.maximum(one, other)
    _, cell = np.unique(cells, return_inverse=True)
    rank = draw.permutation(cell.max(initial=0) + 1)[cell]
    return _cut(pairs, np.lexsort((draw.random(len(pairs)), rank)), size)


def of_passages(
    found: Topics, plan: Sequence[Window], pieces: int, ratio: float, seed: Seed
) -> list[PairBatch]:
    """Batches in which each passage is encoded once, for a trained encoder.

    Chains in random order, topic by topic, fill a batch until its windows have `pieces` pieces;
    its pairs are all of one chain and, uniformly drawn from the batch's own, `ratio` times as many
    (0: all) of two chains of one topic. A chain that is too long is cut elsewhere in each
    epoch. Batches without pairs are left out.
    """
    draw = np.random.default_rng(seed)
    window = np.empty(len(found.chains), dtype=np.int64)
    for at, one in enumerate(plan):
        for index, _ in one.mentions:
            window[index] = at
    made = []
    for indices in _filled(found, window, [len(one.ids) for one in plan], pieces, draw):
        batch = _within(found, indices, ratio, draw)
        if len(batch.first):
            made.append(batch)
    return [made[at] for at in draw.permutation(len(made))]


def _filled(
    found: Topics,
    window: Indices,
    lengths: Sequence[int],
    pieces: int,
    draw: np.random.Generator,
) -> Iterator[Indices]:
    indices: list[int] = []
    inside: set[int] = set()
    size = 0
    for topic in draw.permutation(len(found.members)):
        members = draw.permutation(found.members[topic])
        # Chains in the order of their first mention in a permutation of all.
        rank = {chain: at for at, chain in reversed(list(enumerate(found.chains[members])))}
        for index in sorted(members.tolist(), key=lambda one: rank[found.chains[one]]):
            own = int(window[index])
            more = 0 if own in inside else lengths[own]
            if indices and size + more > pieces:
                yield np.array(indices, dtype=np.int64)
                indices, inside, size, more = [], set(), 0, lengths[own]
            indices.append(index)
            inside.add(own)
            size += more
    yield np.array(indices, dtype=np.int64)


def _within(found: Topics, indices: Indices, ratio: float, draw: np.random.Generator) -> PairBatch:
    indices = np.sort(indices)
    members = [np.flatnonzero(np.isin(indices, own)) for own in found.members]
    own = Topics(found.names, tuple(members), found.chains[indices])
    pairs = every(own)
    kept = np.flatnonzero(pairs.positive)
    others = np.flatnonzero(~pairs.positive)
    wanted = round(ratio * len(kept))
    if ratio and wanted < len(others):
        others = draw.choice(others, wanted, replace=False)
    chosen = np.concatenate([kept, others])
    return PairBatch(indices, pairs.first[chosen], pairs.second[chosen], pairs.positive[chosen])


def _cut(pairs: MentionPairs, order: Indices, size: int) -> list[PairBatch]:
    return [_batch(pairs, order[at : at + size]) for at in range(0, len(order), size)]


def _batch(pairs: MentionPairs, chosen: Indices) -> PairBatch:
    both = np.stack([pairs.first[chosen], pairs.second[chosen]])  # [2, p]
    mentions, inverse = np.unique(both, return_inverse=True)
    first, second = inverse.reshape(both.shape)
    return PairBatch(mentions, first, second, pairs.positive[chosen])
