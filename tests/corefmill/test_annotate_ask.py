"""`corefmill annotate ask` as a user gives it, with a model on the loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from corefmill.annotate import judgements
from tests.builders.services.stub import KEY, Stub
from tests.commands import command, json_result, script
from tests.corefmill.annotate.asked import READ, VARIABLE, WRITTEN, corpus, event
from tests.corefmill.dumps import error_line
from tests.waiting import PATIENCE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus(tmp_path, map(event, range(12)))
    return tmp_path


def words(server: Stub, *more: str) -> list[str]:
    endpoint = ["--endpoint", f"{server.url}/v1", "--model", "small", "--key-variable", VARIABLE]
    return ["annotate", "ask", "train.jsonl", *endpoint, "--out", "votes.jsonl", *more]


def result(folder: Path, server: Stub, *more: str) -> dict[str, Any]:
    done = command("corefmill", *words(server, *more, "--json"), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    made: dict[str, Any] = json_result(done.stdout)
    return made


def test_votes_and_how_they_came_about(folder: Path, server: Stub) -> None:
    done = command("corefmill", *words(server, "--limit", "5"), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    rater = f"model small at {server.url[7:]}"
    assert f"5 votes of {rater} on 5 items are in votes.jsonl." in done.stdout
    done = command("corefmill", *words(server), cwd=folder)
    assert "votes.jsonl: is there already (--overwrite replaces it)" in error_line(done)
    made = result(folder, server, "--overwrite")
    seconds = made.pop("seconds")
    assert seconds > 0
    assert made == {
        **{"out": "votes.jsonl", "rater": rater, "items": 12, "questions": 12, "asked": 7},
        **{"answered": 12, "skipped": 0, "broken": {}},
        "tokens": {"in": 7 * READ, "out": 7 * WRITTEN},
    }
    about = json.loads((folder / "votes.asked.json").read_text())
    assert "Do the marked words name this very" in about["prompts"]["event-mention/valid"]
    assert len(list(judgements.read(folder / "votes.jsonl"))) == 12
    assert {"out": "votes.jsonl", "rater": rater, **about["counts"]} == made | {"seconds": seconds}
    assert server.asked.total() == 12


def test_a_kill_costs_no_answer_twice(folder: Path, server: Stub) -> None:
    right = server.answer
    process = subprocess.Popen(
        [script("corefmill"), *words(server, "--at-once", "1", "-q")], cwd=folder
    )

    def deadly(text: str) -> Any:
        if server.asked.total() == 6:
            os.kill(process.pid, signal.SIGKILL)
        return right(text)

    server.answer = deadly
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert not (folder / "votes.jsonl").exists()
    made = result(folder, server)
    assert (made["asked"], made["answered"]) == (7, 12)
    # The sixth was on its way: no answer to it came.
    assert sorted(server.asked.values()) == [1] * 11 + [2]
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--endpoint", f"http://box/?{KEY}"], "--endpoint has a name, password or query"),
        (["--key-variable", "sk-1"], "--key-variable is not the name of a variable"),
    ],
)
def test_what_cannot_be_is_one_line_and_nothing_is_asked(
    more: list[str], said: str, folder: Path, server: Stub
) -> None:
    done = command("corefmill", *words(server, *more), cwd=folder)
    assert said in error_line(done)
    assert KEY not in done.stderr
    assert server.asked.total() == 0
    assert not (folder / "votes.jsonl").exists()
