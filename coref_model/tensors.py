"""Tensors on disk, as safetensors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from stat import S_IMODE

from safetensors.torch import save_file
from torch import Tensor


def save(tensors: Mapping[str, Tensor], path: Path, metadata: dict[str, str] | None = None) -> None:
    """Writes a file that appears whole or not at all, for whom the user lets read new files.

    safetensors alone would leave it to its owner.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.unlink(missing_ok=True)
    temporary.touch()
    mode = S_IMODE(temporary.stat().st_mode)
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, temporary, metadata)
    temporary.chmod(mode)
    temporary.replace(path)
