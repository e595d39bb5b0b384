"""The script that makes the model of documents that ships: the packing."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")

from corefmill.coref_model.training import checkpoint  # noqa: E402
from tests.coref_model.training.test_checkpoint import Small, saved  # noqa: E402
from tools import en_coref  # noqa: E402


def test_a_packed_model_is_read_and_half_as_large(tmp_path: Path) -> None:
    whole = saved(tmp_path / "model", Small(lora=2))
    en_coref.pack(tmp_path / "model", tmp_path / "packed")
    packed = checkpoint.read(tmp_path / "packed")
    assert {one.dtype for one in packed.read_tensors().values()} == {torch.float16}
    for name, tensor in whole.read_tensors().items():
        assert torch.allclose(packed.read_tensors()[name].float(), tensor, atol=1e-2)
    sizes = [(one.path / checkpoint.WEIGHTS).stat().st_size for one in (whole, packed)]
    assert sizes[1] < 0.75 * sizes[0]
    assert all("source" not in one for one in packed.model.corpora.values())
