"""`import corefmill`: what a Python program calls, and what its documentation shows."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import corefmill
from corefmill.corpora.files.errors import UsageError
from tests.commands import ROOT, one_core
from tests.corefmill.dumps import sample_pages, small


@pytest.mark.thorough
def test_the_page_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("spacy", "torch", "transformers", "safetensors", "accelerate"):
        pytest.importorskip(package, reason="needs the extras build and train")
    monkeypatch.chdir(tmp_path)
    page = str(ROOT / "docs/python.md")
    with one_core():
        failed, tried = doctest.testfile(page, module_relative=False, encoding="utf-8")
    assert tried > 15 and not failed


def test_a_corpus_is_built_and_a_model_trained_on_it(tmp_path: Path) -> None:
    for package in ("spacy", "torch", "transformers", "safetensors", "accelerate"):
        pytest.importorskip(package, reason="needs the extras build and train")
    corpus = corefmill.build(
        "wikicrem", out=tmp_path / "names", lang="en", dump=str(small(tmp_path)), workers=1
    )
    assert next(iter(corpus.splits)) == "train"
    example = next(corefmill.read(corpus.splits["train"][0]))
    model = corefmill.train(
        tmp_path / "names", out=tmp_path / "model", encoder="tiny", set=["max_steps=1"]
    )
    assert len(list(model.answers([example]))) == 1
    rows = corefmill.evaluate(model, tmp_path / "names")
    assert {row.corpus for row in rows} == {"names"} and rows[0].metric == "accuracy"


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
        ("wikicrem", {"lnag": "en"}, "wikicrem has no option 'lnag', did you mean lang?"),
        ("wikicrem", {"workers": 0}, "Invalid value for '--workers'"),
        ("wikicrem", {"without": ["nope"]}, "no filter 'nope'"),
    ],
)
def test_a_wrong_option_is_a_usage_error(
    tmp_path: Path, name: str, options: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        corefmill.build(name, out=tmp_path / "out", **options)


def test_quiet_prints_no_warning_either(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("spacy", reason="needs the extra build")
    events = tmp_path / "events.tsv"
    events.write_text("1974 Brannock earthquake\tQ7944\nX\ttown\n", encoding="utf-8")
    dump = str(small(tmp_path, sample_pages()))
    for quiet in (True, False):
        out = tmp_path / f"out-{quiet}"
        corefmill.build("wec", out=out, quiet=quiet, dump=dump, event_list=str(events), workers=1)
        assert ("class is not mapped" in capsys.readouterr().err) != quiet
