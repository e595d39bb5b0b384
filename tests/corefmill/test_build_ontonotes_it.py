"""The command `build ontonotes-it`, and what it refuses in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.translate.engines.apertium import find_route, list_modes
from tests.builders.translate.conll import NEWS
from tests.builders.translate.engines.fakes import fake
from tests.commands import command, json_result


def refused(result: object, *words: str) -> None:
    assert result.returncode == 2  # type: ignore[attr-defined]
    said = result.stderr  # type: ignore[attr-defined]
    assert said.count("\n") == 1
    assert "Traceback" not in said
    assert all(word in said for word in words), said


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


def test_a_cache_that_is_none_and_a_mode_that_would_write_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, monkeypatch)
    out, mine = tmp_path / "out", tmp_path / "mine"
    mine.write_text("precious")
    engine = ("--translator", "apertium", "--model", tmp_path)
    asked = ("build", "ontonotes-it", *engine, "--workers", "1", "--out", out, "-q")
    refused(command(*asked, "--cache", mine), "mine", "the cache's folder is a file", "--cache")
    mode = tmp_path / "modes" / "eng-ita.mode"
    mode.write_text(f"lt-proc 'a b.bin' /etc/hostname {mine}")
    refused(command(*asked), str(mode), "'/etc/hostname', which is not in its folder")
    assert mine.read_text() == "precious"
    assert not out.exists()


def test_what_is_refused_is_said_in_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "own.conll"
    broken.write_text("#begin document (a); part 000\na 0 0 He PRP * - - - - * (0\n", "utf-8")
    out = ("--out", tmp_path / "out", "-q")
    refused(command("build", "ontonotes-it", "--source", tmp_path / "no", *out), "no such file")
    refused(
        command("build", "ontonotes-it", "--source", broken, "--translator", "babel", *out),
        "no translator 'babel'",
    )
    refused(
        command("build", "ontonotes-it", "--source", broken, "--without", "x", *out),
        "no rule or refinement 'x'",
    )
