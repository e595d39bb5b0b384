"""Attention within each sequence of a packed batch, without a padded score."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as attention

from corefmill.coref_model.encoder.dropping import dropout_mask

# Of the nested tensors below only the jagged layout is used, which is the one kept up.
warnings.filterwarnings("ignore", message="The PyTorch API of nested tensors", category=UserWarning)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the sequences of a packed batch stand, those of one length beside each other."""

    runs: tuple[tuple[int, int], ...]  # (sequences, pieces of each) of every length, in order
    offsets: Tensor  # [b + 1] int64, starts of the sequences, on the device of the pieces
    longest: int  # pieces


def laid_out(lengths: Sequence[int], device: torch.device) -> Layout:
    """The layout of sequences of these `lengths`, equal ones side by side."""
    runs = tuple((len(list(group)), length) for length, group in groupby(lengths))
    ends = torch.tensor([0, *lengths], dtype=torch.int64).cumsum(0)
    return Layout(runs, ends.to(device, non_blocking=True), max(lengths))


def attend(
    query: Tensor,  # [n, w]
    key: Tensor,  # [n, w]
    value: Tensor,  # [n, w]
    layout: Layout,
    heads: int,
    dropout: float,
) -> Tensor:  # [n, w]
    """Scaled dot-product attention of each piece over its own sequence, by `heads` heads."""
    if query.is_cuda:
        return in_one(query, key, value, layout, heads, dropout)
    return by_length(query, key, value, layout, heads, dropout)


def by_length(
    query: Tensor, key: Tensor, value: Tensor, layout: Layout, heads: int, dropout: float
) -> Tensor:
    """One call for every length of sequence: views of the packed pieces, nothing padded."""
    rows = [count * length for count, length in layout.runs]
    masks: Sequence[Tensor | None] = [None] * len(rows)
    if dropout and query.device.type == "cpu":
        shapes = [(count, heads, length, length) for count, length in layout.runs]
        sizes = [torch.Size(shape).numel() for shape in shapes]
        drawn = dropout_mask((sum(sizes),), dropout, query.dtype).split(sizes)
        masks = [mask.view(shape) for mask, shape in zip(drawn, shapes, strict=True)]
    done = []
    for (count, length), mask, *parts in zip(
        layout.runs, masks, query.split(rows), key.split(rows), value.split(rows), strict=True
    ):
        # [sequences, heads, length, w / heads]
        q, k, v = (part.view(count, length, heads, -1).transpose(1, 2) for part in parts)
        mixed = attention(q, k, v, dropout_p=dropout) if mask is None else _masked(q, k, v, mask)
        done.append(mixed.transpose(1, 2).reshape(count * length, -1))
    return torch.cat(done)


def _masked(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention whose weights are multiplied by `mask` [.., pieces, pieces].

    torch's own has no fast form on a CPU where it drops weights.
    """
    scores: Tensor = (query * query.shape[-1] ** -0.5) @ key.transpose(-2, -1)
    return (scores.softmax(-1) * mask) @ value


def in_one(
    query: Tensor, key: Tensor, value: Tensor, layout: Layout, heads: int, dropout: float
) -> Tensor:
    """One call for the whole batch, by the variable-length kernels of CUDA."""
    n = len(query)
    # [b, heads, pieces of each, w / heads]
    q, k, v = (
        torch.nested.nested_tensor_from_jagged(
            part.view(n, heads, -1), layout.offsets, min_seqlen=1, max_seqlen=layout.longest
        ).transpose(1, 2)
        for part in (query, key, value)
    )
    mixed = attention(q, k, v, dropout_p=dropout)
    return mixed.transpose(1, 2).values().reshape(n, -1)
