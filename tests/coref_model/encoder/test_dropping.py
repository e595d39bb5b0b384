"""Dropout drops the share it says, keeps the mean, and follows torch's seed."""

from __future__ import annotations

import pytest
import torch

from corefmill.coref_model.encoder import attention
from corefmill.coref_model.encoder.dropping import dropout_mask, dropped


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_share_dropped_is_the_rate_and_the_rest_makes_up_for_it(rate: float) -> None:
    torch.manual_seed(0)
    mask = dropout_mask((401, 500), rate, torch.float32)
    # Five standard deviations of a share of 200,500 draws are less than 0.006.
    assert abs((mask == 0).float().mean().item() - rate) < 0.006
    assert mask.unique().tolist() == pytest.approx([0.0, 1 / (1 - rate)], rel=2e-4)


def test_neighbouring_places_are_dropped_independently() -> None:
    torch.manual_seed(0)
    gone = dropout_mask((200_000,), 0.5, torch.float32) == 0
    for distance in (1, 2, 3, 4, 8):
        both = (gone[:-distance] & gone[distance:]).float().mean().item()
        assert abs(both - 0.25) < 0.006


def test_the_seed_decides() -> None:
    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return dropout_mask((7, 9), 0.3, torch.float32)

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))


def test_gradients_pass_where_numbers_did() -> None:
    rows = torch.ones(50, 4, requires_grad=True)
    out = dropped(rows, 0.4, True)
    out.sum().backward()
    assert rows.grad is not None
    assert torch.equal(rows.grad, out.detach())


def test_outside_training_and_at_rate_zero_nothing_changes_and_at_one_nothing_stays() -> None:
    rows = torch.randn(3, 4)
    assert dropped(rows, 0.4, False) is rows
    assert dropped(rows, 0.0, True) is rows
    assert not dropped(rows, 1.0, True).any()


def test_attention_with_dropout_has_the_mean_of_attention_without() -> None:
    torch.manual_seed(0)
    layout = attention.laid_out([3, 5, 5], torch.device("cpu"))
    parts = [torch.randn(13, 8) for _ in range(3)]
    exact = attention.by_length(*parts, layout, 2, 0.0)
    draws = torch.stack([attention.by_length(*parts, layout, 2, 0.2) for _ in range(2000)])
    assert (draws[0] - exact).abs().max() > 0.01
    # The mean of 2,000 draws lies within five of its standard deviations.
    slack = 5 * draws.std(0) / 2000**0.5 + 1e-6
    assert ((draws.mean(0) - exact).abs() <= slack).all()
