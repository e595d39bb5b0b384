"""Tensors on disk: whole, and readable to whom the user lets read."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from corefmill.coref_model.encoder.tensors import save


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_who_may_read_is_the_users_to_say(mask: int, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    left = tmp_path / ".model.safetensors.tmp"
    left.write_bytes(b"of a run that was killed")
    left.chmod(0o600)
    before = os.umask(mask)
    try:
        save({"turned": torch.arange(6.0).reshape(2, 3).T}, path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask
    assert load_file(path)["turned"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_the_systems_own_error(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            save({"a": torch.zeros(2000)}, tmp_path / "model.safetensors")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
