"""Deltas begin as nothing, are all that is trained, and come back as they were saved."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from corefmill.coref_model.encoder import lora
from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.encoder.packed import pack
from corefmill.corpora.errors import UsageError
from tests.coref_model.encoder.networks import encoder, sequences

BATCH = pack(sequences(9, 4, 9))
ARCHITECTURES = ("bert", "roberta", "distilbert", "electra")


def moved(architecture: str) -> Encoder:
    """An encoder whose deltas are no longer zero."""
    adapted = encoder(architecture)
    lora.adapt(adapted, 2)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if name.endswith("lora_b"):
                parameter.fill_(0.05)
    return adapted


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_deltas_begin_as_the_identity_and_alone_have_gradients(architecture: str) -> None:
    plain, adapted = encoder(architecture), encoder(architecture)
    lora.adapt(adapted, 2)
    out = adapted(BATCH)
    assert_close(out, plain(BATCH))
    out.pow(2).sum().backward()
    given = {name for name, p in adapted.named_parameters() if p.grad is not None}
    assert given == set(lora.deltas(adapted)) == set(adapted.state_dict())
    # Query, key, value, output and two of the feed-forward part, in each of two layers.
    assert sum(name.endswith("lora_a") and ".layer." in name for name in given) == 12


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_saved_deltas_come_back(architecture: str, tmp_path: Path) -> None:
    adapted = moved(architecture)
    save_file(lora.deltas(adapted), tmp_path / "deltas.safetensors")
    other = encoder(architecture)
    before = other(BATCH)
    lora.adapt(other, 2)
    other.load_state_dict(load_file(tmp_path / "deltas.safetensors"))
    assert torch.equal(other(BATCH), adapted(BATCH))
    assert not torch.allclose(other(BATCH), before, atol=1e-3)


def test_a_delta_is_b_times_a() -> None:
    adapted, merged = moved("bert"), encoder("bert")
    named = dict(adapted.named_parameters())
    with torch.no_grad():
        for name, parameter in merged.named_parameters():
            if (stem := name.removesuffix("weight")) + "lora_a" in named:
                parameter += named[stem + "lora_b"] @ named[stem + "lora_a"]
    assert_close(adapted(BATCH), merged(BATCH), rtol=0.0, atol=1e-5)


def test_the_state_of_an_adapted_encoder_is_its_deltas_and_loads() -> None:
    adapted, other = moved("bert"), encoder("bert")
    lora.adapt(other, 2, seed=9)
    other.load_state_dict(adapted.state_dict())
    assert torch.equal(other(BATCH), adapted(BATCH))


def test_deltas_leave_the_fingerprint_of_what_was_loaded_and_change_the_current_one() -> None:
    adapted = moved("bert")
    assert adapted.fingerprint == encoder("bert").fingerprint
    assert adapted.current_fingerprint() != adapted.fingerprint


def test_the_same_seed_gives_the_same_deltas_and_leaves_the_generator_alone() -> None:
    state = torch.random.get_rng_state()
    one, two, other = (lora.deltas(load("tiny", lora=2, seed=seed)) for seed in (4, 4, 5))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not all(torch.equal(one[name], other[name]) for name in one)


def test_deltas_over_trained_weights_or_deltas_are_refused() -> None:
    with pytest.raises(UsageError, match="one of the two"):
        load("tiny", trained=True, lora=2)
    with pytest.raises(UsageError, match="rank 2 already"):
        lora.adapt(moved("bert"), 2)
    with pytest.raises(UsageError, match="rank of -1"):
        load("tiny", lora=-1)
