"""The command `build translate`, of which `build ontonotes-it` is a preset."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import mock

import pytest

from corefmill.builders.translate import build as builder
from corefmill.builders.translate import stages
from corefmill.builders.translate.engines import resolve
from tests.builders.services import stub
from tests.builders.services.stub import Answer, chat
from tests.builders.translate.conll import NEWS, document
from tests.builders.translate.double import WordForWord
from tests.commands import command

PIPELINES = ("--nlp", "en_mini", "--workers", "1", "-q")


@pytest.fixture(autouse=True)
def _word_for_word(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (builder, stages):
        monkeypatch.setattr(module, "resolve", mock.Mock(return_value=WordForWord()))


ABOUT = ("croissant.json", "manifest.json")
"""What says of which corpus it is."""


def data_of(folder: Path) -> dict[str, bytes]:
    """The files that hold records, by their names."""
    kinds = (".jsonl", ".conll", ".json", ".tsv")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in kinds and path.name not in ABOUT
    }


def test_ontonotes_it_is_translate_from_english_to_italian(tmp_path: Path) -> None:
    source, preset, pair = (tmp_path / name for name in ("own.conll", "preset", "pair"))
    source.write_text(NEWS, encoding="utf-8")
    asked = ("--source", source, "--mode", "paper", *PIPELINES)
    made = command("build", "ontonotes-it", *asked, "--nlp-to", "it_mini", "--out", preset)
    assert made.returncode == 0, made.stderr
    languages = ("--from", "en", "--to", "it", "--nlp-to", "it_mini")
    made = command("build", "translate", *languages, *asked, "--out", pair)
    assert made.returncode == 0, made.stderr
    assert len(data_of(preset)) > 8
    assert data_of(preset) == data_of(pair)
    card = (pair / "README.md").read_text("utf-8")
    assert 'pretty_name: "own in Italian: coreference by placeholders and rules"' in card
    assert "build translate --to it" in card


FAULTY = """
import pathlib, sys
for line in sys.stdin:
    bad = pathlib.Path(__file__).with_name("fault").exists() and "joins" in line
    print("" if bad else line.upper().strip(), flush=True)
"""


def test_the_same_command_asks_again_where_the_translator_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for module in (builder, stages):
        monkeypatch.setattr(module, "resolve", resolve.resolve)
    source, program, fault = (tmp_path / name for name in ("own.conll", "tr.py", "fault"))
    source.write_text(NEWS, encoding="utf-8")
    program.write_text(FAULTY, encoding="utf-8")

    def build(out: str) -> tuple[int, str]:
        caplog.clear()
        made = command(
            *("build", "translate", "--to", "it", "--nlp-to", "it_mini", "--method", "marks"),
            *("--source", source, *PIPELINES, "--out", tmp_path / out, "--without", "answers"),
            *("--translator", "command"),
            *("--command", f"{sys.executable} {program}"),
        )
        return made.returncode, made.stderr + caplog.text

    assert build("whole") == (0, "")
    fault.touch()
    code, told = build("out")
    assert code == 0
    assert "failed on 3 texts, which were left out; the same command asks again" in told
    assert build("out")[0] == 0  # still out of order
    fault.unlink()
    assert build("out") == (0, "")
    assert not (tmp_path / "out" / ".corefmill" / "work").exists()
    assert data_of(tmp_path / "out") == data_of(tmp_path / "whole")


def test_a_service_without_an_answer_makes_no_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    for module in (builder, stages):
        monkeypatch.setattr(module, "resolve", resolve.resolve)
    source, out = tmp_path / "own.conll", tmp_path / "out"
    source.write_text(document("d", 0, ("-", "Rain_NN fell_VBD ._.")), encoding="utf-8")
    with stub.openai(lambda text: chat(f'{{"translation": "{text}"}}')) as server:
        options = ("--url", server.url, "--model", "small", "--without", "answers")
        asked = ("--to", "it", "--nlp-to", "it_mini", "--method", "marks", *PIPELINES, *options)
        build = ("build", "translate", *asked, "--translator", "openai", "--source", source)
        server.faults["Rain fell."] = [Answer(b"<html>502")] * 3
        made = command(*build, "--out", out)
        assert made.returncode == 2
        assert f"{out}: the translator failed on 1 text, and no document is left" in made.stderr
        made = command(*build, "--out", out)
        assert made.returncode == 0, made.stderr
        assert (out / "train.jsonl").exists()


def test_marks_keep_what_placeholders_leave_out(tmp_path: Path) -> None:
    source, out = tmp_path / "own.conll", tmp_path / "out"
    source.write_text(NEWS, encoding="utf-8")
    languages = ("--to", "it", "--nlp-to", "it_mini", "--method", "marks")
    made = command("build", "translate", *languages, "--source", source, *PIPELINES, "--out", out)
    assert made.returncode == 0, made.stderr
    card = (out / "README.md").read_text("utf-8")
    assert "| Method | marks: Chen et al. 2023" in card
    assert "| by marks | 6 |" in card
    assert "--method marks" in card
    assert sorted(path.name for path in (out / "stages").iterdir()) == ["alpha", "beta1", "gamma"]


def test_several_files_and_patterns_are_one_source(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for number in "123":
        text = NEWS.replace("own_0001", f"own_000{number}")
        (tmp_path / f"own{number}.conll").write_text(text, encoding="utf-8")
    sources = ("--source", tmp_path / "own1.conll", "--source", tmp_path / "own[23].*")
    made = command("build", "translate", "--to", "it", *sources, *PIPELINES, "--out", out)
    assert made.returncode == 0, made.stderr
    assert len((out / "train.jsonl").read_bytes().splitlines()) == 3
    card = (out / "README.md").read_text("utf-8")
    assert "own[23].*' --out FOLDER --nlp en_mini --nlp-to it_mini\n" in card
    assert "tokens and more" in card  # clean mode has no limit of length


@pytest.mark.parametrize(
    ("languages", "said"),
    [
        ("--to en", "--from and --to are both 'en'"),
        ("--to ../it", "--to '../it' is not a code of a language"),
        ("--to it --mode paper --method marks", "--method marks needs --mode clean"),
        ("--to it --source none.conll", "no such file"),
        ("--to it --from fr", "no documents in 'fr' ship with corefmill"),
    ],
)
def test_what_does_not_fit_is_refused(languages: str, said: str, tmp_path: Path) -> None:
    result = command("build", "translate", *languages.split(), "--out", tmp_path / "out", "-q")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
    assert not (tmp_path / "out").exists()
