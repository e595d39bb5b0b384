"""Packed batches give what padded ones give; dropout drops its share and follows torch's seed."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.encoder.packed import (
    apply_dropout,
    attend_by_length,
    attend_jagged,
    dropout_mask,
    lay_out,
    pack,
)
from tests.coref_model.encoder.networks import CONFIGS, encoder, network, padded, sequences

LENGTHS = (7, 30, 1, 12, 30, 7, 19)
CLOSE = {"rtol": 0.0, "atol": 1e-5}


def pad_of(architecture: str) -> int:
    return int(CONFIGS[architecture].pad_token_id or 0)


@pytest.mark.parametrize("architecture", CONFIGS)
def test_packed_equals_the_padded_forward_of_hugging_face(architecture: str) -> None:
    packs = encoder(architecture)
    batch = sequences(*LENGTHS)
    with torch.no_grad():
        expected = padded(network(architecture), batch, pad_of(architecture))
    assert packs.packs == (architecture != "electra")
    assert_close(packs(pack(batch)), expected, **CLOSE)


def test_minilm_packed_equals_minilm_padded() -> None:
    minilm = load("minilm")
    batch = [minilm.pieces.wrap(row) for row in sequences(5, 60, 3, 60)]
    with torch.no_grad():
        expected = padded(minilm.network, batch, minilm.pieces.pad_id)
    assert_close(minilm(pack(batch)), expected, **CLOSE)


@pytest.mark.parametrize("architecture", CONFIGS)
def test_gradients_equal_those_of_the_padded_forward(architecture: str) -> None:
    batch = sequences(*LENGTHS)
    packs, plain = encoder(architecture, trained=True), network(architecture)
    weight = torch.linspace(-1, 1, packs.width)
    (packs(pack(batch)) * weight).pow(2).mean().backward()
    (padded(plain, batch, pad_of(architecture)) * weight).pow(2).mean().backward()
    ours = dict(packs.network.named_parameters())
    reached = 0
    for name, parameter in plain.named_parameters():
        if parameter.grad is None:
            continue
        reached += 1
        # The row of a padding piece has no gradient in an embedding, in either.
        assert_close(ours[name].grad, parameter.grad, rtol=1e-4, atol=1e-6, msg=name)
    assert reached > 30


def test_a_sequence_has_the_same_vectors_alone_and_in_any_company() -> None:
    packs = encoder("bert")
    batch = sequences(*LENGTHS)
    whole = packs(pack(batch)).split([len(row) for row in batch])
    turned = packs(pack(batch[::-1])).split([len(row) for row in batch[::-1]])
    for row, together, backwards in zip(batch, whole, turned[::-1], strict=True):
        alone = packs(pack([row]))
        assert_close(together, alone, **CLOSE)
        assert_close(backwards, alone, **CLOSE)


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


def test_packed_tells_where_sequences_begin() -> None:
    batch = pack([[1, 2], [3], [4, 5, 6]])
    assert batch.ids.tolist() == [1, 2, 3, 4, 5, 6]
    assert batch.starts.tolist() == [0, 2, 3, 6]
    assert [batch.ids[a:b].tolist() for a, b in pairwise(batch.starts)] == [[1, 2], [3], [4, 5, 6]]


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
    out = apply_dropout(rows, 0.4, True)
    out.sum().backward()
    assert rows.grad is not None
    assert torch.equal(rows.grad, out.detach())


def test_outside_training_and_at_rate_zero_nothing_changes_and_at_one_nothing_stays() -> None:
    rows = torch.randn(3, 4)
    assert apply_dropout(rows, 0.4, False) is rows
    assert apply_dropout(rows, 0.0, True) is rows
    assert not apply_dropout(rows, 1.0, True).any()


def test_attention_with_dropout_has_the_mean_of_attention_without() -> None:
    torch.manual_seed(0)
    layout = lay_out([3, 5, 5], torch.device("cpu"))
    parts = [torch.randn(13, 8) for _ in range(3)]
    exact = attend_by_length(*parts, layout, 2, 0.0)
    draws = torch.stack([attend_by_length(*parts, layout, 2, 0.2) for _ in range(2000)])
    assert (draws[0] - exact).abs().max() > 0.01
    # The mean of 2,000 draws lies within five of its standard deviations.
    slack = 5 * draws.std(0) / 2000**0.5 + 1e-6
    assert ((draws.mean(0) - exact).abs() <= slack).all()
