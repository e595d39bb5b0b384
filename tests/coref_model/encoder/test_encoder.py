"""The encoder: frozen, trained, with deltas, over long documents, and its cache."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from corefmill.coref_model.encoder import encoder as encoder_module
from corefmill.coref_model.encoder.encoder import (
    Encoder,
    add_deltas,
    cut_segments,
    deltas,
    encode_segments,
)
from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.encoder.packed import pack
from corefmill.corpora.files.errors import DataError, UsageError
from tests.coref_model.encoder.networks import encoder, network, sequences


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


# Deltas of LoRA.

BATCH = pack(sequences(9, 4, 9))
ARCHITECTURES = ("bert", "roberta", "distilbert", "electra")


def moved(architecture: str) -> Encoder:
    """An encoder whose deltas are no longer zero."""
    adapted = encoder(architecture)
    add_deltas(adapted, 2)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if name.endswith("lora_b"):
                parameter.fill_(0.05)
    return adapted


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_deltas_begin_as_the_identity_and_alone_have_gradients(architecture: str) -> None:
    plain, adapted = encoder(architecture), encoder(architecture)
    add_deltas(adapted, 2)
    out = adapted(BATCH)
    assert_close(out, plain(BATCH))
    out.pow(2).sum().backward()
    given = {name for name, p in adapted.named_parameters() if p.grad is not None}
    assert given == set(deltas(adapted)) == set(adapted.state_dict())
    # Query, key, value, output and two of the feed-forward part, in each of two layers.
    assert sum(name.endswith("lora_a") and ".layer." in name for name in given) == 12


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_saved_deltas_come_back(architecture: str, tmp_path: Path) -> None:
    adapted = moved(architecture)
    save_file(deltas(adapted), tmp_path / "deltas.safetensors")
    other = encoder(architecture)
    before = other(BATCH)
    add_deltas(other, 2)
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
    add_deltas(other, 2, seed=9)
    other.load_state_dict(adapted.state_dict())
    assert torch.equal(other(BATCH), adapted(BATCH))


def test_deltas_leave_the_fingerprint_of_what_was_loaded_and_change_the_current_one() -> None:
    adapted = moved("bert")
    assert adapted.fingerprint == encoder("bert").fingerprint
    assert adapted.current_fingerprint() != adapted.fingerprint


def test_the_same_seed_gives_the_same_deltas_and_leaves_the_generator_alone() -> None:
    state = torch.random.get_rng_state()
    one, two, other = (deltas(load("tiny", lora=2, seed=seed)) for seed in (4, 4, 5))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not all(torch.equal(one[name], other[name]) for name in one)


def test_deltas_over_trained_weights_or_deltas_are_refused() -> None:
    with pytest.raises(UsageError, match="one of the two"):
        load("tiny", trained=True, lora=2)
    with pytest.raises(UsageError, match="rank 2 already"):
        add_deltas(moved("bert"), 2)
    with pytest.raises(UsageError, match="rank of -1"):
        load("tiny", lora=-1)


# Documents longer than the window.

ENCODER = encoder("bert")


@st.composite
def cuttings(draw: st.DrawFn) -> tuple[int, int, int]:
    """Pieces of a document, longest segment, overlap."""
    length = draw(st.integers(1, 60))
    return draw(st.integers(1, 400)), length, draw(st.integers(0, length - 1))


@given(cuttings())
def test_every_piece_is_taken_once_where_it_has_most_context(cutting: tuple[int, int, int]) -> None:
    n, length, overlap = cutting
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


@pytest.mark.parametrize("n", [1, 20, 62])
def test_a_document_that_fits_is_one_window(n: int) -> None:
    (ids,) = sequences(n)
    whole = ENCODER(pack([ENCODER.pieces.wrap(ids)]))[1:-1]
    assert_close(encode_segments(ENCODER, ids, length=62, overlap=20), whole, rtol=0, atol=1e-5)


def test_each_piece_has_the_vector_of_its_segment() -> None:
    (ids,) = sequences(50)
    made = encode_segments(ENCODER, ids, length=20, overlap=8)
    # Segments [0, 20) [12, 32) [24, 44) [30, 50): pieces 16 to 27 are the second's.
    second = ENCODER(pack([ENCODER.pieces.wrap(ids[12:32])]))[1:-1]
    assert made.shape == (50, 32)
    assert_close(made[16:28], second[4:16], rtol=0, atol=1e-5)


def test_batches_of_segments_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (ids,) = sequences(300)
    whole = encode_segments(ENCODER, ids, length=30, overlap=10)
    monkeypatch.setattr(encoder_module, "_AT_ONCE", 60)
    assert_close(encode_segments(ENCODER, ids, length=30, overlap=10), whole, rtol=0, atol=1e-5)


def test_no_pieces_give_no_vectors() -> None:
    assert torch.equal(encode_segments(ENCODER, [], length=9, overlap=2), torch.zeros(0, 32))


@pytest.mark.parametrize(("length", "overlap"), [(63, 0), (0, 0), (10, 10), (10, -1)])
def test_segments_that_cannot_be_are_refused(length: int, overlap: int) -> None:
    with pytest.raises(UsageError, match=r"segments of|overlap of"):
        encode_segments(ENCODER, [5, 6], length=length, overlap=overlap)
