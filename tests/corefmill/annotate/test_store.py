"""The file of judgements keeps what it acknowledged, whatever happens to the process."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from corefmill.annotate.store import MAIN, JudgementStore, Rater
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError

FACTS = {"corpus": "wec-en", "fingerprint": "abc", "seed": 0}
KILLS = 12


def write(path: Path, acknowledged: int) -> None:
    """Adds judgements, undoes every fifth, and says the number of each once it is told of it."""
    with JudgementStore.make(path, FACTS) as store:
        while True:
            row = store.add("ann", MAIN, "item", "valid", "yes", remark="é" * 500)
            os.write(acknowledged, b"%d\n" % row.number)
            if row.number % 5 == 0:
                os.write(acknowledged, b"%d\n" % store.undo(row).number)


def test_nothing_acknowledged_is_lost_in_a_kill(tmp_path: Path) -> None:
    path, moments = tmp_path / "answers.sqlite", random.Random(5)
    told: set[int] = set()
    fork = multiprocessing.get_context("fork")
    for _ in range(KILLS):
        reads, writes = os.pipe()
        writer = fork.Process(target=write, args=(path, writes))
        writer.start()
        os.close(writes)
        with os.fdopen(reads, "rb") as pipe:
            # So many are waited for, none at times, that the file may not even be there.
            first = [pipe.readline() for _ in range(moments.randrange(20))]
            assert all(first), "the writer ended by itself"
            time.sleep(moments.uniform(0, 0.005))
            assert writer.pid and writer.is_alive()
            os.kill(writer.pid, signal.SIGKILL)
            writer.join(60)
            lines = b"".join(first) + pipe.read()
        told |= {int(line) for line in lines.split(b"\n")[:-1]}
    with JudgementStore.open(path) as store:
        rows = list(store.rows())
    kept = {row.number for row in rows}
    assert len(told) > KILLS and told <= kept
    # A kill may come between the commit and the word of it: at most one row each time.
    assert len(kept - told) <= KILLS
    assert sum(row.undoes is not None for row in rows) > 0


def test_what_is_undone_stands_no_more_and_stays_in_the_file(tmp_path: Path) -> None:
    with JudgementStore.make(tmp_path / "a.sqlite", FACTS) as store:
        first = store.add("ann", MAIN, "i", "valid", "no", reason="boundary", seconds=2.5)
        second = store.add("ann", MAIN, "j", "valid", "yes")
        store.undo(first)
        with pytest.raises(ValueError, match="taken back already"):
            store.undo(first)
        assert [row.number for row in store.standing()] == [second.number]
        assert len(list(store.rows())) == 3


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE judgements SET answer = 'no'",
        "DELETE FROM raters",
        "INSERT OR REPLACE INTO judgements SELECT * FROM judgements",
    ],
)
def test_no_row_is_changed_or_removed(tmp_path: Path, statement: str) -> None:
    with JudgementStore.make(tmp_path / "a.sqlite", FACTS) as store:
        store.admit(Rater("ann"))
        store.add("ann", MAIN, "i", "valid", "yes")
    connection = sqlite3.connect(tmp_path / "a.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        connection.execute(statement)
    connection.close()


def test_a_secret_is_kept_as_a_hash_and_ends_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with JudgementStore.make(path, FACTS) as store:
        old, other = store.admit(Rater("ann")), store.admit(Rater("eve", adjudicator=True))
        assert store.find_holder(old) == Rater("ann")
        new = store.admit(Rater("ann"))
        assert store.find_holder(old) is None and store.find_holder("") is None
        assert store.find_holder(new) == Rater("ann")
        assert store.find_holder(other) == Rater("eve", adjudicator=True)
        assert store.raters() == [Rater("ann"), Rater("eve", adjudicator=True)]
    for file in tmp_path.iterdir():
        assert not any(secret.encode() in file.read_bytes() for secret in (old, new, other))
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"fingerprint": "other"}, "another corpus, or another state of 'wec-en'"),
        ({"seed": 1}, "in this file has seed 0, not 1"),
    ],
)
def test_a_file_belongs_to_one_corpus_and_draw(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    with JudgementStore.make(tmp_path / "a.sqlite", FACTS):
        pass
    with (
        pytest.raises(UsageError, match=said),
        JudgementStore.make(tmp_path / "a.sqlite", {**FACTS, **changed}),
    ):
        pass
    with JudgementStore.make(tmp_path / "a.sqlite", {**FACTS, "corpus": "moved"}):
        pass


@pytest.mark.parametrize("content", [b"id,answer\n", b"SQLite format 3\0 and no more", None])
def test_another_file_is_refused_and_left_alone(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.sqlite"
    if content is None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE own (x)")
        connection.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    for attempt in (JudgementStore.open(path), JudgementStore.make(path, FACTS)):
        with (
            pytest.raises(CorefmillError, match="this is no file of `corefmill annotate serve`"),
            attempt,
        ):
            pass
    assert path.read_bytes() == before
    with pytest.raises(DataError, match="no such file"), JudgementStore.open(tmp_path / "b"):
        pass
    assert not (tmp_path / "b").exists()


def test_reading_writes_nothing_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "own" / "a.sqlite"
    path.parent.mkdir()
    with JudgementStore.make(path, FACTS) as store:
        store.add("ann", MAIN, "i", "valid", "yes")
        with JudgementStore.open(path) as read:  # what is not in the file itself yet is seen
            assert len(read.standing()) == 1
    before = [(one, one.stat().st_mtime_ns) for one in (path.parent, path)]
    with JudgementStore.open(path) as read:
        assert len(read.standing()) == 1
        assert list(path.parent.iterdir()) == [path]
    assert [(one, one.stat().st_mtime_ns) for one in (path.parent, path)] == before


def test_what_a_killed_server_left_in_its_log_is_read_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"

    def killed() -> None:
        with JudgementStore.make(path, FACTS) as store:
            store.add("ann", MAIN, "i", "valid", "yes")
            os.kill(os.getpid(), signal.SIGKILL)

    server = multiprocessing.get_context("fork").Process(target=killed)
    server.start()
    server.join(60)
    log = tmp_path / "a.sqlite-wal"
    held = (path.read_bytes(), log.read_bytes())
    for _ in range(2):
        with JudgementStore.open(path) as store:
            assert len(store.standing()) == 1
    assert (path.read_bytes(), log.read_bytes()) == held
