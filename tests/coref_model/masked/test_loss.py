"""Loss (1) against a float64 reference, and its gradients against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from corefmill.coref_model.masked.task import margin_loss

Array = NDArray[np.float64]


def reference(right: Array, wrong: Array, alpha: float, beta: float, margin: str) -> Array:
    """Section 4.3 (example) and the published code (batch), read off letter by letter."""
    losses = []
    for i in range(len(right)):
        loss_a = -right[i]
        loss_b = -wrong[i] if margin == "example" else np.mean([-x for x in wrong])
        losses.append(loss_a + alpha * max(0.0, beta + loss_a - loss_b))
    return np.array(losses)


scores = st.lists(
    st.tuples(st.floats(-30, 0, width=32), st.floats(-30, 0, width=32)), min_size=1, max_size=6
)


@settings(max_examples=50, deadline=None)
@given(scores, st.sampled_from(["example", "batch"]), st.sampled_from([(10.0, 0.2), (0.0, 0.4)]))
def test_equals_the_reference(
    pairs: list[tuple[float, float]], margin: Any, alpha_beta: tuple[float, float]
) -> None:
    alpha, beta = alpha_beta
    right, wrong = np.array(pairs, np.float64).T
    given_ = margin_loss(
        torch.tensor(right), torch.tensor(wrong), alpha=alpha, beta=beta, margin=margin
    )
    np.testing.assert_allclose(given_, reference(right, wrong, alpha, beta, margin), atol=1e-12)


def test_a_pair_apart_does_not_depend_on_the_batch() -> None:
    right, wrong = torch.tensor([-1.0, -2.0]), torch.tensor([-1.1, -9.0])
    together = margin_loss(right, wrong, alpha=5, beta=0.2)
    alone = margin_loss(right[:1], wrong[:1], alpha=5, beta=0.2)
    assert together[0] == alone[0]
    batch = margin_loss(right, wrong, alpha=5, beta=0.2, margin="batch")
    assert batch[0] != alone[0]
