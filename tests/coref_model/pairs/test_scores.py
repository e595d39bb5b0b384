"""Scores of clusters as fractions, and the threshold that is found."""

from __future__ import annotations

import numpy as np
import pytest

from corefmill.coref_model.pairs.clustering import tree
from corefmill.coref_model.pairs.task import best_threshold, clustered


def test_singletons_count() -> None:
    # key {a b} {c} {d}, response {a b} {c d}
    found = clustered(np.array([0, 0, 1, 2]), np.array([0, 0, 1, 1]))
    muc = 2 * (1 / 1) * (1 / 2) / (1 / 1 + 1 / 2)
    b3 = 2 * (4 / 4) * (3 / 4) / (4 / 4 + 3 / 4)
    similarity = 1 + 2 / 3  # {a b} with itself, {c} or {d} with {c d}
    ceafe = 2 * (similarity / 3) * (similarity / 2) / (similarity / 3 + similarity / 2)
    assert found == pytest.approx(
        {"muc": muc, "bcub": b3, "ceafe": ceafe, "conll": (muc + b3 + ceafe) / 3}
    )


def test_the_threshold_is_the_lowest_of_the_best_in_hundredths() -> None:
    # a-b at 0.33, c-d at 0.62, the two pairs at 0.9; the key has a-b and c-d
    merges = tree(np.array([0.33, 0.9, 0.9, 0.9, 0.9, 0.62]))
    threshold, (found,) = best_threshold([(merges.cut, np.array([0, 0, 1, 1]))])
    assert threshold == 0.63
    assert found["conll"] == 1


def test_of_several_splits_the_mean_decides() -> None:
    one = tree(np.array([0.2])).cut, np.array([0, 0])
    other = tree(np.array([0.6])).cut, np.array([0, 1])
    threshold, found = best_threshold([one, other, other])
    assert threshold == 0.21
    # With no links on either side MUC is 0, so two right singletons have 2/3.
    assert [own["conll"] for own in found] == pytest.approx([1, 2 / 3, 2 / 3])
