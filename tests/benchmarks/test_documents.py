"""The benchmark of documents on two documents of the sample that ships."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import documents

SMALL = ("encoder=tiny", "epochs=1", "hidden=8", "pair_width=8", "max_width=4")


def _run(out: Path, *more: str, sets: tuple[str, ...] = SMALL) -> None:
    rows = ["--rows", "full", "plain", "--limit", "2"]
    documents.main(["ontonotes", *rows, "--out", str(out), "--set", *sets, *more])


def test_rows_are_scored_once_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    _run(out)
    told = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[:3] for line in told[2:]] == [
        ["| ontonotes", "full", "0"],
        ["| ontonotes", "plain", "0"],
    ]
    full = json.loads((out / "ontonotes-full-0.json").read_text())
    assert full["steps"] == full["trained_on"] == full["documents"] == 2
    assert full["asked"]["settings"]["surface"] is True
    assert 0 <= full["conll"] <= 100 and len(full["mentions"]) == 3
    kept = {path: path.stat().st_mtime_ns for path in out.glob("*.*")}
    assert sum(path.suffix == ".safetensors" for path in kept) == 1
    _run(out)
    assert capsys.readouterr().out.splitlines() == told
    assert {path: path.stat().st_mtime_ns for path in out.glob("*.*")} == kept
    with pytest.raises(SystemExit, match="other settings"):
        _run(out, sets=(*SMALL, "lr=1e-4"))


def test_every_row_has_settings_that_are_there() -> None:
    for own in (*documents.ROWS.values(), *documents.CORPORA.values()):
        documents.resolve(documents.KIND.Settings, "documents", sets=own)
