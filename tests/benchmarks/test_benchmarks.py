"""Every benchmark is imported with all that it takes of the product, and says how it is called."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.commands import ROOT

ELSEWHERE = {"corefud_oracle"}
"""Runs in the interpreter of another scorer."""
WITH_TORCH = {"brings", "gpu", "pointer", "training"}
NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.thorough] if name in WITH_TORCH else [])
        for name in NAMES
        if name not in ELSEWHERE
    ],
)
def test_a_benchmark_says_how_it_is_called(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in WITH_TORCH:
        pytest.importorskip("torch", reason="needs the extra train")
    module = import_module(f"benchmarks.{name}")
    if not hasattr(module, "main"):
        return  # a part of another
    monkeypatch.setattr("sys.argv", [name, "--help"])
    with pytest.raises(SystemExit) as end:
        module.main()
    assert end.value.code == 0
    assert "usage:" in capsys.readouterr().out
