"""`corefmill annotate ask` as a user gives it, with a model on the loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corefmill.annotate import judgements
from tests.builders.services.stub import KEY, Stub
from tests.commands import command, json_result, script
from tests.corefmill.annotate.asking.model import READ, VARIABLE, WRITTEN, corpus, event, served
from tests.corefmill.dumps import error_line
from tests.waiting import PATIENCE


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def server() -> Iterator[Stub]:
    with served() as made:
        yield made


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
    done = command("corefmill", *words(server, "--max-items", "5"), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    rater = f"model small at {server.url[7:]}"
    assert f"5 votes of {rater} on 12 items are in votes.jsonl;" in done.stdout
    assert "of 12 questions: left 7." in done.stdout
    assert f"5 calls read {5 * READ:,} tokens and wrote {5 * WRITTEN}" in done.stdout
    assert "Stopped by --max-items 5: the same command with more goes on." in done.stdout
    assert "never alone" in done.stdout
    assert len(list(judgements.read(folder / "votes.jsonl"))) == 5
    made = result(folder, server)  # a run that a limit has ended goes on unasked
    seconds = made.pop("seconds")
    assert seconds > 0
    assert made == {
        **{"out": "votes.jsonl", "rater": rater, "items": 12, "questions": 12, "asked": 7},
        **{"from_cache": 5, "answered": 12, "skipped": 0, "unstable": 0, "swayed": 0},
        **{"broken": {}, "left": 0, "stopped": None, "flagged": 0, "calls": 7, "presumed": 0},
        "tokens": {
            **{"in": 7 * READ, "out": 7 * WRITTEN, "next_call": None},
            "charged_in_all": 12 * (READ + WRITTEN),
        },
    }
    about = json.loads((folder / "votes.asked.json").read_text())
    assert "Do the marked words name this very" in about["prompts"]["event-mention/valid"]
    assert (about["complete"], about["twice"], about["settings"]["temperature"]) == (True, False, 0)
    assert {"out": "votes.jsonl", "rater": rater, **about["counts"]} == made | {"seconds": seconds}
    assert server.asked.total() == 12
    done = command("corefmill", *words(server), cwd=folder)
    assert "votes.jsonl: is there already (--overwrite replaces it)" in error_line(done)
    assert result(folder, server, "--overwrite")["asked"] == 0


def test_a_limit_below_one_call_asks_nothing_and_says_what_it_takes(
    folder: Path, server: Stub
) -> None:
    done = command("corefmill", *words(server, "--max-tokens", "500"), cwd=folder)
    assert (done.returncode, done.stderr, server.asked.total()) == (0, "", 0)
    stop = r"Stopped before --max-tokens 500, since the next call may take up to ([\d,]+): the same"
    found = re.search(stop, done.stdout)
    assert found and 2000 < int(found[1].replace(",", "")) < 4000
    (folder / "votes.jsonl").write_text("mine\n")  # somebody has changed it: it is not ours
    done = command("corefmill", *words(server), cwd=folder)
    assert "is there already" in error_line(done)
    assert (folder / "votes.jsonl").read_text() == "mine\n"


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
    made = result(folder, server, "--max-tokens", "1000000")
    assert (made["asked"], made["from_cache"], made["answered"]) == (7, 5, 12)
    # The sixth was on its way: no answer to it came, and it counts as the most it may have cost.
    assert sorted(server.asked.values()) == [1] * 11 + [2]
    log = [json.loads(line) for line in (folder / "votes.cache/calls.jsonl").open()]
    assert [call["status"] for call in log] == [200] * 5 + [None] + [200] * 7
    assert made["tokens"]["charged_in_all"] == sum(call["charged"] for call in log)
    assert made["tokens"]["charged_in_all"] > 12 * (READ + WRITTEN) + 200
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--masked-model", "minilm"], "--masked-model and --endpoint exclude each other"),
        (["--question", "natural"], "no question 'natural' is asked of this corpus"),
        (["--split", "test"], "holds nothing that a rater could be asked about"),
        (["--cache", "train.jsonl"], "train.jsonl: is a file, not a folder"),
        (["--out", "none/train.jsonl/x"], "none/train.jsonl"),
        (["--endpoint", "ftp://box"], "--endpoint is no URL of a service"),
        (["--endpoint", f"http://box/?{KEY}"], "--endpoint may hold no name, password or query"),
        (["--model", "a\x1b"], "--model is no name of a model"),
        (["--key-variable", "sk-1"], "--key-variable is no name of a variable"),
        (
            ["--endpoint", "https://api.example.com/v1"],
            "12 questions about 12 items would go to api.example.com, for up to",
        ),
    ],
)
def test_what_cannot_be_is_one_line_and_nothing_is_asked(
    more: list[str], said: str, folder: Path, server: Stub
) -> None:
    if more[0] == "--out":
        (folder / "none").write_text("a file")
    done = command("corefmill", *words(server, *more), cwd=folder)
    assert said in error_line(done)
    assert KEY not in done.stderr
    assert server.asked.total() == 0
    assert not (folder / "votes.jsonl").exists()


def test_a_model_must_be_named(folder: Path) -> None:
    done = command("corefmill", "annotate", "ask", "train.jsonl", "--out", "x.jsonl", cwd=folder)
    assert "--endpoint URL and --model NAME, or --masked-model DIR" in error_line(done)
