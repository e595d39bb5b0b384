"""Packed batches give what padded ones give, whatever else is in the batch."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from corefmill.coref_model.encoder import attention
from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.encoder.packed import pack
from corefmill.corpora.errors import DataError
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
    layout = attention.laid_out(lengths, torch.device("cpu"))

    def run(call: object) -> list[Tensor]:
        assert callable(call)
        out = call(*parts, layout, 4, 0.0)
        return [out, *torch.autograd.grad(out.pow(2).sum(), parts)]

    for one, other in zip(run(attention.in_one), run(attention.by_length), strict=True):
        assert_close(one, other, **CLOSE)


def test_frozen_has_neither_gradient_nor_dropout() -> None:
    packs = encoder("bert")
    batch = pack(sequences(9, 4))
    packs.train()
    assert not any(parameter.requires_grad for parameter in packs.parameters())
    assert not packs(batch).requires_grad
    assert torch.equal(packs(batch), packs(batch))


def test_a_layer_over_a_frozen_encoder_can_be_trained() -> None:
    packs = encoder("bert")
    head = torch.nn.Linear(packs.width, 1)
    head(packs(pack(sequences(9, 4)))).sum().backward()
    assert head.weight.grad is not None


def test_trained_has_dropout_in_training_alone() -> None:
    packs = encoder("bert", trained=True)
    batch = pack(sequences(9, 4))
    assert torch.equal(packs(batch), packs(batch))
    packs.train()
    assert not torch.equal(packs(batch), packs(batch))


@pytest.mark.parametrize("architecture", ["bert", "distilbert", "electra"])
def test_checkpointing_gives_the_same_gradients_dropout_included(architecture: str) -> None:
    batch = pack(sequences(*LENGTHS))
    gradients = []
    for checkpointing in (False, True):
        packs = encoder(architecture, trained=True, checkpointing=checkpointing).train()
        torch.manual_seed(3)
        packs(batch).pow(2).sum().backward()
        gradients.append({n: p.grad for n, p in packs.named_parameters() if p.grad is not None})
    assert gradients[0].keys() == gradients[1].keys()
    for name, gradient in gradients[0].items():
        assert_close(gradients[1][name], gradient, msg=name)


def test_a_sequence_beyond_the_window_is_refused() -> None:
    packs = encoder("roberta")
    assert packs.window == 64
    assert packs(pack(sequences(64))).shape == (64, 32)
    with pytest.raises(DataError, match="65 pieces; roberta reads 64"):
        packs(pack(sequences(3, 65)))


def test_an_empty_batch_gives_no_vectors_and_an_empty_sequence_is_refused() -> None:
    assert encoder("bert")(pack([])).shape == (0, 32)
    with pytest.raises(ValueError, match="sequence 1"):
        pack([[1], []])


def test_packed_tells_where_sequences_begin() -> None:
    batch = pack([[1, 2], [3], [4, 5, 6]])
    assert batch.ids.tolist() == [1, 2, 3, 4, 5, 6]
    assert batch.starts.tolist() == [0, 2, 3, 6]
    assert [batch.ids[a:b].tolist() for a, b in pairwise(batch.starts)] == [[1, 2], [3], [4, 5, 6]]


def test_the_state_holds_what_is_trained_and_loads_over_the_rest() -> None:
    def headed(trained: bool) -> torch.nn.ModuleDict:
        return torch.nn.ModuleDict(
            {"encoder": encoder("bert", trained=trained), "head": torch.nn.Linear(32, 2)}
        )

    frozen = headed(False)
    assert set(frozen.state_dict()) == {"head.weight", "head.bias"}
    headed(False).load_state_dict(frozen.state_dict())
    trained = headed(True)
    assert len(trained.state_dict()) > 30
    with pytest.raises(RuntimeError, match="Missing key"):
        headed(True).load_state_dict(frozen.state_dict())


def test_the_fingerprint_changes_with_any_weight() -> None:
    packs = encoder("distilbert")
    seen = {packs.fingerprint}
    assert packs.current_fingerprint() == packs.fingerprint
    parameters = list(packs.network.parameters())
    with torch.no_grad():
        for parameter in parameters:
            parameter.view(-1)[-1] += 1
            seen.add(packs.current_fingerprint())
    assert len(seen) == len(parameters) + 1


def test_the_fingerprint_changes_with_the_architecture(tmp_path: Path) -> None:
    plain, other = encoder("bert"), network("bert")
    other.config.hidden_act = "relu"
    assert Encoder("other", other, plain.pieces).fingerprint != plain.fingerprint
