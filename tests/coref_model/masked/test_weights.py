"""Heads on disk: the same by both ways, and refused where they do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.encoder.packed import pack
from corefmill.coref_model.masked import heads
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import DataError
from tools.head import HeadModel, write_head


def written(folder: Path) -> Path:
    """A head of the tiny encoder with deltas of rank 2 that change something."""
    encoder = load("tiny", lora=2)
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if name.endswith(".lora_b"):
                parameter.normal_()
    write_head(HeadModel(encoder, heads.fresh(encoder)), {}, folder)
    return folder


def test_deltas_count_the_same_beside_the_weights_and_in_them(tmp_path: Path) -> None:
    encoder = load("tiny")
    found = heads.find(encoder, str(written(tmp_path)))
    assert found.rank == 2
    assert manifest.sha256(tmp_path / "head.safetensors") in (tmp_path / "head.toml").read_text()
    batch = pack([encoder.pieces.wrap(encoder.pieces.text("He was there.")[0])])
    before = encoder(batch)
    heads.merge(encoder, found.deltas)
    beside = load("tiny", lora=2)
    beside.load_state_dict(dict(found.deltas))
    assert_close(encoder(batch), beside(batch).detach(), rtol=0, atol=1e-5)
    assert not torch.allclose(encoder(batch), before, atol=1e-3)


def test_a_head_of_another_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a head of the encoder tiny, not of tiny"):
        heads.find(load("tiny", seed=5), str(written(tmp_path)))


def test_a_head_with_a_part_missing_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path) / "head.safetensors"
    whole = load_file(path)
    for name, message in (
        ("head.norm.bias", "head.norm.bias is missing"),
        ("encoder.network.encoder.layer.0.output.dense.lora_a", "lora_b fits no weight"),
    ):
        save_file({key: tensor for key, tensor in whole.items() if key != name}, path)
        with pytest.raises(DataError, match=message):
            heads.find(load("tiny"), str(path.parent))
    path.write_bytes(b"not tensors")
    with pytest.raises(DataError, match="cannot be read as safetensors"):
        heads.find(load("tiny"), str(path.parent))


def test_a_folder_without_a_head_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"there is no such file \(a head is a folder"):
        heads.find(load("tiny"), str(tmp_path))


def test_without_any_head_there_is_a_fresh_one() -> None:
    assert heads.find(load("tiny")).source == "fresh"
