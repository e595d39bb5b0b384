"""Tasks that share nothing but a store: same bytes, whoever is killed, and no work is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from corefmill.builders.runner import pulling
from corefmill.builders.runner.job import Job
from corefmill.builders.runner.shards import Receipt, ShardFile
from corefmill.builders.runner.workers import InlinePool
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.manifest import NAME
from corefmill.corpora.ownership import private
from corefmill.corpora.remote_errors import RemoteError
from tests.builders.runner.test_run import NUMBERS, lines
from tests.builders.runner.toy_task import CORPUS, QUICK, here, job_of, shared, task
from tests.commands import ROOT
from tests.object_server import ObjectServer
from tests.waiting import running, wait_until

pytest.importorskip("obstore", reason="needs the extra cloud")

URL = "s3://bucket/corpora/toy"
AT = "corpora/toy/"
WORK = f"{AT}.corefmill/"
LINES = [*NUMBERS, "# a", "DROP"]


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks without processes of their own: a task is a thread here, which starts at once."""
    monkeypatch.setattr(pulling, "ProcessPool", lambda plan, size, first: InlinePool(plan))


def one(path: Path, folder: Path, number: int, **other: object) -> Job:
    """The build as a task knows it, with a folder that no other task sees."""
    return job_of(path, folder / f"task{number}", **other)


def ready(path: Path, folder: Path, *, overwrite: bool = False, **other: object) -> None:
    job = job_of(path, folder / "submits", **other)
    shared(job, URL).prepare(job, overwrite=overwrite)


def tasks_at_once(
    path: Path, folder: Path, number: int, **other: object
) -> list[BaseException | None]:
    """What each of so many tasks ends with."""
    jobs = [one(path, folder, n, **other) for n in range(number)]
    with ThreadPoolExecutor(number) as threads:
        started = [
            threads.submit(task, job, n, place=shared(job, URL)) for n, job in enumerate(jobs)
        ]
        return [each.exception() for each in started]


@contextmanager
def process(path: Path, folder: Path, number: int) -> Iterator[subprocess.Popen[bytes]]:
    """A task in a process of its own, to be killed; its lines take no time."""
    with ExitStack() as stack:
        log = stack.enter_context((folder / f"{number}.log").open("w"))
        words = (path, folder / f"task{number}", number, 1, 0.0, URL)
        yield stack.enter_context(
            running(
                sys.executable,
                *("-m", "tests.builders.runner.toy_task", *map(str, words)),
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                stderr=log,
            )
        )


def left_unfinished(path: Path, folder: Path, store: ObjectServer) -> None:
    """Has all units done, but the corpus refused by the store."""
    ready(path, folder)
    store.refused = CORPUS
    tasks_at_once(path, folder, 1)
    store.refused = "\0"


def corpus(store: ObjectServer) -> str:
    return store.stored[f"{AT}{CORPUS}"].decode()


def left(store: ObjectServer) -> set[str]:
    """What of the work is in the store."""
    return {key for key in store.stored if key.startswith(WORK)} - {f"{WORK}owner.json"}


def put(store: ObjectServer, part: str) -> list[str]:
    """The paths with this part that were put, in order."""
    return [path for method, path in store.asked if method == "PUT" and part in path]


def test_tasks_give_the_bytes_of_one_machine(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path, keep_rejects=True)
    assert tasks_at_once(path, tmp_path, 3, keep_rejects=True) == [None] * 3
    assert corpus(store) == here(path, tmp_path / "here", keep_rejects=True)
    # The step that one does was done by one, and of the work nothing is left.
    assert corpus(store).count("one\n") == 1
    assert not left(store)
    assert [one for one in put(store, AT) if WORK not in one] == [
        f"/bucket/{AT}{CORPUS}",
        f"/bucket/{AT}{NAME}",
    ]


def test_of_each_unit_the_receipt_is_put_last(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path)
    assert tasks_at_once(path, tmp_path, 1) == [None]
    for receipt in put(store, "/receipts/"):
        folder, _, unit = receipt.partition("/receipts/")
        when = [store.asked.index(("PUT", path)) for path in put(store, f"{folder}/0000{unit}.")]
        assert max(when) < store.asked.index(("PUT", receipt))


def test_a_task_that_is_killed_between_shard_and_receipt(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path)
    store.held = "receipts/2"
    with process(path, tmp_path, 0) as started:
        wait_until(lambda: bool(put(store, "receipts/2")), "it puts the receipt", process=started)
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    store.held = "\0"
    there = left(store)
    assert any("00002." in key for key in there)
    assert not any(key.endswith("receipts/2") for key in there)
    assert tasks_at_once(path, tmp_path, 2) == [None, None]
    assert corpus(store) == here(path, tmp_path / "here")
    assert not left(store)


def test_the_one_who_puts_the_corpus_is_killed_before_the_manifest(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path)
    store.held = f"{AT}{NAME}"
    with process(path, tmp_path, 0) as started:
        wait_until(lambda: bool(put(store, NAME)), "it puts the manifest", process=started)
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    store.held = "\0"
    assert f"{AT}{CORPUS}" in store.stored and f"{AT}{NAME}" not in store.stored
    assert tasks_at_once(path, tmp_path, 2) == [None, None]  # one waits until the lease is dead
    assert corpus(store) == here(path, tmp_path / "here")
    assert f"{AT}{NAME}" in store.stored and not left(store)


def test_what_others_did_is_not_done_again(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path)
    store.refused = CORPUS  # all is done by then
    (error,) = tasks_at_once(path, tmp_path, 1)
    assert isinstance(error, RemoteError)
    store.refused = "\0"
    before = len(put(store, ".jsonl"))
    ready(path, tmp_path)
    assert tasks_at_once(path, tmp_path / "elsewhere", 1) == [None]
    assert len(put(store, ".jsonl")) == before
    assert corpus(store) == here(path, tmp_path / "here")


@pytest.mark.parametrize("done", [False, True], ids=["not done", "done"])
def test_a_put_of_a_lease_that_is_answered_by_500(
    tmp_path: Path, store: ObjectServer, inline: None, done: bool
) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path)
    store.breaks = [("leases/1", done), ("leases/corpus", done), ("receipts/3", done)]
    assert tasks_at_once(path, tmp_path, 2) == [None, None]
    assert not store.breaks
    assert corpus(store) == here(path, tmp_path / "here")


def test_a_shard_that_is_not_as_it_was_put_is_done_again(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, LINES)
    left_unfinished(path, tmp_path, store)
    of_build = f"{WORK}work/"
    (shard,) = (key for key in left(store) if key.startswith(of_build) and "00001.odd" in key)
    store.objects[f"/bucket/{shard}"] = b"{}\n"
    ready(path, tmp_path)
    assert tasks_at_once(path, tmp_path / "elsewhere", 2) == [None, None]
    assert corpus(store) == here(path, tmp_path / "here")


def test_what_fails_is_named_and_given_up_after_four(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, [*NUMBERS, "FAIL"])
    ready(path, tmp_path)
    said = [tasks_at_once(path, tmp_path, 1)[0] for _ in range(5)]
    assert all(error is not None and "unit" in str(error) for error in said)
    assert isinstance(said[-1], DataError)
    assert "was begun 4 times and never finished" in str(said[-1])


def test_tasks_at_work_are_seen_and_refused(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path)
    job = one(path, tmp_path, 0)
    place = shared(job, URL)
    place.begin(job)
    with (
        place.leases(job.work_dir / job.fingerprint.digest, "a node", QUICK),
        pytest.raises(UsageError, match="1 tasks of a cluster are at work here, one on a node"),
    ):
        ready(path, tmp_path)


def test_another_build_is_refused_and_overwritten(
    tmp_path: Path, store: ObjectServer, inline: None
) -> None:
    path = lines(tmp_path, LINES)
    left_unfinished(path, tmp_path, store)
    with pytest.raises(UsageError, match="holds the files of another build"):
        ready(path, tmp_path, seed=1)
    ready(path, tmp_path, seed=1, overwrite=True)
    assert not left(store)
    assert tasks_at_once(path, tmp_path / "anew", 2, seed=1) == [None, None]
    assert corpus(store) == here(path, tmp_path / "here", seed=1)


def test_a_task_that_comes_late_leaves(tmp_path: Path, store: ObjectServer, inline: None) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path)
    assert tasks_at_once(path, tmp_path, 1) == [None]
    before = dict(store.objects)
    assert tasks_at_once(path, tmp_path / "late", 2) == [None, None]
    assert store.objects == before
    assert json.loads(before[f"/bucket/{AT}{NAME}"])["build"]["units"]


def test_the_corpus_is_fetched(tmp_path: Path, store: ObjectServer, inline: None) -> None:
    path = lines(tmp_path, LINES)
    ready(path, tmp_path)
    assert tasks_at_once(path, tmp_path, 1) == [None]
    job = job_of(path, tmp_path / "fetched")
    shared(job, URL).fetch_corpus(job)
    names = {file.name for file in (tmp_path / "fetched").iterdir()}
    assert names == {CORPUS, NAME, private(Path()).name}
    assert (tmp_path / "fetched" / CORPUS).read_text() == corpus(store)


@pytest.mark.parametrize("content", [b'["../../../elsewhere"]', b'["/etc/hosts"]', b"[1]", b"{"])
def test_a_mark_that_names_other_files_is_refused(
    tmp_path: Path, store: ObjectServer, content: bytes
) -> None:
    job = one(lines(tmp_path, LINES), tmp_path, 0)
    place = shared(job, URL)
    folder = job.work_dir / job.fingerprint.digest
    place.work.put(f"{place.name(folder)}/leases/step.done", content)
    with pytest.raises(DataError, match="is not there any more as it was put"):
        place.is_done(folder, "step")


@pytest.mark.parametrize(("unit", "channel"), [(2, "examples"), (1, "../../elsewhere")])
def test_a_receipt_that_is_not_of_its_unit_counts_for_nothing(
    tmp_path: Path, store: ObjectServer, unit: int, channel: str
) -> None:
    job = one(lines(tmp_path, LINES), tmp_path, 0)
    place = shared(job, URL)
    folder = job.work_dir / job.fingerprint.digest
    odd = Receipt(unit, "", {channel: ShardFile(1, 1, "")}, {}, {})
    place.work.put(f"{place.name(folder)}/receipts/1", odd.to_json().encode())
    place.work.put(f"{place.name(folder)}/receipts/notes", b"")
    assert place.receipt(folder, 1) is None
    assert place.receipts(folder) == {}
