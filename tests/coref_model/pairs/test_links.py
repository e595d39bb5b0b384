"""TopicLinks: candidate pairs against a plain search, dense and sparse clusters of one scorer."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from corefmill.coref_model.pairs import clustering  # noqa: E402
from corefmill.coref_model.pairs.clustering import SharedFeatures, nearest, scored  # noqa: E402
from corefmill.coref_model.pairs.features import Features  # noqa: E402
from corefmill.coref_model.pairs.scorer import PairScorer  # noqa: E402


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
        first, second = nearest(g, 3)
        assert list(zip(first.tolist(), second.tolist(), strict=True)) == sorted(wanted)


@pytest.mark.parametrize("shares", [False, True])
def test_with_all_neighbours_the_sparse_clusters_are_the_dense_ones(shares: bool) -> None:
    torch.manual_seed(3)
    alike = Features(torch.randint(3, (40, 1)), torch.empty(40, 0), (), (torch.randn(40, 2),))
    shared = SharedFeatures(alike, torch.randn(8, 2)) if shares else None
    g = torch.randn(40, 6)
    scorer = PairScorer(6, hidden=8)
    for parameter in scorer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    dense = scored(scorer, g, shared, dense=40, neighbours=1)
    sparse = scored(scorer, g, shared, dense=39, neighbours=39)
    assert dense.first is None and sparse.first is not None
    for one, other in zip(dense.pairs(), sparse.pairs(), strict=True):
        assert (one == other).all()
    np.testing.assert_allclose(dense.logits, sparse.logits, atol=1e-5)
    counts = set()
    for threshold in (0.05, 0.15, 0.3):
        labels = dense.merges().cut(threshold)
        assert labels.tolist() == sparse.merges().cut(threshold).tolist()
        counts.add(labels.max())
    assert len(counts) == 3  # the thresholds cut at different indices
