"""`build knowref` and `corefmill annotate` as a user gives them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corefmill import corpora
from corefmill.annotate import judgements
from corefmill.annotate.judgements import Judgement
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import knowref
from corefmill.corpora.records import MaskedExample
from tests.commands import command, json_result
from tests.corefmill.dumps import error_line


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where `build knowref` was run on nothing, and nobody has answered."""
    folder = tmp_path_factory.mktemp("bare")
    done = command("build", "knowref", "--lang", "en", "--workers", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Reading the small tales that ship with the project, en.txt")
    assert manifest.read(folder / "out/knowref-en").splits["train"] > 30
    judgements.write(folder / "none.jsonl", [])
    return folder


def answer(folder: Path, name: str, raters: dict[str, int]) -> Path:
    """Answers with the first candidate, of the raters named for so many items each."""
    corpus = jsonl.read(folder / "out/knowref-en/train.jsonl", MaskedExample)
    first = sorted((example.id, example.candidates[0]) for example in corpus)
    judgements.write(
        folder / name,
        (
            Judgement(item=item, rater=rater, person=True, question="answer", answer=words)
            for rater, count in raters.items()
            for item, words in first[:count]
        ),
    )
    return folder / name


def test_answers_become_labels(folder: Path) -> None:
    answers = answer(folder, "answers.jsonl", {"1": 9, "2": 9, "3": 9, "4": 5, "5": 2})
    done = command(
        "corefmill", "annotate", "import", "out/knowref-en", answers, "--out", "labelled", "--json",
        cwd=folder,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    told = json_result(done.stdout)
    assert told["splits"] == {"train": 5, "validation": 0}
    assert told["counts"]["strength"] == {"4": 3, "5": 2}
    assert told["counts"]["alpha"] is None  # all of one opinion
    assert told["counts"]["rejected"]["unfinished"] == 4
    labelled = list(jsonl.read(folder / "labelled/train.jsonl", MaskedExample))
    assert {example.label for example in labelled} == {0}
    assert {example.meta["annotation"]["strength"] for example in labelled} == {4, 5}
    read = [example for _, example in knowref.read(folder / "labelled/train.json")]
    assert [example.answer for example in read] == [example.answer for example in labelled]
    assert "| unfinished | 4 |" in (folder / "labelled/README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("annotate export none --out t", "none: "),
        ("annotate export out/knowref-en --split test --out t", "no split 'test'; there are train"),
        (
            "annotate import out/knowref-en none.jsonl --out l",
            "none.jsonl: the file holds no answer yet",
        ),
        (
            "annotate import out/knowref-en few.jsonl --out l",
            "few.jsonl: no item of the corpus got a label from these answers: unanswered",
        ),
        (
            "annotate import out/knowref-en few.jsonl --out out/knowref-en",
            "--out is the input corpus",
        ),
        ("build knowref --text a --reddit b", "--text and --reddit exclude"),
        (
            "build knowref --reddit none",
            "none: no text file found under this name (--reddit takes",
        ),
        ("build knowref --without wit", "no filter 'wit'; there are own_clause"),
        ("build knowref --lang it --mode paper", "--mode paper works only for English"),
    ],
)
def test_one_line_for_what_does_not_fit(folder: Path, line: str, message: str) -> None:
    answer(folder, "few.jsonl", {"1": 2})
    done = command("corefmill", *line.split(), cwd=folder)
    assert message in error_line(done) and not done.stdout


def test_a_text_whose_name_is_not_utf_8(tmp_path: Path) -> None:
    name, tales = os.fsdecode(b"caf\xe9.txt"), Path(corpora.__file__).parent / "sample/tales/en.txt"
    (tmp_path / name).write_bytes(tales.read_bytes())
    options = ("--out", "out", "--workers", "1", "-q")
    done = command("build", "knowref", "--text", name, *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    first = next(jsonl.read(tmp_path / "out/train.jsonl", MaskedExample))
    assert first.source.title == r"caf\xe9"
    assert r"caf\xe9.txt" in (tmp_path / "out/README.md").read_text("utf-8")
