"""Low-rank deltas (LoRA) of an encoder's linear layers: few parameters trained, the rest frozen."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.corpora.errors import UsageError


class Adapted(nn.Linear):
    """A linear layer whose weight W stands still and counts as W + B A, A and B trained.

    B begins as zero, so that a new one is the layer it replaces (Hu et al. 2021, section 4.1).
    """

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        nn.Module.__init__(self)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight, self.bias = linear.weight, linear.bias
        self.lora_a = nn.Parameter(linear.weight.new_empty(rank, self.in_features))
        self.lora_b = nn.Parameter(linear.weight.new_zeros(self.out_features, rank))
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))

    def forward(self, rows: Tensor) -> Tensor:
        """[n, in] -> [n, out]."""
        whole = linear(rows, self.weight, self.bias)
        return whole + linear(linear(rows, self.lora_a), self.lora_b)


def adapt(encoder: Encoder, rank: int, *, seed: int = 0) -> None:
    """Gives every linear layer of a frozen `encoder` trained deltas of `rank`, zero at first."""
    if rank < 1:
        raise UsageError(f"a rank of {rank} for LoRA", remedy="8 is usual, 0 is none")
    if encoder.trained:
        raise UsageError(
            "LoRA trains deltas over frozen weights, and the encoder's weights are trained",
            remedy="ask for one of the two",
        )
    if encoder.lora:
        raise UsageError(f"the encoder has deltas of rank {encoder.lora} already")
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        for parent in list(encoder.network.modules()):
            for name, child in list(parent.named_children()):
                if type(child) is nn.Linear:
                    setattr(parent, name, Adapted(child, rank))
    encoder.lora = rank


def deltas(encoder: Encoder) -> dict[str, Tensor]:
    """The deltas by their names in the encoder: A [rank, in] and B [out, rank] of every layer.

    `load_state_dict` of an encoder with deltas of the same rank takes them.
    """
    return {
        name: parameter.detach().clone()
        for name, parameter in encoder.named_parameters()
        if name.endswith((".lora_a", ".lora_b"))
    }


def merged(encoder: Encoder) -> dict[str, Tensor]:
    """The network's whole state on the CPU, every delta added to its weight: W + B A."""
    state = {name: tensor.detach().cpu() for name, tensor in encoder.network.state_dict().items()}
    for name in [name for name in state if name.endswith(".lora_a")]:
        stem = name.removesuffix("lora_a")
        b, a = state.pop(f"{stem}lora_b"), state.pop(name)
        state[f"{stem}weight"] = state[f"{stem}weight"] + b @ a  # [out, r] @ [r, in]
    return state
