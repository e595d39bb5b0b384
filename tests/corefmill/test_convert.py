"""Corpora in the forms of other tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.overlap.split import answers
from corefmill.cli.main import COREFMILL
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import gap, lm_eval
from corefmill.corpora.formats.registry import FORMATS
from corefmill.corpora.records import MaskedExample
from tests.commands import command, json_result
from tests.corefmill import trained
from tests.corefmill.dumps import error_line
from tests.corpora.formats.test_lm_eval import log, log_line

FIVE = "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"


def convert(*arguments: str | Path) -> None:
    COREFMILL.load("convert")(list(map(str, arguments)), standalone_mode=False)


def test_it_says_what_was_written_and_what_was_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(FIVE * 2)
    convert(tmp_path / "a.txt", tmp_path / "b.jsonl", "--lang", "it")
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'b.jsonl'}: 2 records as native-masked\n"
    assert said.err == ""
    convert(tmp_path / "b.jsonl", tmp_path / "c.txt", "--json")
    said = capsys.readouterr()
    assert said.err == "convert: five-line did not carry, of 2 records: id (2), lang (2)\n"
    done = json_result(said.out)
    assert (done["from"], done["to"], done["lost"]) == (
        ["native-masked"],
        "five-line",
        {"id": 2, "lang": 2},
    )


def test_the_list_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    convert("--list")
    shown = capsys.readouterr().out
    assert all(f"\n{name} " in shown for name in FORMATS)
    convert("--list", "--json")
    listed = json_result(capsys.readouterr().out)
    assert [form["name"] for form in listed] == list(FORMATS)


def test_files_of_no_format_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(FIVE)
    (tmp_path / "in" / "LICENCE").write_text("Free.\n")
    convert(tmp_path / "in", tmp_path / "out", "--to", "native-masked")
    assert "left out, of no known format: " in capsys.readouterr().err


def test_an_error_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FIVE + "Anna\n")
    done = command("corefmill", "convert", tmp_path / "a.txt", tmp_path / "b.jsonl")
    assert error_line(done).endswith("a.txt:6: the last block has too few lines")
    assert list(tmp_path.iterdir()) == [tmp_path / "a.txt"]


Capture = pytest.CaptureFixture[str]

TEXTS = (
    "Ann told Eve that she was late.",
    "Eve gave Ann a book because she liked reading.",
    "Ann called Eve before she left the house.",
)


def examples(count: int) -> list[MaskedExample]:
    made = []
    for number in range(count):
        text = TEXTS[number % len(TEXTS)]
        at = text.index("she")
        label = None if number % 7 == 6 else number % 2
        source = trained.examples(1)[0].source
        made.append(
            MaskedExample(
                f"e{number}", "en", text, (), (at, at + 3), ("Ann", "Eve"), (), label, source
            )
        )
    return made


@pytest.fixture
def task(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the task `corefmill_names_all`, of 18 examples with a label of 21."""
    monkeypatch.chdir(tmp_path)
    jsonl.write(Path("names.jsonl"), examples(21))
    line = ["export-task", "names.jsonl", "--out", "task"]
    code, said, error = trained.called("corefmill", line, capsys)
    assert (code, error) == (0, "")
    assert said == (
        "task: the task corefmill_names_all, 18 examples of all, 3 without a label left out\n"
    )
    return tmp_path / "task"


def accuracy(key: Path, response: Path, capsys: Capture) -> float:
    code, said, error = trained.called("corefmill", ["score", key, response, "--json"], capsys)
    assert code == 0, error
    scores = json_result(said)["accuracy"]
    return float(scores["f1"])


def test_a_task_is_two_files_without_code(task: Path) -> None:
    names = ["corefmill_names_all.jsonl", "corefmill_names_all.yaml"]
    assert sorted(path.name for path in task.iterdir()) == names
    config = (task / names[1]).read_text()
    assert "!function" not in config and str(task.parent) not in config
    lines = dict(line.split(": ", 1) for line in config.splitlines() if line[0] != "#")
    settings = {key: json.loads(value) for key, value in lines.items()}
    assert settings["dataset_kwargs"] == {"data_files": {"test": names[0]}}
    assert len(list(lm_eval.read(task / names[0]))) == 18


def test_a_log_is_scored_and_is_answers_for_the_overlap(
    task: Path, tmp_path: Path, capsys: Capture
) -> None:
    key = task / "corefmill_names_all.jsonl"
    rows = [json.loads(line) for line in key.read_text().splitlines()]
    # The first twelve right, the last six wrong.
    said = [
        [-1, -2] if (row["label"] == 0) == (at < 12) else [-2, -1] for at, row in enumerate(rows)
    ]
    lines = [log_line(row, scores) for row, scores in zip(rows, said, strict=True)]
    path = log(tmp_path / "samples.jsonl", *lines)
    assert accuracy(key, path, capsys) == pytest.approx(12 / 18)
    items = [("names", one.id) for one in examples(21)]
    right = answers(path, items)
    assert right.count(True) == 12 and right.count(False) == 6
    assert [at for at, one in enumerate(right) if one is None] == [6, 13, 20]


def test_gap_goes_the_same_way(tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "gap.tsv"
    gap.write(source, examples(5))
    line = ["export-task", source, "--out", tmp_path / "t", "--json"]
    code, said, _ = trained.called("corefmill", line, capsys)
    made = json_result(said)
    assert (code, made["rows"], made["left_out"], made["split"]) == (0, 5, 0, "all")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: jsonl.write(Path("x.jsonl"), trained.documents(2)), "a task is made of masked"),
        (
            lambda: jsonl.write(Path("x.jsonl"), [examples(7)[6]]),
            "none of 1 examples of all of x has a label",
        ),
    ],
)
def test_refusals(
    make: Any, says: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make()
    line = ["export-task", "x.jsonl", "--out", "t"]
    code, said, error = trained.called("corefmill", line, capsys)
    assert (code, said, Path("t").exists()) == (2, "", False)
    assert says in error and error.count("\n") == 1


def test_a_folder_with_something_in_it_is_left_alone(task: Path, capsys: Capture) -> None:
    line = ["export-task", "names.jsonl", "--out", "task"]
    code, _, error = trained.called("corefmill", line, capsys)
    assert code == 2 and "is there already" in error
    assert len(list(task.iterdir())) == 2


@pytest.mark.skipif(find_spec("lm_eval") is None, reason="lm_eval is not installed")
def test_lm_eval_prints_the_accuracy_that_is_scored_here(
    task: Path, tmp_path: Path, capsys: Capture
) -> None:
    small_gpt2(tmp_path / "gpt2")
    line = ["-m", "lm_eval", "run", "--include_path", ".", "--tasks", "corefmill_names_all"]
    line += ["--model", "hf", "--model_args", f"pretrained={tmp_path / 'gpt2'}", "--device", "cpu"]
    line += ["--log_samples", "--output_path", str(tmp_path / "log")]
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    done = subprocess.run(
        [sys.executable, *line],
        cwd=task,
        env=os.environ | offline,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    [results] = (tmp_path / "log").rglob("results_*.json")
    printed = json.loads(results.read_text())["results"]["corefmill_names_all"]["acc,none"]
    [samples] = (tmp_path / "log").rglob("samples_*.jsonl")
    assert accuracy(task / "corefmill_names_all.jsonl", samples, capsys) == pytest.approx(printed)


def small_gpt2(folder: Path) -> None:
    """A random GPT-2 of one layer with a tokenizer of letters, as Hugging Face saves it."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Split
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    pieces = {chr(code): code - 32 for code in range(32, 127)} | {"<e>": 95}
    made = Tokenizer(WordLevel(pieces, unk_token="<e>"))
    made.pre_tokenizer = Split("", "isolated")
    PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<e>", unk_token="<e>"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=96,
        n_positions=256,
        n_embd=16,
        n_layer=1,
        n_head=2,
        bos_token_id=95,
        eos_token_id=95,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
