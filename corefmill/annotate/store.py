"""Store the judgements of a round in an append-only table of SQLite.

1. A judgement is a row and stays one. Undoing adds a row that names the one it takes back; triggers
   refuse whatever would change or remove a row.
2. Rows are committed with `synchronous = FULL` before `JudgementStore.add` returns: what was
   acknowledged outlasts a kill of the process and a power cut.
3. The file belongs to one corpus, by its fingerprint, and to one draw of its items.
4. A rater's secret is kept as a hash. Whoever has lost a link gets a new one, the old one ends.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Self

from corefmill.corpora.files.errors import DataError, UsageError

BEGIN, MAIN, ADJUDICATION = "tutorial", "main", "adjudication"
"""The stages of a round; of the first is the row of a rater who has read the guidelines."""

_APPLICATION = 0x636D616E  # "cman", by which the file is known for one of ours
_VERSION = 1
_LAYOUT = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE raters (number INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " adjudicator INTEGER NOT NULL, secret TEXT NOT NULL UNIQUE, at TEXT NOT NULL)",
    "CREATE TABLE judgements (number INTEGER PRIMARY KEY, rater TEXT NOT NULL, stage TEXT NOT NULL,"
    " item TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, reason TEXT NOT NULL,"
    " remark TEXT NOT NULL, at TEXT NOT NULL, seconds REAL,"
    " undoes INTEGER UNIQUE REFERENCES judgements (number))",
)
# INSERT OR REPLACE deletes without a trigger on DELETE, so a number that is taken is refused, too.
_KEPT = {
    "stay": "BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'never changed'); END",
    "last": "BEFORE DELETE ON {table} BEGIN SELECT RAISE(ABORT, 'never removed'); END",
    "once": "BEFORE INSERT ON {table}"
    " WHEN EXISTS (SELECT 1 FROM {table} WHERE number = NEW.number)"
    " BEGIN SELECT RAISE(ABORT, 'never replaced'); END",
}
_COLUMNS = "number, rater, stage, item, question, answer, reason, remark, at, seconds, undoes"


@dataclass(frozen=True, slots=True)
class Rater:
    """A rater by name; an adjudicator decides between the others."""

    name: str
    adjudicator: bool = False


@dataclass(frozen=True, slots=True)
class StoredJudgement:
    """A row of the table of judgements; `undoes` is the number of a row to take back, else None."""

    number: int
    rater: str
    stage: str
    item: str
    question: str
    answer: str
    reason: str = ""
    remark: str = ""
    at: str = ""
    seconds: float | None = None
    undoes: int | None = None


def find_median(seconds: Iterable[float | None]) -> float | None:
    """Find the median of the seconds of judgements, None where no judgement has any."""
    took = [one for one in seconds if one is not None]
    return median(took) if took else None


class JudgementStore:
    """An open file of judgements; one process writes to it, any number may read."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Self]:
        """Open the file at `path` to read; nothing is written, to it or beside it.

        Raises `DataError` for a missing or foreign file.
        """
        if not path.is_file():
            raise DataError(
                "there is no such file",
                path=path,
                remedy="`corefmill annotate serve` makes the file, at its --db",
            )
        # Whoever has it open keeps a log named -wal beside it, which stays after a kill: SQLite
        # then reads both. Without a log nobody has it open, and `immutable` keeps SQLite from
        # making one.
        kept = path.resolve()
        log = kept.with_name(f"{kept.name}-wal")
        mode = "mode=ro" if log.exists() else "mode=ro&immutable=1"
        with _connect(path, mode) as connection:
            _check_version(path, connection)
            yield cls(path, connection)

    @classmethod
    @contextmanager
    def make(cls, path: Path, facts: Mapping[str, Any]) -> Iterator[Self]:
        """Open or make the file at `path` for a corpus and draw with these `facts`.

        Raises `UsageError` where it belongs to other ones, `DataError` for a foreign file.
        """
        if not path.exists():  # others on the machine need not read what raters say
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        # mode=rw makes no file: SQLite follows links by itself, to where there may be none.
        with _connect(path, "mode=rw") as connection:
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                _lay_out(connection, facts)
            _check_version(path, connection)
            store = cls(path, connection)
            known = store.facts()
            if facts.get("fingerprint") != known.get("fingerprint"):
                raise UsageError(
                    "the file holds answers about another corpus, or another state of"
                    f" {facts['corpus']!r}",
                    path=path,
                    remedy="name another file with --db",
                )
            # A corpus may be moved or renamed, but its items are drawn once.
            for name in sorted({*known, *facts} - {"corpus"}):
                if facts.get(name) != known.get(name):
                    raise UsageError(
                        f"the round in this file has {name} {json.dumps(known.get(name))}, not"
                        f" {json.dumps(facts.get(name))}",
                        path=path,
                        remedy="give the same options, or another --db",
                    )
            yield store

    def facts(self) -> dict[str, Any]:
        """Read the facts of the file: the corpus and its fingerprint, the draw of its items."""
        rows = self._connection.execute("SELECT name, value FROM facts").fetchall()
        return {name: json.loads(value) for name, value in rows}

    def raters(self) -> list[Rater]:
        """List the raters with a link, in the order of their first links."""
        rows = self._connection.execute("SELECT name, adjudicator FROM raters ORDER BY number")
        return list({row[0]: Rater(row[0], bool(row[1])) for row in rows}.values())

    def admit(self, rater: Rater) -> str:
        """Make a new secret for a rater's link, and end the old one; only its hash is stored."""
        secret = secrets.token_urlsafe(24)
        self._connection.execute(
            "INSERT INTO raters (name, adjudicator, secret, at) VALUES (?, ?, ?, ?)",
            (rater.name, rater.adjudicator, _hash(secret), _now()),
        )
        return secret

    def find_holder(self, secret: str) -> Rater | None:
        """Find the rater with a secret, None for an unknown or replaced secret."""
        row = self._connection.execute(
            "SELECT name, adjudicator FROM raters AS own WHERE secret = ? AND NOT EXISTS"
            " (SELECT 1 FROM raters AS later WHERE later.name = own.name"
            " AND later.number > own.number)",
            (_hash(secret),),
        ).fetchone()
        return None if row is None else Rater(row[0], bool(row[1]))

    def add(
        self,
        rater: str,
        stage: str,
        item: str,
        question: str,
        answer: str,
        *,
        reason: str = "",
        remark: str = "",
        seconds: float | None = None,
    ) -> StoredJudgement:
        """Write a judgement to the disk, and return its row."""
        row = (rater, stage, item, question, answer, reason, remark, _now(), seconds)
        return self._insert((*row, None))

    def undo(self, taken_back: StoredJudgement) -> StoredJudgement:
        """Write a row that takes back a judgement; raise `ValueError` for an undone judgement."""
        one = taken_back
        row = (one.rater, one.stage, one.item, one.question, "", "", "", _now(), None, one.number)
        try:
            return self._insert(row)
        except sqlite3.IntegrityError:
            raise ValueError(f"judgement {one.number} has been taken back already") from None

    def rows(self) -> Iterator[StoredJudgement]:
        """Read every row, the oldest first."""
        found = self._connection.execute(f"SELECT {_COLUMNS} FROM judgements ORDER BY number")
        return (StoredJudgement(*row) for row in found)

    def standing(self) -> list[StoredJudgement]:
        """List the judgements without the undone ones, the oldest first."""
        rows = list(self.rows())
        gone = {row.undoes for row in rows if row.undoes is not None}
        return [row for row in rows if row.undoes is None and row.number not in gone]

    def _insert(self, row: tuple[object, ...]) -> StoredJudgement:
        """Insert the values of a judgement, and return its row with the new number."""
        names = _COLUMNS.removeprefix("number, ")
        marks = ", ".join("?" * len(row))
        number = self._connection.execute(
            f"INSERT INTO judgements ({names}) VALUES ({marks})", row
        ).lastrowid
        assert number is not None
        return StoredJudgement(number, *row)  # type: ignore[arg-type]


@contextmanager
def _connect(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Connect to a file; raise `DataError` for an unreadable, foreign or damaged one."""
    # Without an isolation level each statement is a transaction of its own, unless BEGIN says more.
    uri = f"{path.absolute().as_uri()}?{mode}"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=10, isolation_level=None)
        ) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            yield connection
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN:
            raise DataError(f"cannot be opened: {error}", path=path) from None
        if error.sqlite_errorcode not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise
        raise _foreign(path) from None


def _lay_out(connection: sqlite3.Connection, facts: Mapping[str, Any]) -> None:
    """Create the tables, the triggers and the facts, all in one transaction."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")  # a kill leaves a whole file or an empty one
    for statement in _LAYOUT:
        connection.execute(statement)
    for table in ("raters", "judgements"):
        for name, rule in _KEPT.items():
            connection.execute(f"CREATE TRIGGER {table}_{name} {rule.format(table=table)}")
    rows = [(name, json.dumps(value)) for name, value in facts.items()]
    connection.executemany("INSERT INTO facts VALUES (?, ?)", rows)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


def _check_version(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `DataError` for a foreign file, and for a store of another version."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise _foreign(path)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != _VERSION:
        raise DataError(
            f"the file has version {version}, and this corefmill reads version {_VERSION}",
            path=path,
            remedy="use the corefmill that wrote the file",
        )


def _foreign(path: Path) -> DataError:
    return DataError(
        "this is no file of `corefmill annotate serve`", path=path, remedy="name another file"
    )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
