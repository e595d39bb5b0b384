"""The settings of all that is trained on a GPU are known."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.task import load_kind
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
