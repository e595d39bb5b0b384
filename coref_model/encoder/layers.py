"""The layers of BERT, RoBERTa and DistilBERT on packed pieces, by the weights of Hugging Face."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from corefmill.coref_model.encoder.attention import Layout, attend
from corefmill.coref_model.encoder.dropping import dropped

_BERT = ("bert", "roberta", "xlm-roberta", "camembert")


@dataclass(frozen=True, slots=True)
class Layer:
    """The parts of one layer, whatever its architecture calls them."""

    query: nn.Module
    key: nn.Module
    value: nn.Module
    out: nn.Module
    attention_norm: nn.Module
    up: nn.Module
    activation: Callable[[Tensor], Tensor]
    down: nn.Module
    output_norm: nn.Module
    heads: int
    attention_dropout: float  # of attention's weights
    out_dropout: float  # of what attention gives
    down_dropout: float  # of what the feed-forward part gives

    def __call__(self, pieces: Tensor, layout: Layout, training: bool) -> Tensor:
        """[n, w] -> [n, w]."""
        mixed = attend(
            self.query(pieces),
            self.key(pieces),
            self.value(pieces),
            layout,
            self.heads,
            self.attention_dropout if training else 0.0,
        )  # [n, w]
        mixed = dropped(self.out(mixed), self.out_dropout, training)
        pieces = self.attention_norm(mixed + pieces)
        wide = self.activation(self.up(pieces))  # [n, feed-forward width]
        narrow = dropped(self.down(wide), self.down_dropout, training)  # [n, w]
        done: Tensor = self.output_norm(narrow + pieces)
        return done


def known(config: Any) -> bool:
    """Whether these layers are those of `config`; other networks run on padded batches."""
    absolute = getattr(config, "position_embedding_type", "absolute") in ("absolute", None)
    return (
        config.model_type in (*_BERT, "distilbert")
        and absolute
        and not getattr(config, "is_decoder", False)
    )


def first_position(config: Any) -> int:
    """The row of the position embeddings for the first piece of a sequence."""
    return 0 if config.model_type in ("bert", "distilbert") else int(config.pad_token_id) + 1


def embedded(network: Any, ids: Tensor, positions: Tensor, training: bool) -> Tensor:
    """Pieces [n] at `positions` [n] of their sequences, embedded: [n, w]."""
    parts = network.embeddings
    rows = parts.word_embeddings(ids)  # [n, w]
    if hasattr(parts, "token_type_embeddings"):
        rows = rows + parts.token_type_embeddings.weight[0]
    rows = rows + parts.position_embeddings(positions)
    return dropped(parts.LayerNorm(rows), parts.dropout.p, training)


def layers(network: Any) -> Iterator[Layer]:
    """The layers of `network`, lowest first."""
    if network.config.model_type == "distilbert":
        return map(_distilbert, network.transformer.layer)
    return map(_bert, network.encoder.layer)


def _bert(layer: Any) -> Layer:
    inner, outer = layer.attention.self, layer.attention.output
    return Layer(
        query=inner.query,
        key=inner.key,
        value=inner.value,
        out=outer.dense,
        attention_norm=outer.LayerNorm,
        up=layer.intermediate.dense,
        activation=layer.intermediate.intermediate_act_fn,
        down=layer.output.dense,
        output_norm=layer.output.LayerNorm,
        heads=inner.num_attention_heads,
        attention_dropout=inner.dropout.p,
        out_dropout=outer.dropout.p,
        down_dropout=layer.output.dropout.p,
    )


def _distilbert(layer: Any) -> Layer:
    inner, ffn = layer.attention, layer.ffn
    return Layer(
        query=inner.q_lin,
        key=inner.k_lin,
        value=inner.v_lin,
        out=inner.out_lin,
        attention_norm=layer.sa_layer_norm,
        up=ffn.lin1,
        activation=ffn.activation,
        down=ffn.lin2,
        output_norm=layer.output_layer_norm,
        heads=inner.n_heads,
        attention_dropout=inner.dropout.p,
        out_dropout=0.0,
        down_dropout=ffn.dropout.p,
    )


def positions(offsets: Tensor, n: int) -> Tensor:
    """Place of each of the `n` pieces in its own sequence: [n] int64, from `offsets` [b + 1]."""
    lengths = offsets.diff()
    return torch.arange(n, device=offsets.device) - offsets[:-1].repeat_interleave(
        lengths, output_size=n
    )
