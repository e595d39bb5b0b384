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
            pytest.raises(CorefmillError, match="this is not a file of `corefmill annotate serve`"),
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


def kill(path: Path, *, log: bool = False, in_the_middle: bool = False) -> None:
    """Kill a server with one answer, in the middle of its second, or with a log as of earlier."""

    def killed() -> None:
        with JudgementStore.make(path, FACTS) as store:
            connection = store._connection
            connection.execute(f"PRAGMA journal_mode = {'WAL' if log else 'DELETE'}")
            store.add("ann", MAIN, "i", "valid", "yes")
            if in_the_middle:  # the cache is so small that the pages go to the file before COMMIT
                connection.execute("PRAGMA cache_size = 1")
                connection.execute("BEGIN")
                for number in range(40):
                    store.add("ann", MAIN, f"{number}", "valid", "yes", remark="x" * 3000)
            os.kill(os.getpid(), signal.SIGKILL)

    server = multiprocessing.get_context("fork").Process(target=killed)
    server.start()
    server.join(60)


def test_a_copy_of_the_one_file_holds_what_was_acknowledged(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.sqlite", tmp_path / "copy.sqlite"
    with JudgementStore.make(path, FACTS) as store:
        for number in range(3):
            store.add("ann", MAIN, f"i{number}", "valid", "yes")
            copy.write_bytes(path.read_bytes())
            with JudgementStore.open(copy) as read:
                assert len(read.standing()) == number + 1
    path.unlink()
    kill(path)
    assert sorted(tmp_path.iterdir()) == [path, copy]
    with JudgementStore.open(path) as store:
        assert len(store.standing()) == 1


def test_half_an_answer_of_a_killed_server_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    kill(path, in_the_middle=True)
    assert (tmp_path / "a.sqlite-journal").exists()
    with JudgementStore.open(path) as store:
        assert [row.item for row in store.standing()] == ["i"]


def test_the_log_of_an_earlier_corefmill_is_read_and_then_taken_in(tmp_path: Path) -> None:
    path, log = tmp_path / "a.sqlite", tmp_path / "a.sqlite-wal"
    kill(path, log=True)
    held = (path.read_bytes(), log.read_bytes())
    for _ in range(2):
        with JudgementStore.open(path) as store:
            assert len(store.standing()) == 1
    assert (path.read_bytes(), log.read_bytes()) == held
    with JudgementStore.make(path, FACTS) as store:
        assert len(store.standing()) == 1
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("how", ["delete", "move", "replace", "move folder", "through a link"])
def test_nothing_is_acknowledged_into_a_file_that_went(tmp_path: Path, how: str) -> None:
    path = tmp_path / "own" / "a.sqlite"
    path.parent.mkdir()
    named = path
    if how == "through a link":
        named = tmp_path / "link.sqlite"
        named.symlink_to(path)
        path.touch()
    with JudgementStore.make(named, FACTS) as store:
        first = store.add("ann", MAIN, "i", "valid", "yes")
        if how == "replace":
            copy = path.with_name("copy")
            copy.write_bytes(path.read_bytes())
            copy.replace(path)
        elif how == "move folder":
            path.parent.rename(tmp_path / "other")
        elif how == "move":
            path.rename(path.with_name("b.sqlite"))
        else:
            path.unlink()
        for attempt in (
            lambda: store.add("ann", MAIN, "j", "valid", "yes"),
            lambda: store.undo(first),
            lambda: store.admit(Rater("ben")),
        ):
            with pytest.raises(sqlite3.OperationalError, match="was moved, deleted or replaced"):
                attempt()


HOSTILE = {
    "view": "CREATE VIEW judgements AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
    " FROM n) SELECT i AS number FROM n",
    "computed": "CREATE TABLE judgements (number INTEGER PRIMARY KEY, rater,"
    " remark AS (hex(zeroblob(300000000))))",
    "column": "CREATE TABLE judgements (number INTEGER PRIMARY KEY, rater TEXT)",
    "missing": "SELECT 1",
    "more": "CREATE TABLE more (x)",
    "trigger": "CREATE TRIGGER own AFTER INSERT ON raters BEGIN SELECT 1; END",
    "index": "CREATE INDEX own ON raters (hex(zeroblob(1)))",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_tables_that_are_not_ours_to_the_letter_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.sqlite"
    with JudgementStore.make(path, FACTS) as store:
        store.add("ann", MAIN, "i", "valid", "yes")
    connection = sqlite3.connect(path)
    if name not in ("more", "trigger", "index"):
        connection.execute("DROP TABLE judgements")
    connection.execute(HOSTILE[name])
    connection.close()
    before = path.read_bytes()
    for attempt in (JudgementStore.open(path), JudgementStore.make(path, FACTS)):
        with pytest.raises(DataError, match="tables of the file are not as"), attempt:
            pass
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("judgements", "remark = CAST(x'ff41' AS TEXT)"),
        ("judgements", "remark = x'ff41'"),
        ("judgements", "remark = hex(zeroblob(1000000))"),
        ("judgements", "item = x'00'"),
        ("judgements", "rater = 'a' || char(10) || 'bob: http://evil/'"),
        ("judgements", "rater = ''"),
        ("judgements", "at = '999999-01-01T00:00:00Z'"),
        ("judgements", "at = '2026-02-30T00:00:00Z'"),
        ("judgements", "at = ''"),
        ("judgements", "seconds = 9e999"),
        ("judgements", "seconds = -1"),
        ("judgements", "seconds = 'long'"),
        ("judgements", "seconds = x'00'"),
        ("judgements", "undoes = 'x'"),
        ("judgements", "undoes = 1.5"),
        ("raters", "name = 'a' || char(9)"),
        ("raters", "name = x'41'"),
        ("raters", "adjudicator = 'yes'"),
        ("facts", "value = '{'"),
        ("facts", "value = x'31'"),
        ("facts", "value = '[1]'"),
        ("facts", "value = '-1'"),
        ("facts", f"value = '{'[' * 100_000}'"),
        ("facts", "name = 'other' || name"),
    ],
)
def test_a_value_that_no_server_wrote_is_damage(tmp_path: Path, table: str, change: str) -> None:
    path = tmp_path / "a.sqlite"
    with JudgementStore.make(path, FACTS) as store:
        store.admit(Rater("ann"))
        store.add("ann", MAIN, "i", "valid", "yes", seconds=1.0)
    connection = sqlite3.connect(path)
    rule = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [f"{table}_stay"])
    statements = [sql for (sql,) in rule]
    for _ in statements:
        connection.execute(f"DROP TRIGGER {table}_stay")
    connection.execute(f"UPDATE {table} SET {change}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(DataError, match="the file is damaged"), JudgementStore.open(path) as store:
        store.facts(), store.raters(), store.standing()


def test_flipped_bits_are_told_or_do_no_harm(tmp_path: Path) -> None:
    path, chance = tmp_path / "a.sqlite", random.Random(3)
    with JudgementStore.make(path, FACTS) as store:
        store.admit(Rater("ann"))
        for number in range(20):
            store.add("ann", MAIN, f"i{number}", "valid", "yes", remark="é" * 300)
    whole = path.read_bytes()
    refused = 0
    for _ in range(60):
        content = bytearray(whole)
        content[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        try:
            with JudgementStore.open(path) as store:
                store.facts(), store.raters(), store.standing()
        except DataError:
            refused += 1
    assert 0 < refused < 60
