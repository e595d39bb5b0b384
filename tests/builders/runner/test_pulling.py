"""Tasks of a cluster, in processes of their own: same bytes, whoever is killed, and who refuses."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.runner import pulling
from corefmill.builders.runner.job import Job, Limit
from corefmill.builders.runner.leases import LEASES, Seen
from corefmill.builders.runner.pulling import ClusterTask
from corefmill.builders.runner.run import run
from corefmill.builders.runner.shards import End
from corefmill.builders.runner.workers import InlinePool, StageError
from corefmill.builders.runner.workplace import is_whole
from corefmill.corpora.errors import DataError, UsageError
from tests.builders.runner.test_run import NUMBERS, lines, numbered
from tests.builders.runner.toy_task import (
    CORPUS,
    QUICK,
    first,
    here,
    job_of,
    leases_of,
    ready,
    task,
)
from tests.commands import ROOT
from tests.waiting import running, wait_until


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks without processes of their own: a task is a thread here, which starts at once."""
    monkeypatch.setattr(pulling, "ProcessPool", lambda plan, size, first: InlinePool(plan))


def tasks_at_once(job: Job, number: int) -> list[BaseException | None]:
    """What each of so many tasks ends with."""
    with ThreadPoolExecutor(number) as threads:
        return [one.exception() for one in [threads.submit(task, job, n) for n in range(number)]]


@contextmanager
def processes(path: Path, out: Path, number: int, seconds: float = 0.05) -> Iterator[list[Any]]:
    """Tasks in processes, to be killed; what they say is in a file for each beside `out`."""
    ready(job_of(path, out, seconds=seconds))
    with ExitStack() as stack:
        started = []
        for n in range(number):
            log = stack.enter_context(out.with_name(f"{n}.log").open("w"))
            call = ("-m", "tests.builders.runner.toy_task", path, out, n, 1, seconds)
            started.append(
                stack.enter_context(
                    running(
                        sys.executable,
                        *map(str, call),
                        cwd=ROOT,
                        env=os.environ | {"PYTHONPATH": str(ROOT)},
                        stderr=log,
                    )
                )
            )
        yield started


def units_of(out: Path) -> set[str]:
    """The units that are in hand now."""
    return {one.name for seen in leases_of(out) for one in seen.held if one.name.isdigit()}


def units_done(job: Job) -> tuple[int, int]:
    """How many units are done, and how many there are."""
    folder = job.work_dir / job.fingerprint.digest
    end = End.read(folder)
    assert end is not None
    return len(list(folder.glob("[0-9]*.json"))), end.units


def test_tasks_give_the_bytes_of_one_machine(tmp_path: Path, inline: None) -> None:
    path = lines(tmp_path, [*NUMBERS, "# a", "DROP"])
    job = job_of(path, tmp_path / "out", keep_rejects=True)
    ready(job)
    assert tasks_at_once(job, 4) == [None] * 4
    assert (tmp_path / "out" / CORPUS).read_text() == here(
        path, tmp_path / "here", keep_rejects=True
    )
    # The step that one does was done by one, and of the work nothing is left.
    assert (tmp_path / "out" / CORPUS).read_text().count("one\n") == 1
    assert not list((tmp_path / "out/.corefmill").glob("[wp]*"))


@given(st.permutations(range(6)), st.integers(0, 6), st.integers(1, 4))
@settings(max_examples=8)
def test_in_whatever_order_others_finish(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], done: int, tasks: int
) -> None:
    """Units that were finished before, in any order, by whichever task."""
    tmp_path = tmp_path_factory.mktemp("order")
    path = lines(tmp_path, NUMBERS)
    job = job_of(path, tmp_path / "out")
    ready(job)
    with run(replace(job, out_dir=tmp_path / "other")) as whole:
        for unit in order[:done]:
            for file in sorted(whole.folder.glob(f"0000{unit}.*"), reverse=True):
                file.replace(job.work_dir / job.fingerprint.digest / file.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulling, "ProcessPool", lambda plan, size, first: InlinePool(plan))
        assert tasks_at_once(job, tasks) == [None] * tasks
    assert (tmp_path / "out" / CORPUS).read_text() == here(path, tmp_path / "here")


def test_a_task_that_is_killed_is_made_up_for(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    path = lines(tmp_path, [*NUMBERS, f"GATE {gate}", *map(str, range(20, 40))])
    out = tmp_path / "out"
    with processes(path, out, 3) as started:
        wait_until(lambda: units_of(out), "a unit is in hand")
        os.killpg(started[1].pid, signal.SIGKILL)
        gate.touch()
        for one in (started[0], started[2]):
            assert one.wait(120) == 0, (tmp_path / "0.log").read_text()
    gate.touch()
    whole = here(path, tmp_path / "here", seconds=0.05)
    assert (out / CORPUS).read_text() == whole


def test_the_one_who_writes_the_corpus_is_killed(tmp_path: Path, inline: None) -> None:
    """The one task that stood by takes over; the others had left."""
    path = lines(tmp_path, NUMBERS)
    job = job_of(path, tmp_path / "out")
    ready(job)
    folder = job.work_dir / job.fingerprint.digest / LEASES
    (folder / "corpus.0").write_text("{}")
    with ThreadPoolExecutor(3) as threads:
        started = [threads.submit(task, job, n) for n in range(3)]
        wait_until(lambda: sum(one.done() for one in started) == 2, "two have left")
        assert not is_whole(job)
        os.utime(folder / "corpus.0", (0, 0))
        wait_until(lambda: all(one.done() for one in started), "it is written")
    assert [one.exception() for one in started] == [None] * 3
    assert (tmp_path / "out" / CORPUS).read_text() == here(path, tmp_path / "here")


@pytest.mark.parametrize(
    ("line", "said", "why"),
    [
        ("DIE", "killed by SIGKILL at unit 6", "killed by SIGKILL"),
        ("FAIL", "KeyError at unit 6", "KeyError"),
        ("BAD", "x.txt:7: unit 6: a bad line", "x.txt:7: a bad line"),
        ("MANY", "unit 6: .*Too many open files", "Too many open files"),
    ],
)
def test_what_fails_is_named_and_given_up_after_four(
    tmp_path: Path, line: str, said: str, why: str
) -> None:
    path = lines(tmp_path, [*NUMBERS, line, "14", "15"])
    job = job_of(path, tmp_path / "out")
    ready(job)
    for number in range(QUICK.most):
        with pytest.raises((DataError, StageError), match=said):
            ClusterTask(job, number, times=QUICK).build(lambda do: None, lambda result: None)
    with pytest.raises(DataError, match=f"unit 6 was begun 4 times and never finished: .*{why}"):
        ClusterTask(job, 9, times=QUICK).build(lambda do: None, lambda result: None)
    assert units_done(job) == (7, 8)
    (seen,) = leases_of(job.out_dir)
    assert [one.name for one in seen.dead] == ["6"]
    # Who gives the command again means it, and nothing but that unit is missing.
    ready(job)
    (seen,) = leases_of(job.out_dir)
    assert (*units_done(job), seen.dead) == (7, 8, [])


def test_a_step_that_fails_is_given_up_after_four(tmp_path: Path, inline: None) -> None:
    def failing(do: ClusterTask) -> None:
        def make() -> None:
            raise DataError("no events")

        do.once("events", make)

    job = job_of(lines(tmp_path, NUMBERS), tmp_path / "out")
    ready(job)
    for number in range(QUICK.most):
        with pytest.raises(DataError, match=r"^no events$"):
            ClusterTask(job, number, times=QUICK).build(failing, lambda result: None)
    with pytest.raises(DataError, match=r"the step events was begun 4 times .*: no events"):
        ClusterTask(job, 9, times=QUICK).build(failing, lambda result: None)


def test_a_task_that_is_stopped_gives_back_what_it_had(tmp_path: Path) -> None:
    path = lines(tmp_path, [f"GATE {tmp_path / 'gate'}", *NUMBERS])
    out = tmp_path / "out"
    with processes(path, out, 1) as (one,):
        wait_until(lambda: units_of(out), "a unit is in hand")
        one.send_signal(signal.SIGTERM)
        assert one.wait(60) == 130
    assert "stopped; what was finished is kept" in (tmp_path / "0.log").read_text()
    assert leases_of(out) == [Seen(), Seen()]


def test_a_limit_stops_all_tasks(tmp_path: Path, inline: None) -> None:
    path = lines(tmp_path, [*NUMBERS, *map(str, range(100, 160))])
    limit = Limit("odd", 3)
    job = job_of(path, tmp_path / "out", limit=limit)
    ready(job)
    taken = []
    results = []
    for number in range(2):
        ClusterTask(job, number, times=QUICK).build(lambda do: None, results.append)
        taken.append(len(list(job.work_dir.glob("*/0*.json"))))
    assert taken == [3, 3]
    assert [r["text"] for r in results[0].records("odd")] == ["1", "3", "5"]
    assert results[0].build_record()["limit"] == 3
    assert tasks_at_once(job, 3) == [None] * 3
    corpus = (tmp_path / "out" / CORPUS).read_text()
    assert corpus == here(path, tmp_path / "here", limit=limit)


def test_damage_is_found_before_the_corpus_is_written(tmp_path: Path, inline: None) -> None:
    path = lines(tmp_path, NUMBERS)
    job = job_of(path, tmp_path / "out")
    with run(job) as result:
        shard = result.folder / "00003.odd.jsonl"
        whole = shard.read_text()
    shard.write_text(whole.replace("7", "9"))  # of the same size
    (result.folder / "00004.even.jsonl").unlink()
    ready(job)
    task(job, 0)
    assert (tmp_path / "out" / CORPUS).read_text() == here(path, tmp_path / "here")


def test_a_run_here_refuses_a_folder_where_tasks_are_at_work(tmp_path: Path) -> None:
    path = lines(tmp_path, [f"GATE {tmp_path / 'gate'}", *NUMBERS])
    out = tmp_path / "out"
    with processes(path, out, 1):
        wait_until(lambda: units_of(out), "a unit is in hand")
        for overwrite in (False, True):
            with pytest.raises(UsageError, match=r"out: 1 tasks of a cluster .*scancel"):
                run(job_of(path, out), overwrite=overwrite).__enter__()
        with pytest.raises(UsageError, match="1 tasks of a cluster are at work"):
            ready(job_of(path, out))


def test_a_task_that_comes_late_leaves(tmp_path: Path, inline: None) -> None:
    job = job_of(lines(tmp_path, NUMBERS), tmp_path / "out")
    ready(job)
    task(job, 0)
    task(job, 1)
    (tmp_path / "out/manifest.json").unlink()
    with pytest.raises(UsageError, match="what this task is to do is not here"):
        task(job, 2)


def test_who_meets_the_end_in_the_middle_of_a_pass_begins_nothing(
    tmp_path: Path, inline: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had looked whether the corpus is there before another task finished it."""
    path, out = lines(tmp_path, NUMBERS), tmp_path / "out"
    job = job_of(path, out)
    ready(job)
    began = []

    def pass_after_the_end(do: ClusterTask) -> None:
        task(job, 0)
        monkeypatch.setattr(pulling, "work_through", lambda *all, **more: began.append(1))
        first(path, out, do)

    ClusterTask(job, 1, times=QUICK).build(pass_after_the_end, lambda result: None)
    assert not began
    assert not list((out / ".corefmill").glob("[wp]*"))


def test_other_options_are_not_this_build(tmp_path: Path, inline: None) -> None:
    job = job_of(lines(tmp_path, NUMBERS), tmp_path / "out")
    ready(job)
    with pytest.raises(UsageError, match="what this task is to do is not here"):
        task(replace(job, seed=9), 0)
    with run(job):
        pass
    with pytest.raises(UsageError, match="seed was 7, is 9"):
        ready(replace(job, seed=9))


def test_the_workers_of_a_task_are_numbered_by_it(tmp_path: Path) -> None:
    """By which tasks on one node take different GPUs."""
    folder = tmp_path / "numbers"
    folder.mkdir()
    job = job_of(lines(tmp_path, NUMBERS), tmp_path / "out", setup=partial(numbered, folder))
    ready(job)
    ClusterTask(job, 2, workers=2, times=QUICK).build(lambda do: None, lambda result: None)
    assert {one.name for one in folder.iterdir()} == {"4", "5"}


def test_the_manifest_of_another_corpus_is_not_ours(tmp_path: Path) -> None:
    job = job_of(lines(tmp_path, NUMBERS), tmp_path / "out")
    assert not is_whole(job)
    (tmp_path / "out").mkdir()
    manifest = tmp_path / "out/manifest.json"
    for build in ({}, {"fingerprint": job.fingerprint.digest, "limit": 5}):
        manifest.write_text(json.dumps({"build": build}))
        assert not is_whole(job)
    ours = {"fingerprint": job.fingerprint.digest, "limit": None}
    manifest.write_text(json.dumps({"build": ours}))
    assert is_whole(job)
