"""The script that makes the shipped head trains a head that is found by its folder."""

from __future__ import annotations

from pathlib import Path

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.masked import heads
from tools import head

TEXT = "An ox was at it. He had his ox. They said it is not so. We were there for her. " * 9


def test_a_head_is_made_and_found(tmp_path: Path) -> None:
    scores = head.make([TEXT] * 3, tmp_path, encoder="tiny", stages=((20, 0.15), (4, 0.25)))
    found = heads.find_head(load("tiny"), str(tmp_path))
    assert found.source == "masked-LM head of tiny"
    assert {len(t) for name, t in found.deltas.items() if ".lora_A." in name} == {head.RANK}
    assert scores["pieces"] > 0 and 0 < scores["loss"] < 4
    assert any(bool(delta.any()) for name, delta in found.deltas.items() if ".lora_B." in name)
