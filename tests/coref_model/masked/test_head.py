"""Heads: those of Hugging Face models read as they are, fresh ones that know frequencies."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close
from transformers import (
    BertConfig,
    BertForMaskedLM,
    DistilBertConfig,
    DistilBertForMaskedLM,
    RobertaConfig,
    RobertaForMaskedLM,
)

from corefmill.coref_model.encoder.names import load, tiny_tokenizer, tiny_vocabulary
from corefmill.coref_model.encoder.packed import pack
from corefmill.coref_model.masked import heads
from corefmill.coref_model.masked.heads import Head
from corefmill.corpora.files.errors import DataError

SIZE = len(tiny_vocabulary())
_BERT = {
    "vocab_size": SIZE,
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
}
MODELS = {
    "bert": lambda: BertForMaskedLM(BertConfig(**_BERT)),
    "bert untied": lambda: BertForMaskedLM(BertConfig(**_BERT, tie_word_embeddings=False)),
    "roberta": lambda: RobertaForMaskedLM(RobertaConfig(**_BERT, layer_norm_eps=1e-5)),
    "distilbert": lambda: DistilBertForMaskedLM(
        DistilBertConfig(vocab_size=SIZE, dim=32, n_layers=1, n_heads=2, hidden_dim=32)
    ),
}


@pytest.mark.parametrize("kind", MODELS)
def test_the_head_of_a_hugging_face_model_gives_its_logits(kind: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = MODELS[kind]().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    model.save_pretrained(tmp_path)
    tiny_tokenizer().save_pretrained(tmp_path)
    encoder = load(str(tmp_path))
    found = heads.find(encoder)
    assert found.source == "Hugging Face"
    assert (found.head.decoder is not None) == (kind == "bert untied")
    ids = list(range(5, 15))
    with torch.no_grad():
        expected = model(input_ids=torch.tensor([ids])).logits[0]
        vectors = encoder(pack([ids]))
        given = found.head.logits(vectors, encoder.word_embeddings)
    assert_close(given, expected, rtol=0, atol=1e-4)


def test_a_head_of_another_size_is_refused(tmp_path: Path) -> None:
    model = MODELS["bert"]()
    model.save_pretrained(tmp_path)
    tiny_tokenizer().save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["cls.predictions.bias"] = torch.zeros(7)
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(DataError, match=r"a BERT head whose bias is \[7\]"):
        heads.find(load(str(tmp_path)))


def test_a_fresh_head_begins_with_the_frequencies() -> None:
    head = Head(8, 4)
    head.fresh(torch.tensor([9, 0, 90, 1]))
    embeddings = torch.zeros(4, 8)
    chances = head.logits(torch.randn(3, 8), embeddings).softmax(-1)
    expected = torch.tensor([9.5, 0.5, 90.5, 1.5]) / 102
    assert_close(chances, expected.expand(3, 4))


def test_a_fresh_head_keeps_the_direction_of_a_vector() -> None:
    head = Head(64, 4)
    vectors = torch.randn(5, 64, generator=torch.Generator().manual_seed(0)) * 0.4
    turned = head.transform(vectors)
    assert torch.cosine_similarity(turned, vectors).min() > 0.98
