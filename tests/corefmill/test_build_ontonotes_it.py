"""The command `build ontonotes-it`."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.translate.engines.apertium import find_route, list_modes
from tests.builders.translate.conll import NEWS
from tests.commands import command, json_result


def test_a_small_corpus_with_apertium(tmp_path: Path) -> None:
    if not find_route("en", "it", list_modes()):
        pytest.skip("needs Apertium's eng-cat and cat-ita, which are not here")
    source, out = tmp_path / "own.conll", tmp_path / "out"
    source.write_text(NEWS, encoding="utf-8")
    result = command(
        *("build", "ontonotes-it", "--source", source, "--translator", "apertium"),
        *("--workers", "1", "--out", out, "--json"),
    )
    assert result.returncode == 0, result.stderr
    told = json_result(result.stdout)
    assert told["documents"] == 1
    assert told["counts"]["read"]["delta.train.mentions"] == 6
    assert told["stages"]["delta"]["items"] == told["counts"]["read"]["delta.train.parts"]
    assert "build ontonotes-it --source" in (out / "README.md").read_text("utf-8")
    assert not (out / "translations").exists()
