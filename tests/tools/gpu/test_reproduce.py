"""What is trained on a GPU: that it can be, that it is judged, and that it stops in time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.task import kind_of
from corefmill.corpora import jsonl
from corefmill.corpora.records import Source
from tests.coref_model.masked.passages import example
from tools.gpu import reproduce
from tools.gpu.reproduce import Experiment, experiments, run

TASKS = {"pointer": "pointer", "events": "events", "names": "masked"}
PASSAGES = [
    replace(
        example(f"{one} met {other} because she left.", "she", one, other, label=number % 2),
        source=Source(f"text {number}", number),
    )
    for number, (one, other) in enumerate([("Ann", "Eve"), ("Joan", "Lucy"), ("Mary", "Ruth")] * 2)
]


@pytest.mark.parametrize(
    "one", list(experiments(Path("data"), Path("out"))), ids=lambda one: one.name
)
def test_the_settings_of_each_experiment_are_known(one: Experiment) -> None:
    pairs = list(zip(one.train[::2], one.train[1::2], strict=True))
    given = {key: [value for name, value in pairs if name == key] for key, _ in pairs}
    task = TASKS.get(one.name, "documents")
    assert set(given) <= {"--corpus", "--task", "--set", "--preset"}
    assert resolve(
        kind_of(task).Settings, task, presets=given.get("--preset", []), sets=given.get("--set", [])
    )
    assert {command[0] for command in one.prepare} <= {"build", "parse"}


def test_without_a_gpu_it_says_what_it_would_train(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reproduce, "card_name", lambda: None)
    argv = ["reproduce", "--data", "data", "--out", str(tmp_path / "out"), "--only", "events"]
    monkeypatch.setattr("sys.argv", argv)
    with pytest.raises(SystemExit) as ended:
        reproduce.main()
    assert ended.value.code == 2
    told = capsys.readouterr().out
    assert "no GPU" in told and "events: Events of ECB+" in told and "litbank" not in told
    assert not (tmp_path / "out").exists()


@pytest.fixture
def tiny(tmp_path: Path) -> Experiment:
    """A training of a moment, judged on passages that it has not seen."""
    for name, part in (("seen", PASSAGES), ("unseen", PASSAGES[:3])):
        jsonl.write(tmp_path / f"{name}.jsonl", part)
    train = ("--corpus", str(tmp_path / "seen.jsonl"), "--task", "pointer", "--encoder", "tiny")
    train = (*train, "--set", "max_steps=1", "--set", "hidden=8", "--set", "pair_width=16")
    copied = ("convert", str(tmp_path / "unseen.jsonl"), str(tmp_path / "new.jsonl"))
    return Experiment("tiny", "", train, (str(tmp_path / "new.jsonl"),), (copied,))


def test_what_was_trained_is_judged_and_not_trained_again(tiny: Experiment, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run([tiny], out, tmp_path, [0], 300, "a card") == []
    told = json.loads((out / "tiny-0.json").read_text())
    own, judged = told["rows"]
    assert own["metric"] == "accuracy" and judged["n"] == 3 and judged["rule"]
    table = (out / "results.md").read_text()
    assert table.count("| tiny | 0 | a card |") == 2 and "| 66.67 (" in table
    (out / "tiny-0" / "model.toml").unlink()  # it would be missed if it were asked for
    assert run([tiny], out, tmp_path, [0], 300, "a card") == []


def test_without_time_nothing_is_trained_and_all_is_told(tiny: Experiment, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run([tiny], out, tmp_path, [0, 1], 0, "a card") == ["tiny (seed 0)", "tiny (seed 1)"]
    assert (out / "tiny.0.prepared").exists() and not (out / "tiny-0").exists()


def test_a_score_stands_beside_the_best_rule() -> None:
    row = {"corpus": "gap", "protocol": "p", "metric": "F1", "group": "", "n": 9, "by": "the model"}
    rules = [("nearest", 50.0), ("same role", 60.0), ("broken", None)]
    rows = [{**row, "score": 55.0}, *({**row, "by": by, "score": score} for by, score in rules)]
    rows += [
        {**row, "score": 1.0, "group": "M"},
        {**row, "by": "other", "score": 99, "metric": "x"},
    ]
    (found,) = reproduce._judged(rows)
    assert (found["score"], found["rule"]) == (55.0, (60.0, "same role"))
