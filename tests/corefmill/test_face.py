"""`import corefmill`: what a Python program calls, and what its documentation shows."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import corefmill
from corefmill.corpora.errors import DataError, UsageError
from tests.commands import ROOT


def test_the_page_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("spacy", "torch", "transformers", "safetensors", "accelerate"):
        pytest.importorskip(package, reason="needs the extras build and train")
    monkeypatch.chdir(tmp_path)
    page = str(ROOT / "docs/python.md")
    failed, tried = doctest.testfile(page, module_relative=False, encoding="utf-8")
    assert tried > 15 and not failed


def test_every_name_is_there_and_no_other() -> None:
    assert {name for name in corefmill.__all__ if callable(getattr(corefmill, name))} == {
        *corefmill.__all__
    }
    assert set(corefmill.__all__) <= set(dir(corefmill))
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        corefmill.scores  # type: ignore[attr-defined]  # noqa: B018
    folders = {path.name for path in (ROOT / "corefmill").iterdir()}
    assert not folders & set(corefmill.__all__)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("nothing", {}, "no command 'nothing'"),
        ("wikicrem", {"lnag": "en"}, "No such option: --lnag"),
        ("wikicrem", {"workers": 0}, "Invalid value for '--workers'"),
        ("wikicrem", {"without": ["nope"]}, "no filter 'nope'"),
    ],
)
def test_a_wrong_option_is_a_usage_error(
    tmp_path: Path, name: str, options: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        corefmill.build(name, out=tmp_path / "out", **options)


def test_a_missing_file_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        list(corefmill.read(tmp_path / "none.conll"))
