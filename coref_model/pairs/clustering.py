"""Link pairs of mentions and cluster them by average link.

Up to a few thousand mentions, every pair is scored; of more, only pairs with near vectors, since
memory grows with the square. Two baselines cluster without a model: mentions of one head lemma, and
mentions of one string.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage  # type: ignore[import-untyped]
from scipy.sparse import coo_array  # type: ignore[import-untyped]
from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]
from scipy.special import expit  # type: ignore[import-untyped]
from torch import Tensor
from torch.nn import functional

from corefmill.coref_model.pairs.features import ALIKE
from corefmill.coref_model.pairs.sampling import Indices, Topics
from corefmill.corpora.records import EventMention

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """The logits [p] of pairs first < second [p] of `size` mentions."""

    size: int
    first: Indices
    second: Indices
    logits: NDArray[np.float32]

    def cut(self, threshold: float) -> Labels:
        """Cluster the mentions, [size], by the distance 1 - sigmoid(logit); see `link_average`."""
        distances = expit(-self.logits.astype(np.float64))
        return link_average(self.size, self.first, self.second, distances, threshold)

    def score_pairwise(self, topics: Topics) -> float:
        """Compute F1 of the pairs whose probability is above one half; 0/0 is 0."""
        chosen = self.logits > 0
        first, second = (topics.chains[side[chosen]] for side in (self.first, self.second))
        positive, _ = topics.count_pairs()
        return 2 * int((first == second).sum()) / max(positive + int(chosen.sum()), 1)


_LARGEST = 10_000
"""Mentions of the largest component that scipy links: in 8 bytes for each pair, twice."""


def link_average(
    size: int, first: Indices, second: Indices, distances: NDArray[np.float64], threshold: float
) -> Labels:
    """Cluster `size` mentions by average link of the distances [p] of pairs first < second [p].

    Clusters are merged while their distance is below `threshold`. As with scikit-learn's
    `distance_threshold`, a merge exactly at it is not done. Any other pair has the distance 1.
    """
    # A merge needs one pair nearer than the threshold. So nothing is merged across the connected
    # components of such pairs, and each is clustered alone.
    near = distances < threshold
    pairs = first[near], second[near]
    graph = coo_array((np.ones(len(pairs[0])), pairs), shape=(size, size))
    component = connected_components(graph, directed=False)[1]
    inside = np.flatnonzero(component[first] == component[second])
    inside = inside[np.argsort(component[first[inside]], kind="stable")]
    borders = np.flatnonzero(np.diff(component[first[inside]])) + 1
    labels = np.arange(size)
    for own in np.split(inside, borders) if len(inside) else ():
        members, places = np.unique([first[own], second[own]], return_inverse=True)
        m, (i, j) = len(members), places.reshape(2, -1)
        if m > _LARGEST:
            merged = _merge_clusters(m, i, j, 1 - distances[own], 1 - threshold)
            labels[members] = members[merged]
            continue
        # scipy's condensed matrix: (0, 1), (0, 2) ... (1, 2) ...
        condensed = np.ones(m * (m - 1) // 2)
        condensed[m * i + j - (i + 2) * (i + 1) // 2] = distances[own]
        merges = linkage(condensed, method="average")
        numbers = fcluster(merges, np.nextafter(threshold, -1), criterion="distance")  # from 1
        labels[members] = members[numbers - 1]
    return number_clusters(labels)


def _merge_clusters(
    size: int, first: Indices, second: Indices, similarity: NDArray[np.float64], least: float
) -> Labels:
    """Merge the two most similar clusters while they are more similar than `least`.

    Exact average link in memory that grows with the pairs: the similarity of two clusters is the
    sum of the known similarities between them, divided by the product of their sizes.
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


@torch.no_grad()
def choose_pairs(
    g: Tensor, topics: Topics, *, dense: int, neighbours: int
) -> tuple[Tensor, Tensor]:
    """Choose the pairs of mentions g [m, w] to score, first < second [p], topic by topic.

    Up to `dense` mentions of a topic all pairs are chosen. Of more mentions, a pair is chosen if
    one of the two is among the `neighbours` nearest of the other by the cosine of their vectors.
    """
    chosen = []
    for indices in topics.members:
        members, m = torch.from_numpy(indices).to(g.device), len(indices)
        pairs = (
            torch.triu_indices(m, m, 1, device=g.device)
            if m <= dense
            else pair_nearest(g[members], neighbours)
        )
        chosen.append(members[pairs])
    first, second = torch.cat(chosen, dim=1)
    return first, second


def pair_nearest(g: Tensor, neighbours: int) -> Tensor:
    """Pair the rows of g [m, w] with their nearest by cosine: first < second [2, p], each once."""
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
    return torch.stack([pairs // m, pairs % m])


def cluster_by_form(
    mentions: Sequence[EventMention], topics: Topics, form: Literal["lemma", "string"]
) -> Labels | None:
    """Cluster the mentions, [m], with one head lemma, or one wording, within each topic.

    Case is ignored. Returns None if a mention has no lemma. (Average link on a similarity of 1 for
    the same form and 0 for others, at any threshold, gives these clusters.)
    """
    forms = [ALIKE[form](mention) for mention in mentions]
    if None in forms:
        return None
    labels = np.empty(len(forms), dtype=np.int64)
    seen: dict[tuple[int, str | None], int] = {}
    for topic, members in enumerate(topics.members):
        for index in members.tolist():
            labels[index] = seen.setdefault((topic, forms[index]), len(seen))
    return labels
