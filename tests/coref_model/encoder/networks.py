"""Random networks of some architectures, and batches for them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import (
    AutoModel,
    BertConfig,
    DistilBertConfig,
    ElectraConfig,
    RobertaConfig,
    XLMRobertaConfig,
)

from corefmill.coref_model.encoder import Encoder, Pieces
from corefmill.coref_model.encoder.names import list_tiny_pieces, make_tiny_tokenizer

_PLAIN = {
    "vocab_size": len(list_tiny_pieces()),
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
CONFIGS = {
    "bert": BertConfig(**_PLAIN, max_position_embeddings=64, hidden_act="gelu_new"),
    "roberta": RobertaConfig(**_PLAIN, max_position_embeddings=66),
    "xlm-roberta": XLMRobertaConfig(**_PLAIN, max_position_embeddings=66),
    "distilbert": DistilBertConfig(  # the same by other names
        **{DistilBertConfig.attribute_map.get(key, key): size for key, size in _PLAIN.items()},
        hidden_dim=64,
        max_position_embeddings=64,
    ),
    "electra": ElectraConfig(**_PLAIN, embedding_size=16, max_position_embeddings=64),
}


def network(architecture: str) -> Any:
    """A random Hugging Face network of `architecture`, weights large enough to tell."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(5)
        made = AutoModel.from_config(CONFIGS[architecture])
        for parameter in made.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
    return made.eval()


def encoder(architecture: str, **options: Any) -> Encoder:
    """That network as an encoder."""
    return Encoder(architecture, network(architecture), Pieces(make_tiny_tokenizer()), **options)


def sequences(*lengths: int) -> list[list[int]]:
    """Sequences of these lengths, of pieces drawn at random (none of them padding)."""
    draw = torch.Generator().manual_seed(sum(lengths))
    return [torch.randint(5, 90, (length,), generator=draw).tolist() for length in lengths]


def padded(network: Any, batch: list[list[int]], pad: int) -> Tensor:
    """What Hugging Face's own forward gives for the pieces of `batch`, padded: [n, w]."""
    longest = max(map(len, batch))
    ids = torch.tensor([row + [pad] * (longest - len(row)) for row in batch])
    real = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in batch])
    vectors: Tensor = network(input_ids=ids, attention_mask=real).last_hidden_state
    return vectors[real.bool()]
