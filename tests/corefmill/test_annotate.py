"""`build knowref` and `corefmill annotate` as a user gives them."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from corefmill import corpora
from corefmill.cli import main
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import knowref
from corefmill.corpora.records import MaskedExample
from tests.commands import command, json_result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where `build knowref` was run on nothing, and tasks were exported."""
    folder = tmp_path_factory.mktemp("bare")
    done = command("build", "knowref", "--lang", "en", "--workers", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Reading the small tales that ship with the project, en.txt")
    done = command(
        "corefmill", "annotate", "export", "out/knowref-en", "--out", "tasks.csv", cwd=folder
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def answer(folder: Path, name: str, raters: dict[str, int]) -> Path:
    """Answers with the first candidate, of the raters named for so many items each."""
    corpus = jsonl.read(folder / "out/knowref-en/train.jsonl", MaskedExample)
    first = {example.id: example.candidates[0] for example in corpus}
    with (folder / "tasks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    order = sorted(first)
    for row in rows:
        if order.index(row["item"]) < raters.get(row["rater"], 0):
            row["answer"] = first[row["item"]]
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_sample_gives_problems_to_label(folder: Path) -> None:
    made = manifest.read(folder / "out/knowref-en")
    assert made.splits["train"] > 30
    with (folder / "tasks.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 5 * made.splits["train"]


def test_answers_become_labels(folder: Path) -> None:
    answers = answer(folder, "answers.csv", {"1": 9, "2": 9, "3": 9, "4": 5, "5": 2})
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
    ("arguments", "message"),
    [
        (("annotate", "export", "none", "--out", "t.csv"), "none: no manifest.json here"),
        (
            ("annotate", "export", "out/knowref-en", "--split", "dev", "--out", "t.csv"),
            "no split 'dev'; there are train, validation",
        ),
        (("annotate", "export", "out/knowref-en", "--out", "out"), "out: this is a folder"),
        (
            ("annotate", "export", "out/knowref-en", "--out", "tasks.csv/r"),
            "tasks.csv: cannot be written to",
        ),
        (
            ("annotate", "import", "out/knowref-en", "tasks.csv", "--out", "l"),
            "tasks.csv: no item has a label: unanswered",
        ),
        (
            ("annotate", "import", "out/knowref-en", "tasks.csv", "--out", "out/knowref-en"),
            "the corpus cannot replace itself",
        ),
        (("build", "knowref", "--text", "a", "--reddit", "b"), "--text and --reddit exclude"),
        (("build", "knowref", "--reddit", "none"), "none: no text here (--reddit takes"),
        (("build", "knowref", "--lang", "it", "--mode", "paper"), "--mode paper is English"),
        (("build", "knowref", "--without", "wit"), "no filter 'wit'; there are own_clause"),
    ],
)
def test_one_line_for_what_does_not_fit(
    folder: Path,
    arguments: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["corefmill", *arguments])
    with pytest.raises(SystemExit) as caught:
        main.main()
    printed = capsys.readouterr()
    assert (caught.value.code, printed.out) == (2, "")
    (line,) = printed.err.splitlines()
    assert message in line


def test_a_text_whose_name_is_not_utf_8(tmp_path: Path) -> None:
    name, tales = os.fsdecode(b"caf\xe9.txt"), Path(corpora.__file__).parent / "sample/tales/en.txt"
    (tmp_path / name).write_bytes(tales.read_bytes())
    options = ("--out", "out", "--workers", "1", "-q")
    done = command("build", "knowref", "--text", name, *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    first = next(jsonl.read(tmp_path / "out/train.jsonl", MaskedExample))
    assert first.source.title == r"caf\xe9"
    assert r"caf\xe9.txt" in (tmp_path / "out/README.md").read_text("utf-8")
