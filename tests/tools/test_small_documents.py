"""The script that makes the model of documents that ships: the rule beside it, and its packing."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")

from corefmill.coref_model.training import checkpoint  # noqa: E402
from corefmill.corpora.records import Document, Mention, Sentence, Token  # noqa: E402
from tests.coref_model.training.test_checkpoint import Small, saved  # noqa: E402
from tools.small_documents import by_rule, pack  # noqa: E402


def test_the_rule_joins_what_reads_alike() -> None:
    lines = ("Ann Lee saw that she won .", "She told Ann Lee so .")
    sentences = tuple(Sentence(tuple(map(Token, line.split()))) for line in lines)
    found = by_rule(Document("d", 0, "en", sentences, ()))
    assert found.clusters == (
        (Mention(0, 0, 2), Mention(1, 2, 4)),  # Ann Lee
        (Mention(0, 4, 5), Mention(1, 0, 1)),  # she, She; that is no mention
    )


def test_a_packed_model_is_read_and_half_as_large(tmp_path: Path) -> None:
    whole = saved(tmp_path / "model", Small(lora=2))
    pack(tmp_path / "model", tmp_path / "packed")
    packed = checkpoint.read(tmp_path / "packed")
    assert {one.dtype for one in packed.tensors().values()} == {torch.float16}
    for name, tensor in whole.tensors().items():
        assert torch.allclose(packed.tensors()[name].float(), tensor, atol=1e-2)
    sizes = [(one.path / checkpoint.WEIGHTS).stat().st_size for one in (whole, packed)]
    assert sizes[1] < 0.75 * sizes[0]
    assert all("source" not in one for one in packed.model.corpora.values())
