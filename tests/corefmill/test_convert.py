"""Corpora in the forms of other tools."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from corefmill.builders.overlap.split import read_answers
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import lm_eval
from corefmill.corpora.formats.registry import FORMATS
from corefmill.corpora.records import MaskedExample
from tests.commands import called, json_result
from tests.corefmill import trained
from tests.corpora.formats.test_masked_forms import log_line, write_log

FIVE = "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"


convert = partial(called, "corefmill", "convert")


def test_it_says_what_was_written_and_what_was_lost(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FIVE * 2)
    made = f"{tmp_path / 'b.jsonl'}: 2 records as native-masked\n"
    assert convert(tmp_path / "a.txt", tmp_path / "b.jsonl", "--lang", "it") == (0, made, "")
    _, told, warned = convert(tmp_path / "b.jsonl", tmp_path / "c.txt", "--json")
    assert warned == "convert: five-line did not carry, of 2 records: id (2), lang (2)\n"
    done = json_result(told)
    assert (done["from"], done["to"], done["lost"]) == (
        ["native-masked"],
        "five-line",
        {"id": 2, "lang": 2},
    )


def test_the_list_names_every_format() -> None:
    _, shown, _ = convert("--list")
    assert all(f"\n{name} " in shown for name in FORMATS)
    listed = json_result(convert("--list", "--json")[1])
    assert [form["name"] for form in listed] == list(FORMATS)


def examples(count: int) -> list[MaskedExample]:
    """Examples of which every seventh has no label."""
    made = trained.examples(count)
    return [replace(one, label=None) if at % 7 == 6 else one for at, one in enumerate(made)]


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the task `corefmill_names_all`, of 18 examples with a label of 21."""
    monkeypatch.chdir(tmp_path)
    jsonl.write(Path("names.jsonl"), examples(21))
    made = "task: the task corefmill_names_all, 18 examples of all, 3 without a label left out\n"
    assert called("corefmill", "export-task", "names.jsonl", "--out", "task") == (0, made, "")
    return tmp_path / "task"


def test_a_task_is_two_files_without_code(task: Path) -> None:
    names = ["corefmill_names_all.jsonl", "corefmill_names_all.yaml"]
    assert sorted(path.name for path in task.iterdir()) == names
    config = (task / names[1]).read_text()
    assert "!function" not in config and str(task.parent) not in config
    lines = dict(line.split(": ", 1) for line in config.splitlines() if line[0] != "#")
    settings = {key: json.loads(value) for key, value in lines.items()}
    assert settings["dataset_kwargs"] == {"data_files": {"test": names[0]}}
    assert len(list(lm_eval.read(task / names[0]))) == 18


def test_a_log_is_scored_and_is_answers_for_the_overlap(task: Path, tmp_path: Path) -> None:
    key = task / "corefmill_names_all.jsonl"
    rows = [json.loads(line) for line in key.read_text().splitlines()]
    # The first twelve right, the last six wrong.
    said = [
        [-1, -2] if (row["label"] == 0) == (at < 12) else [-2, -1] for at, row in enumerate(rows)
    ]
    lines = [log_line(row, scores) for row, scores in zip(rows, said, strict=True)]
    path = write_log(tmp_path / "samples.jsonl", *lines)
    code, told, error = called("corefmill", "score", key, path, "--json")
    assert code == 0, error
    assert json_result(told)["accuracy"]["f1"] == pytest.approx(12 / 18)
    items = [("names", one.id) for one in examples(21)]
    right = read_answers(path, items)
    assert right.count(True) == 12 and right.count(False) == 6
    assert [at for at, one in enumerate(right) if one is None] == [6, 13, 20]
