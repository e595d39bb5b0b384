"""The loop on a toy task: it learns, stops, and goes on after a kill as if nothing had been."""

from __future__ import annotations

import csv
import os
import random
import sys
import time
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path
from socket import socket
from typing import Any

import pytest
import torch

from corefmill.coref_model.training import resume
from corefmill.coref_model.training.loop import train
from corefmill.coref_model.training.resume import TrainingProgress
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from tests.coref_model.training.toy import Stopped, Stops, Toy, parameters, settings
from tests.waiting import PATIENCE, running, wait_until

TOY = "tests.coref_model.training.toy"


def run(out: Path, *sets: str, task: Any = None) -> tuple[Toy, TrainingProgress]:
    out.mkdir(exist_ok=True)
    task = task or Toy()
    return task, train(task, settings(*sets), out, quiet=True)


def log(out: Path) -> list[dict[str, str]]:
    with (out / "log.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def same(one: Toy, other: Toy) -> bool:
    mine, theirs = parameters(one), parameters(other)
    return mine.keys() == theirs.keys() and all(torch.equal(mine[k], theirs[k]) for k in mine)


def test_it_learns_and_says_how_it_went(tmp_path: Path) -> None:
    before = Toy(dropout=0).evaluate()["closeness"]
    task, done = run(tmp_path, "epochs=20", task=Toy(dropout=0))
    assert before < 0.5 < 0.9 < done.score
    assert (done.steps, done.ended_by, done.untrained) == (200, "epochs", before)
    rows = log(tmp_path)
    assert [int(row["step"]) for row in rows] == list(range(1, 201))
    assert sum(bool(row["dev"]) for row in rows) == 20
    assert max(float(row["dev"]) for row in rows if row["dev"]) == done.score
    assert float(rows[done.best_step - 1]["dev"]) == done.score
    task.model.eval()
    assert task.evaluate() == done.scores, "the model has the parameters of the best evaluation"


def test_it_stops_when_nothing_gets_better(tmp_path: Path) -> None:
    class Worse(Toy):
        left = 0.9

        def evaluate(self) -> dict[str, float]:
            self.left -= 0.1
            return {"closeness": self.left}

    _, done = run(tmp_path, "patience=2", "evaluate_every=3", task=Worse())
    assert (done.steps, done.ended_by, done.best_step) == (9, "patience", 3)


def test_what_is_as_good_as_the_best_is_no_better(tmp_path: Path) -> None:
    class Level(Toy):
        def evaluate(self) -> dict[str, float]:
            return {"closeness": 0.5}

    _, done = run(tmp_path, "patience=2", "evaluate_every=3", task=Level())
    assert (done.steps, done.ended_by, done.best_step) == (9, "patience", 3)


@pytest.mark.parametrize("stop", [1, 4, 10, 17])
def test_a_training_that_broke_off_goes_on_as_if_it_had_not(tmp_path: Path, stop: int) -> None:
    whole, done = run(tmp_path / "whole", "save_every=3")
    with pytest.raises(Stopped):
        run(tmp_path / "parts", "save_every=3", task=Stops(stop))
    parts, resumed = run(tmp_path / "parts", "save_every=3")
    assert same(whole, parts)
    assert (tmp_path / "whole/log.csv").read_bytes() == (tmp_path / "parts/log.csv").read_bytes()
    assert (resumed.score, resumed.best_step) == (done.score, done.best_step)
    assert resumed.untrained == done.untrained


def test_a_killed_process_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    sets = ("epochs=20", "save_every=7", "evaluate_every=25")
    out = tmp_path / "killed"
    out.mkdir()
    with running(sys.executable, "-m", TOY, out, *sets, "max_steps=199") as process:
        # It is killed at a random step after the first state is there.
        wait_until(
            lambda: (out / "resume/state.safetensors").exists() or process.poll() is not None,
            "a state is saved",
        )
        time.sleep(random.random() / 4)
    whole, done = run(tmp_path / "whole", *sets, "max_steps=199")
    resumed, again = run(out, *sets, "max_steps=199")
    assert same(whole, resumed)
    assert (tmp_path / "whole/log.csv").read_bytes() == (out / "log.csv").read_bytes()
    assert again.scores == done.scores


def test_other_settings_do_not_go_on_with_it(tmp_path: Path) -> None:
    run(tmp_path)
    with pytest.raises(UsageError, match=r"with clip 1\.0, not 2\.0 .*--overwrite"):
        run(tmp_path, "clip=2.0")
    run(tmp_path, "save_every=5")  # decides nothing


@pytest.mark.parametrize(
    ("package", "shown"),
    [
        ("corefmill", r"corefmill \S+ \(code \w{12}\), not 9 \(code 0000"),
        ("torch", r"torch 2\S*, not 9 "),
        ("transformers", r"transformers \S+, not 9 "),
        ("code", r"corefmill \S+ \(code \w{12}\), not \S+ \(code 0000"),
    ],
)
def test_another_version_does_not_go_on_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, shown: str
) -> None:
    with pytest.raises(Stopped):
        run(tmp_path, "save_every=3", task=Stops(10))
    if package in ("corefmill", "code"):
        monkeypatch.setattr(disk, "code_version", lambda *rooms: {"source": "0" * 64})
    monkeypatch.setattr(
        resume, "version", lambda name: "9" if name == package else metadata.version(name)
    )
    with pytest.raises(UsageError, match=f"unfinished training with {shown}.*with that version"):
        run(tmp_path, "save_every=3")
    monkeypatch.undo()
    run(tmp_path, "save_every=3")


def test_a_state_that_was_changed_is_refused(tmp_path: Path) -> None:
    run(tmp_path, "max_steps=5")
    state = tmp_path / "resume/state.safetensors"
    whole = bytearray(state.read_bytes())
    whole[-1] ^= 1
    state.write_bytes(whole)
    with pytest.raises(DataError, match="the file was changed later"):
        run(tmp_path, "max_steps=5")


def test_a_log_that_lacks_steps_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        run(tmp_path, "save_every=3", task=Stops(9))
    (tmp_path / "log.csv").write_text("step\n")
    with pytest.raises(DataError, match="lacks lines of the 9 steps"):
        run(tmp_path, "save_every=3")


def test_a_loss_that_is_no_number_ends_it(tmp_path: Path) -> None:
    class Breaks(Toy):
        def loss(self, batch: list[int]) -> tuple[Any, int]:
            loss, count = super().loss(batch)
            return loss * float("inf"), count

    with pytest.raises(UsageError, match=r"the loss is inf at step 1 \(lower the learning rates"):
        run(tmp_path, task=Breaks())


def test_two_processes_make_the_steps_of_one(tmp_path: Path) -> None:
    run(tmp_path / "one", "max_steps=6", "accumulate=2", "clip=0", task=Toy(dropout=0))
    out = tmp_path / "two"
    out.mkdir()
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # What torchrun sets, without the seconds that it takes itself.
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    with ExitStack() as both:
        processes = [
            both.enter_context(
                running(
                    *(sys.executable, "-m", TOY, out, "max_steps=6", "clip=0"),
                    env=os.environ | where | {"RANK": rank, "LOCAL_RANK": rank, "TOY_DROPOUT": "0"},
                )
            )
            for rank in "01"
        ]
        assert [process.wait(PATIENCE) for process in processes] == [0, 0]
    # A thread of the group that outlives it aborts the process now and then.
    threads = " ".join((tmp_path / f"two.threads.{rank}").read_text() for rank in "01")
    assert "gloo" not in threads and "tcpstore" not in threads
    rows, mine = log(out), log(tmp_path / "one")
    assert [row["items"] for row in rows] == [row["items"] for row in mine] == ["8"] * 6
    # Chance differs between processes, so the first step is near, and all the later ones.
    for row, my in zip(rows, mine, strict=True):
        assert float(row["loss"]) == pytest.approx(float(my["loss"]), rel=0.02)
