"""The presets that are taken where none is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.coref_model.training.presets import suited


@pytest.mark.parametrize(("gpu", "expected"), [(False, ["cpu"]), (True, [])])
def test_cpu_where_there_is_no_gpu(
    monkeypatch: pytest.MonkeyPatch, gpu: bool, expected: list[str]
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: gpu)
    assert suited([], "mlm") == expected


def test_nothing_where_the_table_has_no_such_preset(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    (tmp_path / "a.toml").write_text("[paper]\nlr = 1.0\n")
    assert suited([], tmp_path / "a.toml") == []


def test_what_is_asked_for_is_taken_as_it_is() -> None:
    assert suited(["paper", "code"], "masked") == ["paper", "code"]
    assert suited(["default"], "masked") == []
