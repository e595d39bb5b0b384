"""`import corefmill`: what a Python program calls, and what its documentation shows."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import corefmill
from corefmill.corpora.errors import DataError, UsageError
from tests.commands import ROOT

SCRIPT = """\
from corefmill import build, check, convert, find, load, read, score, train, write
from corefmill.corpora.records import Document

f1: float = score("key.conll", "response.conll").conll
documents = [one for one in read("key.conll") if isinstance(one, Document)]
count: int = write("out.jsonl", documents)
lost = convert("key.conll", "key.conllu", overwrite=True).lost
codes: list[str] = [finding.code for finding in check("out", lang="en")]
built = build("wikicrem", out="out/w", lang="en", dump="sample", limit=10, without=["styled"])
model = train(built.name, out="out/model", encoder="tiny", epochs=1)
clusters = load("out/model").read("Ann met Eve. She left.").clusters
"""


def test_the_page_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("spacy", "torch", "transformers", "safetensors", "accelerate"):
        pytest.importorskip(package, reason="needs the extras build and train")
    monkeypatch.chdir(tmp_path)
    page = str(ROOT / "docs/python.md")
    failed, tried = doctest.testfile(page, module_relative=False, encoding="utf-8")
    assert tried > 15 and not failed


def test_a_users_script_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="needs the extra dev")
    script, wrong = tmp_path / "script.py", tmp_path / "wrong.py"
    script.write_text(SCRIPT)
    wrong.write_text("import corefmill\n\ncorefmill.scores\nfind: int = corefmill.find('x')\n")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--no-error-summary"),
            *("--follow-imports", "silent", "--cache-dir", ROOT / ".mypy_cache" / "user"),
            *(script.name, wrong.name),
        ],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [wrong.name] * 2, done.stdout
    assert 'has no attribute "scores"' in lines[0] and "Incompatible types" in lines[1]


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
