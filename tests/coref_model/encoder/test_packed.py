"""Packed batches give what padded ones give; dropout drops its share and follows torch's seed."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from corefmill.coref_model.encoder.packed import (
    attend_by_length,
    attend_jagged,
    draw_dropout_mask,
    lay_out,
    pack,
)
from tests.coref_model.encoder.networks import CONFIGS, encoder, network, padded, sequences

LENGTHS = (7, 30, 1, 12, 30, 7, 19)
CLOSE = {"rtol": 0.0, "atol": 1e-5}


@pytest.mark.parametrize("architecture", CONFIGS)
def test_vectors_and_gradients_are_those_of_the_padded_forward(architecture: str) -> None:
    batch = sequences(*LENGTHS)
    packs, plain = encoder(architecture, trained=True), network(architecture)
    weight = torch.linspace(-1, 1, packs.width)
    pad = int(CONFIGS[architecture].pad_token_id or 0)
    found, expected = packs(pack(batch)), padded(plain, batch, pad)
    assert packs.packs == (architecture != "electra")
    assert_close(found, expected, **CLOSE)
    for vectors in (found, expected):
        (vectors * weight).pow(2).mean().backward()
    ours = dict(packs.network.named_parameters())
    reached = {n: p.grad for n, p in plain.named_parameters() if p.grad is not None}
    assert len(reached) > 30
    for name, gradient in reached.items():
        # The row of a padding piece has no gradient in an embedding, in either.
        assert_close(ours[name].grad, gradient, rtol=1e-4, atol=1e-6, msg=name)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_the_variable_length_call_equals_the_call_by_length() -> None:
    lengths = sorted(LENGTHS)
    n = sum(lengths)
    torch.manual_seed(1)
    parts = [torch.randn(n, 32, requires_grad=True) for _ in range(3)]
    layout = lay_out(lengths, torch.device("cpu"))

    def run(call: object) -> list[Tensor]:
        assert callable(call)
        out = call(*parts, layout, 4, 0.0)
        return [out, *torch.autograd.grad(out.pow(2).sum(), parts)]

    for one, other in zip(run(attend_jagged), run(attend_by_length), strict=True):
        assert_close(one, other, **CLOSE)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_share_dropped_is_the_rate_and_the_rest_makes_up_for_it(rate: float) -> None:
    torch.manual_seed(0)
    mask = draw_dropout_mask((401, 500), rate, torch.float32)
    # Five standard deviations of a share of 200,500 draws are less than 0.006.
    assert abs((mask == 0).float().mean().item() - rate) < 0.006
    assert mask.unique().tolist() == pytest.approx([0.0, 1 / (1 - rate)], rel=2e-4)
