"""Link pairs of mentions and cluster them by average link.

Up to a few thousand mentions, every pair is scored; of more, only pairs with near vectors, since
memory grows with the square. Two baselines cluster without a model: mentions of one head lemma, and
mentions of one string.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage  # type: ignore[import-untyped]
from scipy.sparse import coo_array  # type: ignore[import-untyped]
from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]
from scipy.special import expit  # type: ignore[import-untyped]
from torch import Tensor
from torch.nn import functional

from corefmill.coref_model.pairs.features import Features, read_wording
from corefmill.coref_model.pairs.sampling import Indices, Topics
from corefmill.coref_model.pairs.scorer import PairScorer, score_condensed
from corefmill.corpora.records import EventMention

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class ScoredPairs:
    """The logits [e] of pairs of `size` mentions: all pairs, or those `first` < `second` [e]."""

    size: int
    logits: NDArray[np.float32]
    first: Indices | None = None
    second: Indices | None = None

    def list_pairs(self) -> tuple[Indices, Indices]:
        """List the two mentions of each logit, by index."""
        if self.first is None or self.second is None:
            first, second = np.triu_indices(self.size, 1)
            return first, second
        return self.first, self.second

    @cached_property
    def _merges(self) -> Floats:
        return link_all(expit(-self.logits.astype(np.float64)))

    @cached_property
    def _similarity(self) -> Floats:
        similarity: Floats = expit(self.logits.astype(np.float64))
        return similarity

    def cut(self, threshold: float) -> Labels:
        """Cluster the mentions, [size], by average link of the distance 1 - sigmoid(logit).

        Clusters are merged while their distance is below `threshold`.
        """
        if self.first is None or self.second is None:
            return cut_tree(self._merges, threshold)
        return cut_sparse(self.size, self.first, self.second, self._similarity, threshold)


def link_all(distances: Floats) -> Floats:
    """Link by distances [m (m - 1) / 2] of all pairs: scipy's linkage matrix, [m - 1, 4].

    Its nearest-neighbour chain takes m^2 steps, and a second copy of the distances. Raises
    `ValueError` for distances that are not finite.
    """
    if not len(distances):
        return np.empty((0, 4))
    merges: Floats = linkage(distances, method="average")
    return merges


def cut_tree(merges: Floats, threshold: float) -> Labels:
    """Cluster m mentions by their merges [m - 1, 4] at a distance below `threshold`.

    As with scikit-learn's `distance_threshold`, a merge exactly at the threshold is not done.
    """
    size = len(merges) + 1
    # Heights never fall (average link is monotone), except by rounding, which is smoothed.
    heights = np.maximum.accumulate(merges[:, 2])
    done = merges[: np.searchsorted(heights, threshold, side="left"), :2].astype(np.int64)
    # The cluster of each mention and each merge. Merge k has the number size + k, so that going
    # down from the last merge, each merge looks its cluster up in a merge that is final already.
    above = np.arange(size + len(done))
    for number, (one, other) in enumerate(done, start=size):
        above[one] = above[other] = number
    for node in range(len(above) - 1, -1, -1):
        above[node] = above[above[node]]
    return number_clusters(above[:size])


def cut_sparse(
    size: int, first: Labels, second: Labels, similarity: Floats, threshold: float
) -> Labels:
    """Cluster `size` mentions by pairs first < second [e] of known similarity [e].

    An approximation: any other pair counts as similarity 0 (distance 1). On the matrix filled like
    this it is exact average link: the similarity of two clusters is the sum of the known
    similarities between them, divided by the product of their sizes. (Similarities made equal by
    rounding, as for logits above 36, merge in the order of the mentions.) Memory and time grow with
    the pairs, not with size x size.
    """
    least = 1 - threshold
    # A merge needs one pair nearer than the threshold. So nothing is merged across the connected
    # components of such pairs, and pairs across them can be dropped.
    near = similarity > least
    pairs = first[near], second[near]
    graph = coo_array((np.ones(len(pairs[0])), pairs), shape=(size, size))
    component = connected_components(graph, directed=False)[1]
    inside = component[first] == component[second]
    return number_clusters(
        _merge_clusters(size, first[inside], second[inside], similarity[inside], least)
    )


def _merge_clusters(
    size: int, first: Labels, second: Labels, similarity: Floats, least: float
) -> Labels:
    """Merge the two most similar clusters while they are more similar than `least`.

    The cluster with more neighbours keeps its number in a merge, so that only the neighbours of the
    other are moved. Its own neighbours become less similar, since it has grown; their values in the
    heap are too high, and are corrected when they come up.
    """
    sums: dict[int, dict[int, float]] = {}  # summed similarity of each cluster with its neighbours
    heap: list[tuple[float, int, int]] = []
    for i, j, score in zip(first.tolist(), second.tolist(), similarity.tolist(), strict=True):
        sums.setdefault(i, {})[j] = score
        sums.setdefault(j, {})[i] = score
        if score > least:
            heap.append((-score, i, j))
    heap.sort()
    members = [1] * size
    above = list(range(size))  # the cluster of each mention
    while heap:
        negative, i, j = heappop(heap)
        if i not in sums or j not in sums[i]:
            continue  # one of them was merged into another
        mean = sums[i][j] / (members[i] * members[j])
        if mean != -negative:
            # A higher similarity has a later entry in the heap.
            if least < mean < -negative:
                heappush(heap, (-mean, i, j))
            continue
        kept, gone = (i, j) if len(sums[i]) >= len(sums[j]) else (j, i)
        above[gone] = kept
        members[kept] += members[gone]
        own, other = sums[kept], sums.pop(gone)
        del own[gone], other[kept]
        for node, total in other.items():
            back = sums[node]
            del back[gone]
            own[node] = back[kept] = own.get(node, 0.0) + total
            mean = own[node] / (members[kept] * members[node])
            if mean > least:
                heappush(heap, (-mean, min(kept, node), max(kept, node)))
    for node in range(size):
        while above[above[node]] != above[node]:
            above[node] = above[above[node]]
    return np.array([above[node] for node in range(size)], dtype=np.int64)


def number_clusters(labels: Labels) -> Labels:
    """Number the clusters from 0 as they first appear."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


_CELLS = 1 << 24
"""Cosines that are in memory at a time."""
_PAIRS = 1 << 14
"""Candidate pairs that are scored at a time."""


@torch.no_grad()
def score_pairs(
    scorer: PairScorer,
    g: Tensor,
    features: Features | None = None,
    weight: Tensor | None = None,
    *,
    dense: int,
    neighbours: int,
) -> ScoredPairs:
    """Score pairs of mentions g [m, w], with `features` by the same indices.

    `weight` [h, f] maps the features into the scorer's first layer. Up to `dense` mentions all
    pairs are scored, the earlier mention first, and clustering takes 16 m^2 bytes. Of more
    mentions, a pair is scored if one of the two is among the `neighbours` nearest of the other by
    the cosine of their vectors; other pairs count as unlike (see `cut_sparse`).
    """

    def add_block(rows: slice, columns: slice) -> Tensor:  # [r, c, h]
        assert features is not None and weight is not None
        return functional.linear(features.compare_block(rows, columns), weight)

    if len(g) <= dense:
        more = None if features is None else add_block
        return ScoredPairs(len(g), score_condensed(scorer, g, more).numpy())
    first, second = pair_nearest(g, neighbours)
    logits = []
    for i, j in zip(first.split(_PAIRS), second.split(_PAIRS), strict=True):
        own = None
        if features is not None and weight is not None:
            own = features.compare_pairs(i, j) @ weight.T  # [p, h]
        logits.append(scorer(g, i, j, own).float().cpu())
    return ScoredPairs(len(g), torch.cat(logits).numpy(), first.cpu().numpy(), second.cpu().numpy())


@torch.no_grad()
def pair_nearest(g: Tensor, neighbours: int) -> tuple[Tensor, Tensor]:
    """Pair the rows of g [m, w] with their nearest by cosine: first < second [p], each once."""
    m = len(g)
    unit = functional.normalize(g, dim=-1)  # [m, w]
    rows = max(1, _CELLS // m)
    found = []
    for start in range(0, m, rows):
        own = torch.arange(start, min(start + rows, m), device=g.device)  # [r]
        cosine = unit[own] @ unit.T  # [r, m]
        cosine[torch.arange(len(own), device=g.device), own] = -2  # below any cosine
        near = cosine.topk(min(neighbours, m - 1), dim=-1).indices  # [r, k]
        own = own[:, None].expand_as(near)
        found.append((torch.minimum(own, near) * m + torch.maximum(own, near)).flatten())
    codes = np.unique(torch.cat(found).cpu().numpy())  # numpy's sort needs less than torch's
    pairs = torch.from_numpy(codes).to(g.device)
    return pairs // m, pairs % m


def cluster_by_lemma(mentions: Sequence[EventMention], topics: Topics) -> Labels | None:
    """Cluster the mentions, [m], with an equal head lemma, case aside, within each topic.

    Returns None if a mention has no lemma. (Average link on a similarity of 1 for the same lemma
    and 0 for others, at any threshold, gives these clusters.)
    """
    lemmas = [mention.lemma for mention in mentions]
    if any(lemma is None for lemma in lemmas):
        return None
    return _cluster_by_form([str(lemma).casefold() for lemma in lemmas], topics)


def cluster_by_string(mentions: Sequence[EventMention], topics: Topics) -> Labels:
    """Cluster the mentions, [m], of one wording within each topic."""
    return _cluster_by_form([read_wording(mention) for mention in mentions], topics)


def _cluster_by_form(forms: Sequence[str], topics: Topics) -> Labels:
    """Cluster the mentions, [m], of one form (a lemma or a string) within each topic."""
    labels = np.empty(len(forms), dtype=np.int64)
    seen: dict[tuple[int, str], int] = {}
    for topic, members in enumerate(topics.members):
        for index in members.tolist():
            labels[index] = seen.setdefault((topic, forms[index]), len(seen))
    return labels
