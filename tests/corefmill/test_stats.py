"""`corefmill stats` and `corefmill corpora`: tables, Markdown and JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.cli.main import COREFMILL
from corefmill.corpora import jsonl
from corefmill.corpora.errors import UsageError
from tests.commands import json_result
from tests.corpora.test_records import EVENT, EXAMPLE


def run(*arguments: str | Path) -> None:
    COREFMILL(list(map(str, arguments)), standalone_mode=False)


def test_splits_have_a_column_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jsonl.write(tmp_path / "train.jsonl", [EXAMPLE] * 2)
    jsonl.write(tmp_path / "test.jsonl", [EXAMPLE])
    run("stats", tmp_path)
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["masked-example", "train", "test", "all"]
    assert first.split() == ["examples", "2", "1", "3"]
    run("stats", tmp_path, "--json")
    found = json_result(capsys.readouterr().out)
    assert found["masked-example/1"]["all"]["examples"] == 3


def test_each_kind_of_record_has_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonl.write(tmp_path / "a.jsonl", [EXAMPLE])
    jsonl.write(tmp_path / "b.jsonl", [EVENT])
    run("stats", tmp_path, "--markdown")
    shown = capsys.readouterr().out
    assert "| masked-example | all |\n| --- | ---: |\n| examples | 1 |" in shown
    assert "| ambiguity (clusters of a head lemma) | - |" in shown


def test_a_folder_without_corpora_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file in here"):
        run("stats", tmp_path)


def test_the_catalogue_is_listed_and_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("corpora")
    assert "--data-dir DIR says which" in capsys.readouterr().out
    (tmp_path / "gap-test.tsv").touch()
    run("corpora", "gap", "--data-dir", tmp_path)
    shown = capsys.readouterr().out
    assert "Apache-2.0" in shown and f"here, test      {tmp_path / 'gap-test.tsv'}" in shown
    run("corpora", "--data-dir", tmp_path, "--json")
    found = {one["name"]: one["here"] for one in json_result(capsys.readouterr().out)["corpora"]}
    assert found["gap"] == {"test": [str(tmp_path / "gap-test.tsv")]}
    assert found["dpr"] == {}
