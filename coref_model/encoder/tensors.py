"""Tensors on disk, as safetensors: checkpoints, the state of a training, saved encoders.

safetensors' own function writes a file for its owner only, and loses the number of an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from glob import escape
from pathlib import Path
from stat import S_IMODE

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import replacing


def save(tensors: Mapping[str, Tensor], path: Path, metadata: dict[str, str] | None = None) -> None:
    """Write tensors to a safetensors file, whole or not at all, with the user's umask.

    Temporary files of killed runs are removed. Raises `OSError` if the file cannot be written.
    """
    for left in sorted(path.parent.glob(f".{escape(path.name)}*.tmp")):
        left.unlink(missing_ok=True)
    with replacing(path) as out:
        mode = S_IMODE(os.fstat(out.fileno()).st_mode)
        whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
        try:
            save_file(whole, out.name, metadata)
        except SafetensorError as error:
            # safetensors keeps only the text of the system's error.
            number = re.search(r"\(os error (\d+)\)", str(error))
            if number is None:
                raise
            raise OSError(int(number[1]), os.strerror(int(number[1])), str(path)) from None
        # Another file may have the name by now.
        with Path(out.name).open("rb+") as file:
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())


def read(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read the tensors of a safetensors file to the CPU, and its `metadata`.

    Raises `DataError` for any other file.
    """
    disk.require_file(path)
    try:
        with safe_open(path, framework="pt") as file:
            names = file.keys()  # it is not a dictionary
            return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
    except (OSError, SafetensorError) as error:
        raise DataError(f"cannot be read as safetensors: {error}", path=path) from None
