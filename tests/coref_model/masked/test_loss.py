"""Loss (1) against a float64 reference, and its gradients against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from corefmill.coref_model.masked.task import Margin, margin_loss

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
    pairs: list[tuple[float, float]], margin: Margin, alpha_beta: tuple[float, float]
) -> None:
    alpha, beta = alpha_beta
    right, wrong = np.array(pairs, np.float64).T
    given_ = margin_loss(
        torch.tensor(right), torch.tensor(wrong), alpha=alpha, beta=beta, margin=margin
    )
    np.testing.assert_allclose(given_, reference(right, wrong, alpha, beta, margin), atol=1e-12)


@pytest.mark.parametrize("margin", ["example", "batch"])
def test_gradients_equal_finite_differences(margin: Margin) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(-5, 1, (2, 7))  # no pair stands at the corner of the margin
    tensors = [torch.tensor(row, requires_grad=True) for row in values]
    margin_loss(*tensors, alpha=10, beta=0.2, margin=margin).sum().backward()
    step = 1e-6
    for side in (0, 1):
        for at in range(7):
            moved = [values.copy(), values.copy()]
            moved[0][side, at] += step
            moved[1][side, at] -= step
            up, down = (reference(*one, 10, 0.2, margin).sum() for one in moved)
            gradient = tensors[side].grad
            assert gradient is not None
            assert float(gradient[at]) == pytest.approx((up - down) / (2 * step), abs=1e-6)


def test_a_margin_that_is_kept_costs_nothing() -> None:
    # log P(a) = -1, log P(b) = -1.5: b is .5 below a, more than beta.
    loss = margin_loss(torch.tensor([-1.0]), torch.tensor([-1.5]), alpha=10, beta=0.4)
    assert loss.item() == 1.0


def test_a_pair_apart_does_not_depend_on_the_batch() -> None:
    right, wrong = torch.tensor([-1.0, -2.0]), torch.tensor([-1.1, -9.0])
    together = margin_loss(right, wrong, alpha=5, beta=0.2)
    alone = margin_loss(right[:1], wrong[:1], alpha=5, beta=0.2)
    assert together[0] == alone[0]
    batch = margin_loss(right, wrong, alpha=5, beta=0.2, margin="batch")
    assert batch[0] != alone[0]


def test_scores_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="scores of pairs"):
        margin_loss(torch.zeros(2), torch.zeros(3), alpha=1, beta=1)
