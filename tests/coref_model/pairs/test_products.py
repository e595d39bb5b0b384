"""Products of vectors with frozen columns: values and gradients as autograd has them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402
from torch.nn import functional  # noqa: E402

from corefmill.coref_model.pairs.scorer import linear_product, pair_product  # noqa: E402

FIRST, SECOND = torch.tensor([0, 1, 1, 4]), torch.tensor([1, 2, 4, 1])


def _both(frozen: int) -> tuple[Tensor, Tensor]:
    torch.manual_seed(0)
    g = torch.randn(5, 6, dtype=torch.float64, requires_grad=True)
    return g, torch.randn(3, 6, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("frozen", [1, 4])
def test_values_and_gradients_are_those_of_autograd_but_for_the_frozen_columns(frozen: int) -> None:
    found, expected = [], []
    for rows in (found, expected):
        g, weight = _both(frozen)
        if rows is found:
            out = pair_product(g, FIRST, SECOND, weight, frozen)
            side = linear_product(g, weight, frozen)
        else:
            out = functional.linear(g[FIRST] * g[SECOND], weight)
            side = functional.linear(g, weight)
        (out.square().sum() + side.square().sum()).backward()
        assert g.grad is not None and weight.grad is not None
        rows += [out.detach(), side.detach(), g.grad[:, frozen:], weight.grad]
        if rows is found:
            assert not g.grad[:, :frozen].any()
    torch.testing.assert_close(found, expected)
