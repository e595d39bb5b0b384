"""Low-rank deltas (LoRA) of an encoder's linear layers: few parameters trained, the rest frozen."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.corpora.errors import DataError, UsageError


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
    """The deltas by their names in the encoder: A [rank, in] and B [out, rank] of every layer."""
    return {
        name: parameter.detach().clone()
        for name, parameter in encoder.named_parameters()
        if name.endswith((".lora_a", ".lora_b"))
    }


def apply(encoder: Encoder, given: Mapping[str, Tensor]) -> None:
    """Sets the deltas of `encoder`, as `deltas` gave them; one without deltas gets them.

    DataError for deltas of another architecture or rank, before anything is changed.
    """
    ranks = {tensor.shape[0] for name, tensor in given.items() if name.endswith(".lora_a")}
    if len(ranks) != 1:
        raise DataError("deltas of no rank, or of several", remedy="take those of one training")
    (rank,) = ranks
    expected = _shapes(encoder, rank)
    found = {name: tuple(tensor.shape) for name, tensor in given.items()}
    wrong = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
    if wrong:
        raise DataError(
            f"deltas of another encoder: {wrong[0]} is {found.get(wrong[0], 'missing')} in them"
            f" and {expected.get(wrong[0], 'missing')} in {encoder.name}"
        )
    if not encoder.lora:
        adapt(encoder, rank)
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if name in given:
                parameter.copy_(given[name])


def _shapes(encoder: Encoder, rank: int) -> dict[str, tuple[int, ...]]:
    if encoder.lora:
        return {name: tuple(tensor.shape) for name, tensor in deltas(encoder).items()}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, module in encoder.named_modules():
        if type(module) is nn.Linear:
            shapes[f"{name}.lora_a"] = (rank, module.in_features)
            shapes[f"{name}.lora_b"] = (module.out_features, rank)
    return shapes
