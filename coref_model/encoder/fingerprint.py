"""The checksum by which an encoder is recognised: checkpoints, heads and caches name it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

# What a configuration says of its file or of the program that wrote it, not of the network.
_ASIDE = ("_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version")


def fingerprint(config: Mapping[str, Any], tokenizer: str, weights: Mapping[str, Tensor]) -> str:
    """SHA-256, in hexadecimal, of an architecture, a tokenizer (as JSON) and named weights."""
    total = hashlib.sha256()
    kept = {key: value for key, value in config.items() if key not in _ASIDE}
    for text in (json.dumps(kept, sort_keys=True, default=str), tokenizer):
        total.update(f"{len(text)}\n{text}".encode())
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        total.update(f"{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        total.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return total.hexdigest()
