"""Span vectors and the score of two mentions, against plain formulas."""

from __future__ import annotations

from itertools import combinations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from corefmill.coref_model.pairs.scorer import PairScorer


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
@given(m=st.integers(2, 23))
def test_factorised_is_the_layer_as_published(symmetric: bool, m: int) -> None:
    scorer = _scorer(symmetric)
    g = torch.randn(m, 6)
    i, j = torch.tensor(list(combinations(range(m), 2))).T
    expected = _naive(scorer, g, i, j)
    torch.testing.assert_close(scorer(g, i, j), expected, atol=1e-5, rtol=0)
    found = scorer.score(scorer.project(g, frozen=4), i, j)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


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


@pytest.mark.parametrize("frozen", [1, 4])
def test_values_and_gradients_are_those_of_autograd_but_for_the_frozen_columns(frozen: int) -> None:
    first, second = torch.tensor([0, 1, 1, 4]), torch.tensor([1, 2, 4, 1])
    scorer = _scorer(False).double()
    rows = []
    for columns in (frozen, 0):
        scorer.zero_grad()
        torch.manual_seed(0)
        g = torch.randn(5, 6, dtype=torch.float64, requires_grad=True)
        out = scorer.score(scorer.project(g, columns), first, second)
        out.square().sum().backward()
        assert g.grad is not None
        assert bool(g.grad[:, :frozen].any()) is (columns == 0)
        own = [p.grad.clone() for p in scorer.parameters() if p.grad is not None]
        rows.append([out.detach(), g.grad[:, frozen:], *own])
    assert len(rows[0]) == 2 + len(list(scorer.parameters()))
    torch.testing.assert_close(*rows)
