"""What is trained on a GPU: its settings are known, and without one it is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.task import load_kind
from tools.gpu import reproduce
from tools.gpu.reproduce import Experiment, experiments

TASKS = {"pointer": "pointer", "events": "events", "names": "masked"}


@pytest.mark.parametrize(
    "one", list(experiments(Path("data"), Path("out"))), ids=lambda one: one.name
)
def test_the_settings_of_each_experiment_are_known(one: Experiment) -> None:
    pairs = list(zip(one.train[::2], one.train[1::2], strict=True))
    given = {key: [value for name, value in pairs if name == key] for key, _ in pairs}
    task = TASKS.get(one.name, "documents")
    assert set(given) <= {"--corpus", "--task", "--set", "--preset"}
    assert resolve(
        load_kind(task).Settings,
        task,
        presets=given.get("--preset", []),
        sets=given.get("--set", []),
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
