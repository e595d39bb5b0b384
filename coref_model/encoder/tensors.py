"""Tensors on disk, as safetensors: checkpoints, the state of a training, saved encoders.

safetensors alone writes a file that its owner only may read, and loses an error's number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from glob import escape
from pathlib import Path
from stat import S_IMODE

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from corefmill.corpora import disk
from corefmill.corpora.atomic import replacing
from corefmill.corpora.errors import DataError


def save(tensors: Mapping[str, Tensor], path: Path, metadata: dict[str, str] | None = None) -> None:
    """Writes a file that appears whole or not at all, for whom the user lets read new files.

    safetensors alone would leave it to its owner. What a run that was killed left of the same file
    goes. Raises `OSError` where it cannot be written.
    """
    for left in sorted(path.parent.glob(f".{escape(path.name)}*.tmp")):
        left.unlink(missing_ok=True)
    with replacing(path) as out:
        mode = S_IMODE(os.fstat(out.fileno()).st_mode)
        whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
        try:
            save_file(whole, out.name, metadata)
        except SafetensorError as error:
            raise _of_the_disk(error, path) from None
        # It may be another file by now that bears the name.
        with Path(out.name).open("rb+") as file:
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())


def read(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, on the CPU; raises `DataError` where it is none."""
    disk.regular(path)
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise DataError(f"cannot be read as safetensors: {error}", path=path) from None


def _of_the_disk(error: SafetensorError, path: Path) -> Exception:
    """The error of the system, of which safetensors gives the text alone."""
    found = re.search(r"\(os error (\d+)\)", str(error))
    if found is None:
        return error
    return OSError(int(found[1]), os.strerror(int(found[1])), str(path))
