"""The encoder: frozen, trained, with an adapter, over long documents, and its cache."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from corefmill.coref_model.encoder import encoder as module
from corefmill.coref_model.encoder.encoder import Encoder, add_adapter, cut_segments, drop
from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.encoder.pieces import pack
from corefmill.corpora.files.errors import DataError
from tests.coref_model.encoder.networks import CONFIGS, encoder, network, padded, sequences


@pytest.mark.parametrize("trained", [False, True])
def test_a_trained_encoder_alone_has_a_gradient_and_dropout_in_training(trained: bool) -> None:
    packs = encoder("bert", trained=trained)
    batch = pack(sequences(9, 4))
    assert torch.equal(packs(batch), packs(batch))
    packs.train()
    assert torch.equal(packs(batch), packs(batch)) is not trained
    assert packs(batch).requires_grad is trained
    assert all(parameter.requires_grad is trained for parameter in packs.parameters())


@pytest.mark.parametrize("architecture", ["bert", "distilbert", "electra"])
def test_checkpointing_gives_the_same_gradients_dropout_included(architecture: str) -> None:
    batch = pack(sequences(7, 30, 1, 12))
    gradients = []
    for checkpointing in (False, True):
        packs = encoder(architecture, trained=True, checkpointing=checkpointing).train()
        torch.manual_seed(3)
        packs(batch).pow(2).sum().backward()
        gradients.append({n: p.grad for n, p in packs.named_parameters() if p.grad is not None})
    assert gradients[0].keys() == gradients[1].keys()
    for name, gradient in gradients[0].items():
        assert_close(gradients[1][name], gradient, msg=name)


@pytest.mark.parametrize("architecture", CONFIGS)
def test_vectors_and_gradients_are_those_of_one_padded_batch_and_of_training_without_dropout(
    architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = sequences(7, 30, 1, 12, 30, 7, 19, 60)
    packs, plain = encoder(architecture, trained=True), network(architecture)
    weight = torch.linspace(-1, 1, packs.width)
    expected = padded(plain, batch, int(CONFIGS[architecture].pad_token_id or 0))
    (expected * weight).pow(2).mean().backward()
    reached = {n: p.grad for n, p in plain.named_parameters() if p.grad is not None}
    assert len(reached) > 30
    dropped = set()

    def keep(x: Tensor, _: float) -> Tensor:
        dropped.add(x.dim())
        return x

    monkeypatch.setattr(module, "drop", keep)
    for training in (False, True):
        found = packs.train(training)(pack(batch))
        assert_close(found, expected, rtol=0.0, atol=1e-5)
        assert dropped == ({3, 4} if training else set())  # of layers and of attention
        packs.zero_grad()
        (found * weight).pow(2).mean().backward()
        ours = dict(packs.network.named_parameters())
        for name, gradient in reached.items():
            assert_close(ours[name].grad, gradient, rtol=1e-4, atol=1e-6, msg=name)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_share_dropped_is_the_rate_and_the_rest_makes_up_for_it(rate: float) -> None:
    torch.manual_seed(0)
    dropped = drop(torch.ones(401, 500), rate)
    # Five standard deviations of a share of 200,500 draws are less than 0.006.
    assert abs((dropped == 0).float().mean().item() - rate) < 0.006
    assert dropped.unique().tolist() == pytest.approx([0.0, 1 / (1 - rate)], rel=2e-4)


def test_a_sequence_beyond_the_window_is_refused() -> None:
    packs = encoder("roberta")
    assert packs.window == 64
    assert packs(pack(sequences(64))).shape == (64, 32)
    with pytest.raises(DataError, match="65 pieces; encoder roberta reads 64"):
        packs(pack(sequences(3, 65)))


def test_the_fingerprint_changes_with_any_weight() -> None:
    packs = encoder("distilbert")
    seen = {packs.fingerprint}
    assert packs.compute_fingerprint() == packs.fingerprint
    parameters = list(packs.network.parameters())
    with torch.no_grad():
        for parameter in parameters:
            parameter.view(-1)[-1] += 1
            seen.add(packs.compute_fingerprint())
    assert len(seen) == len(parameters) + 1


# Adapters of peft.

BATCH = pack(sequences(9, 4, 9))
ARCHITECTURES = ["bert", "roberta", "distilbert", "electra"]
DORA = {"peft_type": "LORA", "r": 2, "use_dora": True, "target_modules": ["query", "dense"]}
IA3 = {"peft_type": "IA3", "target_modules": ["key"], "feedforward_modules": []}
LORA = {"peft_type": "LORA", "r": 2, "target_modules": "all-linear"}
SAVED = {"inference_mode": True, "auto_mapping": {"parent_library": "os"}, "revision": "a/b"}


def learnt(encoder: Encoder) -> dict[str, Tensor]:
    return {name: p for name, p in encoder.named_parameters() if p.requires_grad}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_lora_begins_as_the_identity_and_alone_has_gradients(architecture: str) -> None:
    plain, adapted = encoder(architecture), encoder(architecture)
    add_adapter(adapted, LORA)
    out = adapted(BATCH)
    assert_close(out, plain(BATCH))
    out.pow(2).sum().backward()
    given = {name for name, p in adapted.named_parameters() if p.grad is not None}
    assert given == set(learnt(adapted))
    # Query, key, value, output and two of the feed-forward part, in each of two layers.
    assert sum(".lora_A." in name and ".layer." in name for name in given) == 12


@pytest.mark.parametrize("config", [LORA | SAVED, DORA, IA3], ids=str)
def test_the_same_seed_gives_the_same_adapter_and_leaves_the_generator_alone(
    config: dict[str, Any], tmp_path: Path
) -> None:
    state = torch.random.get_rng_state()
    path = tmp_path / "adapter_config.json"
    path.write_text(json.dumps(config))
    one, two = (learnt(load("tiny", adapter=path, seed=4)) for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert one and all(torch.equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "peft_type: no adapter None"),
        ({"peft_type": "PREFIX_TUNING", "num_virtual_tokens": 4}, "no adapter 'PREFIX_TUNING'"),
        ({"peft_type": "ADALORA", "total_step": 9}, "no adapter 'ADALORA'"),
        (LORA | {"rank": 3}, "rank: Extra inputs are not permitted"),
        (LORA | {"r": "3"}, "r: Input should be a valid integer"),
        (LORA | {"r": 10**9}, "r: neither a number up to 4,096, nor names"),
        (LORA | {"megatron_config": {"a": 1}}, "megatron_config: neither"),
        (LORA | {"target_modules": "(a+)+$"}, "target_modules: neither"),
        (LORA | {"target_modules": ["nothing"]}, "not found in the base model"),
        (IA3 | {"init_ia3_weights": None}, "init_ia3_weights: Input should be a valid boolean"),
    ],
)
def test_a_configuration_that_does_not_fit_is_one_line(
    config: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "adapter_config.json"
    path.write_text(json.dumps(config))
    with pytest.raises(DataError, match=re.escape(said)) as raised:
        load("tiny", adapter=path)
    assert str(path) in str(raised.value) and "\n" not in str(raised.value)


@given(st.integers(1, 400), st.integers(1, 60), st.integers(0, 59))
def test_every_piece_of_a_long_document_is_taken_once_where_it_has_most_context(
    n: int, length: int, overlap: int
) -> None:
    overlap %= length
    made = cut_segments(n, length, overlap)
    taken = [piece for _, _, first, last in made for piece in range(first, last)]
    assert taken == list(range(n))
    assert all(end - start == min(n, length) for start, end, _, _ in made)
    for (_, end, _, _), (start, _, _, _) in pairwise(made):
        assert end - start >= overlap

    def context(piece: int, start: int, end: int) -> int:
        left = n if start == 0 else piece - start
        right = n if end == n else end - 1 - piece
        return min(left, right)

    for own, (start, end, first, last) in enumerate(made):
        # Neighbours suffice: those farther off hold the piece nearer to their edge.
        near = made[max(own - 1, 0) : own + 2]
        for piece in range(first, last):
            most = max(context(piece, b, e) for b, e, _, _ in near if b <= piece < e)
            assert context(piece, start, end) == most
