"""Masked-LM heads: the layers, the files, the one that ships."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from peft import set_peft_model_state_dict
from safetensors.torch import load_file, save_file
from torch.testing import assert_close
from transformers import BertConfig, BertForMaskedLM

from corefmill.coref_model.encoder.names import list_tiny_pieces, load, make_tiny_tokenizer
from corefmill.coref_model.encoder.pieces import pack
from corefmill.coref_model.masked import heads
from corefmill.coref_model.masked.task import Scorer, score_examples
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import DataError
from tests.coref_model.masked.passages import example
from tools.head import HeadModel, write_head

SIZE = len(list_tiny_pieces())
_BERT = {
    "vocab_size": SIZE,
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
}


def test_a_head_of_another_size_is_refused(tmp_path: Path) -> None:
    model = BertForMaskedLM(BertConfig(**_BERT))
    model.save_pretrained(tmp_path)
    make_tiny_tokenizer().save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["cls.predictions.bias"] = torch.zeros(7)
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(DataError, match=r"predictions\S*bias has the shape \[7\]"):
        heads.find_head(load(str(tmp_path)))


def written(folder: Path) -> Path:
    """A head of the tiny encoder with deltas of rank 2 that change something."""
    encoder = load("tiny", lora=2)
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if ".lora_B." in name:
                parameter.normal_()
    write_head(HeadModel(encoder, heads.make_fresh_head(encoder)), {}, folder)
    return folder


def test_deltas_count_the_same_beside_the_weights_and_in_them(tmp_path: Path) -> None:
    encoder = load("tiny")
    found = heads.find_head(encoder, str(written(tmp_path)))
    assert {len(t) for name, t in found.deltas.items() if ".lora_A." in name} == {2}
    assert manifest.sha256(tmp_path / "head.safetensors") in (tmp_path / "head.toml").read_text()
    batch = pack([encoder.pieces.wrap(encoder.pieces.cut_text("He was there.")[0])])
    before = encoder(batch)
    heads.merge_deltas(encoder, found.deltas)
    beside = load("tiny", lora=2)
    set_peft_model_state_dict(beside.adapter, dict(found.deltas))
    assert_close(encoder(batch), beside(batch).detach(), rtol=0, atol=1e-5)
    assert not torch.allclose(encoder(batch), before, atol=1e-3)


def test_a_head_of_another_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="trained with the encoder tiny; this is another, tiny"):
        heads.find_head(load("tiny", seed=5), str(written(tmp_path)))


def test_a_head_with_a_part_missing_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path) / "head.safetensors"
    layer = "base_model.model.encoder.layer.0.output.dense"
    whole = load_file(path)
    for name, message in (
        ("head.norm.bias", "the file lacks norm.bias"),
        (f"{layer}.lora_A.weight", "lora_B.weight fits no weight"),
    ):
        save_file({key: tensor for key, tensor in whole.items() if key != name}, path)
        with pytest.raises(DataError, match=message):
            heads.find_head(load("tiny"), str(path.parent))
    path.write_bytes(b"not tensors")
    with pytest.raises(DataError, match="cannot be read as safetensors"):
        heads.find_head(load("tiny"), str(path.parent))


def test_without_any_head_there_is_a_fresh_one() -> None:
    assert heads.find_head(load("tiny")).source == "fresh"


def test_by_the_head_that_ships_a_word_that_suits_is_likelier() -> None:
    encoder = load("minilm")
    found = heads.find_head(encoder)
    assert found.source == "masked-LM head of minilm"
    assert {len(t) for name, t in found.deltas.items() if ".lora_A." in name} == {16}
    heads.merge_deltas(encoder, found.deltas)
    asked = [
        example("He opened the door and went in.", "door", "door", "war"),
        example("The king and the queen had a son.", "queen", "queen", "table"),
        example("She put on her hat and left.", "her", "her", "his"),
        example("He was born in 1890 in Paris.", "born", "born", "fire"),
    ]
    settings: Any = SimpleNamespace(length=64, batch_pieces=8192)
    scorer = Scorer(encoder, found.head).eval()
    assert [answer.choice for answer in score_examples(scorer, settings, asked)] == [0] * 4
