"""The pair scorer: factorised against the layer as published, symmetry, blocks, gradients."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402
from torch.nn import functional  # noqa: E402

from corefmill.coref_model.pairs.scorer import PairScorer, condensed  # noqa: E402


def _naive(scorer: PairScorer, g: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """[g_i; g_j; g_i * g_j] through one layer of 3 w inputs, and on."""
    right = scorer.left if scorer.right is None else scorer.right
    weight = torch.cat([scorer.left.weight, right.weight, scorer.product.weight], dim=1)
    joined = torch.cat([g[i], g[j], g[i] * g[j]], dim=-1)
    hidden = functional.linear(joined, weight, scorer.left.bias).relu()
    return scorer.last(scorer.second(hidden).relu()).squeeze(-1)  # type: ignore[no-any-return]


def _scorer(symmetric: bool, width: int = 6) -> PairScorer:
    torch.manual_seed(1)
    return PairScorer(width, hidden=5, symmetric=symmetric)


@pytest.mark.parametrize("symmetric", [False, True])
@settings(deadline=None, max_examples=25)
@given(m=st.integers(2, 23), rows=st.integers(1, 7), columns=st.integers(1, 9))
def test_factorised_is_the_layer_as_published(
    symmetric: bool, m: int, rows: int, columns: int
) -> None:
    scorer = _scorer(symmetric)
    g = torch.randn(m, 6)
    i, j = torch.tensor(list(combinations(range(m), 2))).T
    expected = _naive(scorer, g, i, j)
    torch.testing.assert_close(scorer(g, i, j), expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(scorer(g, i, j, frozen=4), expected, atol=1e-5, rtol=0)
    found = condensed(scorer, g, rows=rows, columns=columns)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_the_published_form_depends_on_the_order_and_the_symmetric_one_does_not() -> None:
    g = torch.randn(2, 6)
    one, other = torch.tensor([0]), torch.tensor([1])
    for symmetric in (False, True):
        scorer = _scorer(symmetric)
        same = torch.allclose(scorer(g, one, other), scorer(g, other, one), atol=1e-6)
        assert same is symmetric


def test_gradients_reach_every_parameter_and_are_those_of_the_published_layer() -> None:
    g = torch.randn(7, 6, dtype=torch.float64)
    i, j = torch.tensor([0, 1, 5]), torch.tensor([3, 2, 6])
    for symmetric in (False, True):
        scorer = _scorer(symmetric).double()
        grads = []
        for scores in (scorer(g, i, j), _naive(scorer, g, i, j)):
            scorer.zero_grad()
            scores.sum().backward()
            grads.append([p.grad.clone() for p in scorer.parameters() if p.grad is not None])
        assert len(grads[0]) == len(list(scorer.parameters()))
        torch.testing.assert_close(*grads)


def test_it_is_drawn_as_one_layer() -> None:
    weight = PairScorer(48).product.weight
    assert 0.9 * 144**-0.5 < weight.abs().max() <= 144**-0.5


@settings(deadline=None, max_examples=15)
@given(m=st.integers(2, 15), rows=st.integers(1, 7), columns=st.integers(1, 9))
def test_what_other_inputs_add_is_the_same_for_blocks_and_pairs(
    m: int, rows: int, columns: int
) -> None:
    scorer, g, more = _scorer(False), torch.randn(m, 6), torch.randn(m, m, 5)
    more = more + more.transpose(0, 1)  # the same in both orders
    i, j = torch.tensor(list(combinations(range(m), 2))).T
    found = condensed(scorer, g, lambda a, b: more[a, b], rows=rows, columns=columns)
    torch.testing.assert_close(found, scorer(g, i, j, more[i, j]), atol=1e-5, rtol=0)


def test_one_mention_has_no_pairs() -> None:
    assert condensed(_scorer(False), torch.randn(1, 6)).shape == (0,)
