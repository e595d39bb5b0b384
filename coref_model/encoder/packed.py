"""Batches without padding, and the layers of BERT, RoBERTa and DistilBERT over them.

The sequences of a batch follow each other, [n] pieces in all, and every layer except attention
works on each piece alone. transformers (5.23) pads these encoders' batches: it packs sequences for
decoders only, with causal masks.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby
from operator import attrgetter
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import scaled_dot_product_attention

# Only the jagged layout of nested tensors is used, which PyTorch maintains.
warnings.filterwarnings("ignore", message="The PyTorch API of nested tensors", category=UserWarning)

_BERT_KINDS = ("bert", "roberta", "xlm-roberta", "camembert")

# The attributes of these networks that are the parts of a `Layer`.
_BERT = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "activation": "intermediate.intermediate_act_fn",
    "down": "output.dense",
    "output_norm": "output.LayerNorm",
    "heads": "attention.self.num_attention_heads",
    "attention_dropout": "attention.self.dropout.p",
    "out_dropout": "attention.output.dropout.p",
    "down_dropout": "output.dropout.p",
}
_DISTILBERT = {
    "query": "attention.q_lin",
    "key": "attention.k_lin",
    "value": "attention.v_lin",
    "out": "attention.out_lin",
    "attention_norm": "sa_layer_norm",
    "up": "ffn.lin1",
    "activation": "ffn.activation",
    "down": "ffn.lin2",
    "output_norm": "output_layer_norm",
    "heads": "attention.n_heads",
    "attention_dropout": "attention.dropout.p",
    "down_dropout": "ffn.dropout.p",
}

T = TypeVar("T")

# Dropout compares a number of 16 bits: its rate is exact to 1 / 65536.
_STEPS = 1 << 16


@dataclass(frozen=True, slots=True)
class Packed:
    """Piece ids of b sequences, n in all, the specials included."""

    ids: Tensor  # [n] int64
    starts: Tensor  # [b + 1] int64, where each sequence begins in ids; starts[b] == n; on the CPU

    def to(self, device: torch.device | str) -> Packed:
        """Move the ids to `device`."""
        return Packed(self.ids.to(device, non_blocking=True), self.starts)

    def lengths(self) -> list[int]:
        """Count the pieces of each sequence: b numbers."""
        return self.starts.diff().tolist()


def pack(sequences: Sequence[Sequence[int]]) -> Packed:
    """Make one batch of `sequences` of piece ids; ValueError for an empty one."""
    lengths = [len(sequence) for sequence in sequences]
    if 0 in lengths:
        raise ValueError(f"sequence {lengths.index(0)} of the batch has no pieces")
    ids = torch.tensor(list(chain.from_iterable(sequences)), dtype=torch.int64)
    return Packed(ids, torch.tensor(list(accumulate(lengths, initial=0)), dtype=torch.int64))


def batch_by_size(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Batch items in order, up to `most` pieces by `size`; a larger item is a batch of its own."""
    held: list[T] = []
    total = 0
    for one in items:
        more = size(one)
        if held and total + more > most:
            yield held
            held, total = [], 0
        held.append(one)
        total += more
    if held:
        yield held


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of the sequences of a packed batch, equal lengths side by side."""

    runs: tuple[tuple[int, int], ...]  # (sequences, pieces of each) of every length, in order
    offsets: Tensor  # [b + 1] int64, starts of the sequences, on the device of the pieces
    longest: int  # pieces


def lay_out(lengths: Sequence[int], device: torch.device) -> Layout:
    """Compute where packed sequences of these `lengths` lie, equal ones side by side."""
    runs = tuple((len(list(group)), length) for length, group in groupby(lengths))
    ends = torch.tensor([0, *lengths], dtype=torch.int64).cumsum(0)
    return Layout(runs, ends.to(device, non_blocking=True), max(lengths))


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
    down_dropout: float  # of the feed-forward part's output
    out_dropout: float = 0.0  # of attention's output

    def __call__(self, pieces: Tensor, layout: Layout, training: bool) -> Tensor:
        """[n, w] -> [n, w]."""
        attend = attend_jagged if pieces.is_cuda else attend_by_length
        mixed = attend(
            self.query(pieces),
            self.key(pieces),
            self.value(pieces),
            layout,
            self.heads,
            self.attention_dropout if training else 0.0,
        )  # [n, w]
        mixed = apply_dropout(self.out(mixed), self.out_dropout, training)
        pieces = self.attention_norm(mixed + pieces)
        wide = self.activation(self.up(pieces))  # [n, feed-forward width]
        narrow = apply_dropout(self.down(wide), self.down_dropout, training)  # [n, w]
        output: Tensor = self.output_norm(narrow + pieces)
        return output


def can_pack(config: Any) -> bool:
    """Tell whether the network of `config` can read packed batches; others need padded ones."""
    absolute = getattr(config, "position_embedding_type", "absolute") in ("absolute", None)
    return (
        config.model_type in (*_BERT_KINDS, "distilbert")
        and absolute
        and not getattr(config, "is_decoder", False)
    )


def find_first_position(network: Any) -> int:
    """Return the row of the position embeddings for the first piece of a sequence."""
    positions = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(positions, "padding_idx", None)
    # RoBERTa counts from the padding's row on, so that its 514 rows serve 512 pieces.
    return 0 if padding is None else int(padding) + 1


def embed(network: Any, ids: Tensor, offsets: Tensor, training: bool) -> Tensor:
    """Embed the pieces [n] of sequences, beginning at `offsets` [b + 1]: [n, w]."""
    parts = network.embeddings
    n = len(ids)
    starts = offsets[:-1].repeat_interleave(offsets.diff(), output_size=n)  # [n]
    positions = torch.arange(n, device=ids.device) - starts + find_first_position(network)
    rows = parts.word_embeddings(ids)  # [n, w]
    if hasattr(parts, "token_type_embeddings"):
        rows = rows + parts.token_type_embeddings.weight[0]
    rows = rows + parts.position_embeddings(positions)
    return apply_dropout(parts.LayerNorm(rows), parts.dropout.p, training)


def list_layers(network: Any) -> Iterator[Layer]:
    """Yield the layers of a transformer `network`, lowest first, by common names."""
    distil = network.config.model_type == "distilbert"
    names = _DISTILBERT if distil else _BERT
    for layer in network.transformer.layer if distil else network.encoder.layer:
        parts = {part: attrgetter(name)(layer) for part, name in names.items()}
        yield Layer(**parts)


def attend_by_length(
    query: Tensor, key: Tensor, value: Tensor, layout: Layout, heads: int, dropout: float
) -> Tensor:
    """Attend [n, w] within each sequence, one call for every length: views, nothing padded."""
    rows = [count * length for count, length in layout.runs]
    masks: Sequence[Tensor | None] = [None] * len(rows)
    if dropout and query.device.type == "cpu":
        # One draw for all lengths; a call for each would take longer than the attention itself.
        shapes = [(count, heads, length, length) for count, length in layout.runs]
        sizes = [torch.Size(shape).numel() for shape in shapes]
        factors = draw_dropout_mask((sum(sizes),), dropout, query.dtype)
        masks = [part.view(shape) for part, shape in zip(factors.split(sizes), shapes, strict=True)]
    attended = []
    for (count, length), mask, *parts in zip(
        layout.runs, masks, query.split(rows), key.split(rows), value.split(rows), strict=True
    ):
        # [sequences, heads, length, w / heads]
        q, k, v = (part.view(count, length, heads, -1).transpose(1, 2) for part in parts)
        if mask is None:
            mixed = scaled_dot_product_attention(q, k, v, dropout_p=dropout)
        else:
            # torch's attention has no fast implementation with dropout on a CPU.
            scores: Tensor = (q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1)
            mixed = (scores.softmax(-1) * mask) @ v
        attended.append(mixed.transpose(1, 2).reshape(count * length, -1))
    return torch.cat(attended)


def attend_jagged(
    query: Tensor, key: Tensor, value: Tensor, layout: Layout, heads: int, dropout: float
) -> Tensor:
    """Attend [n, w] within each sequence by one call, the variable-length kernels of CUDA."""
    n = len(query)
    # [b, heads, pieces of each, w / heads]
    q, k, v = (
        torch.nested.nested_tensor_from_jagged(
            part.view(n, heads, -1), layout.offsets, min_seqlen=1, max_seqlen=layout.longest
        ).transpose(1, 2)
        for part in (query, key, value)
    )
    mixed = scaled_dot_product_attention(q, k, v, dropout_p=dropout)
    return mixed.transpose(1, 2).values().reshape(n, -1)


def apply_dropout(rows: Tensor, rate: float, training: bool) -> Tensor:
    """Apply dropout in training: set a share `rate` to zero, and scale the others up."""
    if not training or not rate:
        return rows
    if rows.device.type != "cpu":
        return functional.dropout(rows, rate)
    return rows * draw_dropout_mask(rows.shape, rate, rows.dtype)


def draw_dropout_mask(
    shape: torch.Size | tuple[int, ...], rate: float, dtype: torch.dtype
) -> Tensor:
    """Draw the factors of dropout on the CPU: 0, or 1 over the share kept.

    One draw of torch's generator gives four numbers; torch's dropout needs a draw for each.
    """
    count = torch.Size(shape).numel()
    cut = round(rate * _STEPS)
    if cut >= _STEPS:
        return torch.zeros(shape, dtype=dtype)
    draws = torch.empty(-(-count // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = draws.view(torch.int16)[:count].view(shape)
    return (bits >= cut - _STEPS // 2).to(dtype).mul_(_STEPS / (_STEPS - cut))
