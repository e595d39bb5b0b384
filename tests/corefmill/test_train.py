"""`train coref`, with a small task of the tests' own in place of the real ones."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from corefmill import coref_model
from corefmill.cli.main import TRAIN
from corefmill.corpora.files.errors import install_command
from corefmill.corpora.records import KINDS
from tests.commands import called, json_result
from tests.corefmill import trained

Line = Callable[..., tuple[int, str, str]]


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Line:
    """Runs a command line in an empty folder: its exit code, output and errors."""
    for package in ("torch", "transformers", "accelerate"):
        pytest.importorskip(package, reason="needs the extra train")
    from corefmill.coref_model.training import config, task

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(task.KINDS, "masked", "tests.coref_model.training.toy_kind:KIND")
    tables = Path(__file__).parents[1] / "coref_model/training/tables"
    monkeypatch.setattr(config, "TABLES", tables)

    return partial(called, "train")


def test_the_help_names_every_task() -> None:
    (task,) = (one for one in TRAIN.load("coref").params if one.name == "task")
    assert task.metavar == "|".join(("auto", *KINDS, "pointer"))


def test_a_corpus_becomes_a_model(line: Line, tmp_path: Path) -> None:
    trained.folder(tmp_path / "mine", trained.examples(8), trained.examples(4))
    code, out, err = line("coref", "--corpus", "mine")
    assert (code, err) == (0, "")
    first, second, before, last = out.splitlines()
    assert before.startswith("Untrained: accuracy ") and last.endswith(f"{before.split()[2]}.")
    assert first == "Corpus mine, mine: 8 train, 4 validation. Encoder tiny, frozen."
    assert second == "Task masked, preset cpu; the model goes to out/models/mine-tiny."
    assert last.startswith("The model is done: accuracy ")
    folder = tmp_path / "out/models/mine-tiny"
    assert {path.name for path in folder.iterdir()} == {
        ".corefmill",
        "model.toml",
        "model.safetensors",
        "encoder",
        "log.csv",
        "curves.png",
        "README.md",
    }
    with (folder / "log.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 16
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_json_for_scripts_and_the_same_command_again(line: Line, tmp_path: Path) -> None:
    trained.folder(tmp_path / "mine", trained.examples(8), trained.examples(4))
    command = ("coref", "--corpus", "mine", "--out", "m", "--seed", "3", "--json")
    code, out, err = line(*command)
    assert (code, err) == (0, "")
    result = json_result(out)
    assert list(result) == [
        *("task", "encoder", "corpus", "steps", "metric", "score", "untrained", "out", "seconds")
    ]
    assert (result["task"], result["encoder"], result["corpus"]) == ("masked", "tiny", "mine")
    assert (result["steps"], result["metric"], result["out"]) == (16, "accuracy", "m")
    before = (tmp_path / "m/model.toml").stat().st_mtime_ns
    assert json_result(line(*command)[1]) == result
    assert (tmp_path / "m/model.toml").stat().st_mtime_ns == before
    assert line(*command[:5], "--seed", "3", "-q")[1] == ""


def test_what_is_in_the_folder_is_not_written_over_unasked(line: Line, tmp_path: Path) -> None:
    trained.folder(tmp_path / "mine", trained.examples(8), trained.examples(4))
    mine = ("coref", "--corpus", "mine", "--out", "m", "-q", "--set")
    assert line(*mine, "epochs=1")[0] == 0
    code, _, err = line(*mine, "epochs=2")
    assert code == 2
    assert "m: the folder holds a model of other options or data (--overwrite" in err
    (tmp_path / "m/notes.txt").touch()
    for more in ((), ("--overwrite",)):
        assert (
            "m: the folder holds files of something else: notes.txt"
            in line(*mine, "epochs=2", *more)[2]
        )
    (tmp_path / "m/notes.txt").unlink()
    assert line(*mine, "epochs=2", "--overwrite")[0] == 0
    (tmp_path / "m/model.toml").unlink()
    assert "m: the folder holds parts of a model: README.md" in line(*mine, "epochs=2")[2]
    assert (
        "notes: this is a file"
        in line("coref", "--corpus", "mine", "--out", (tmp_path / "notes").touch() or "notes")[2]
    )


def test_a_model_remembers_its_files_and_the_models_before_it(line: Line, tmp_path: Path) -> None:
    import tomllib

    def sha256(*names: str) -> list[str]:
        return [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names]

    trained.folder(tmp_path / "one", trained.examples(8), trained.examples(4))
    trained.folder(tmp_path / "two", trained.examples(6), trained.examples(2))
    begun: tuple[str, ...] = ()
    for corpus, out in (("one", "first"), ("two", "second"), ("one", "third")):
        assert line("coref", "--corpus", corpus, "--out", out, *begun, "-q")[0] == 0
        begun = ("--init-from", out)
    first, second, third = (
        tomllib.loads((tmp_path / name / "model.toml").read_text())
        for name in ("first", "second", "third")
    )
    train, dev = sha256("one/train.jsonl", "one/dev.jsonl")
    assert first["corpora"]["one"]["files"] == [train]
    assert first["corpora"]["one"]["validation_files"] == [dev]
    assert first["began_with"] == []
    earlier = {"sha256": first["sha256"], "corpora": first["corpora"]}
    assert second["began_with"] == [earlier]
    assert third["began_with"] == [
        {"sha256": second["sha256"], "corpora": second["corpora"]},
        earlier,
    ]
    said = (tmp_path / "second/README.md").read_text()
    assert f"SHA-256 of its weights {first['sha256'][:16]}." in said
    again = ("coref", "--corpus", "two", "--out", "second", "--init-from", "first")
    assert "was here already" in line(*again)[1]


def test_two_corpora_share_the_training_and_average_the_development(
    line: Line, tmp_path: Path
) -> None:
    import tomllib

    trained.folder(tmp_path / "one", trained.examples(8), trained.examples(4))
    trained.folder(tmp_path / "two", trained.examples(6), trained.examples(2))
    code, out, _ = line("coref", "--corpus", "one,two", "--out", "m")
    assert code == 0
    assert out.startswith("Corpus one, one: 8 train, 4 validation.")
    assert "Corpus two, two: 6 train, 2 validation." in out
    made = tomllib.loads((tmp_path / "m/model.toml").read_text())
    assert made["steps"] == 28
    scores = made["scores"]
    assert scores["accuracy"] == (scores["one.accuracy"] + scores["two.accuracy"]) / 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--corpus nothing", "no corpus 'nothing'"),
        ("--corpus mine --task events", "mine holds masked examples, and the task events learns"),
        (
            "--corpus mine --seed 999999999999999999999999999999",
            "is not in the range 0<=x<=9223372036854775807",
        ),
        ("--corpus mine --set held_out_seed=999999999999999999999", "less than or equal to"),
        ("--corpus mine --set lora=99999999", "should be less than or equal to 4096"),
        ("--corpus mine --set seed=1 --seed 1", "--seed and --set seed=1 exclude each other"),
        ("--corpus mine --set batch_pieces=1e9", "batch_pieces = 1000000000.0: input should be"),
        ("--corpus mine --preset big", "no preset 'big' (there are cpu, deltas, whole)"),
        ("--corpus mine --config none.toml", "none.toml: cannot be opened"),
        ("--corpus mine --encoder no/where", "no encoder 'no/where'"),
        ("--corpus mine --set trained=true --set lora=2", ": trained = true, lora > 0 and adapter"),
        (
            "--corpus mine --task all",
            "there is no task 'all' (name one of masked, events, documents, pointer)",
        ),
        ("--corpus empty.jsonl", "empty.jsonl: this file is empty"),
        ("--corpus mine --init-from pickled", "pickled: the weights are pickled"),
    ],
)
def test_what_does_not_fit_is_one_line(
    line: Line, tmp_path: Path, arguments: str, said: str
) -> None:
    trained.folder(tmp_path / "mine", trained.examples(8), trained.examples(4))
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "pickled").mkdir()
    (tmp_path / "pickled/pytorch_model.bin").touch()
    code, out, err = line("coref", *arguments.split())
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_without_torch_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coref_model, "find_spec", lambda name: None)
    code, _, error = called("train", "coref", "--corpus", "x")
    assert code == 2 and install_command("train") in error
