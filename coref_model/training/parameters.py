"""Which parameters of a model a checkpoint holds, and how they come back into a model.

A frozen encoder is named and not copied, so that the checkpoint of a small head stays small.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor, nn

from corefmill.corpora.errors import DataError

M = TypeVar("M", bound=nn.Module)


def saved_parameters(model: nn.Module) -> dict[str, Tensor]:
    """The tensors of a checkpoint by their names in the model, without copying them.

    Those are all its own parameters and buffers, and of an encoder below it the parameters that
    are trained: of a frozen one nothing, of one with LoRA its deltas. A parameter that has
    two names (a tied decoder) comes once.
    """
    inner = [
        name + "." if name else ""
        for name, module in model.named_modules()
        if isinstance(getattr(module, "fingerprint", None), str)
    ]
    found: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad or not name.startswith(tuple(inner)):
            found[name] = parameter.detach()
    stored = model.state_dict(keep_vars=True)
    buffers = dict(model.named_buffers())
    return found | {
        name: buffer
        for name, buffer in buffers.items()
        if name in stored and not name.startswith(tuple(inner))
    }


def restore(model: M, tensors: Mapping[str, Tensor], path: Path = Path("model.safetensors")) -> M:
    """Copies the tensors of a file into the model, and returns it.

    Raises `DataError` unless names and shapes are the model's.
    """
    own = saved_parameters(model)
    missing, more = sorted(own.keys() - tensors.keys()), sorted(tensors.keys() - own.keys())
    for what, names in (("lacks", missing), ("has an unknown", more)):
        if names:
            others = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise DataError(
                f"not of this model: it {what} {names[0]}{others}",
                path=path,
                remedy="use the encoder and the settings that it was trained with",
            )
    for name, tensor in own.items():
        if tensor.shape != tensors[name].shape:
            raise DataError(
                f"not of this model: {name} is {list(tensors[name].shape)}, not"
                f" {list(tensor.shape)}",
                path=path,
                remedy="use the encoder and the settings that it was trained with",
            )
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(tensors[name])
    return model
