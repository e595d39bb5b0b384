"""Store the judgements of a round in an append-only table of SQLite.

1. A judgement is a row and stays one. Undoing adds a row that names the one it takes back; triggers
   refuse whatever would change or remove a row.
2. Rows are committed with `synchronous = FULL` before `JudgementStore.add` returns, into the named
   file itself: what was acknowledged outlasts a kill of the process and a power cut, and a copy of
   the one file has it. SQLite refuses to write where the file was moved or deleted meanwhile.
3. The file belongs to one corpus, by its fingerprint, and to one draw of its items.
4. A rater's secret is kept as a hash. Whoever has lost a link gets a new one, the old one ends.
5. A file may come from anybody: its tables and triggers are ours to the letter, or no row is read,
   and each value has the type and the bounds of its column.
"""

from __future__ import annotations

import hashlib
import json
import math
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
from corefmill.corpora.files.terminal import printable

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
# A view or a computed column would run a stranger's SQL, without end or in all memory.
_SCHEMA = {
    *_LAYOUT,
    *(
        f"CREATE TRIGGER {table}_{name} {rule.format(table=table)}"
        for table in ("raters", "judgements")
        for name, rule in _KEPT.items()
    ),
}
_LONGEST_VALUE = 1 << 20
"""Bytes of a value, and of a row."""
_FACTS = {
    **dict.fromkeys(("corpus", "fingerprint", "task"), (str,)),
    **{"seed": (int,), "splits": (list,)},
    **dict.fromkeys(("limit", "overlap"), (int, type(None))),
}
"""The types of the facts of a round, by name."""
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_WAIT = 10.0
"""Seconds until another program has written or read."""
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


def is_rater_name(name: str) -> bool:
    """Whether a name fits in one line: its characters are printable, and no tab or line end."""
    return bool(name.strip()) and printable(name) == name and not {"\t", "\n"} & {*name}


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
        kept = path.resolve()
        beside = {end: kept.with_name(kept.name + end).exists() for end in ("-journal", "-wal")}
        with kept.open("rb") as file:
            keeps_log = file.read(20)[18:] == b"\2\2"
        mode = "mode=ro"
        if beside["-journal"]:  # a killed server's half row, or a row of this moment: taken back
            mode = "mode=rw"
        elif keeps_log and not beside["-wal"]:
            # An earlier corefmill kept a log beside the file. Without it nobody has the file open,
            # and `immutable` keeps SQLite from making one.
            mode = "mode=ro&immutable=1"
        with _connect(path, mode) as connection:
            _check(path, connection)
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
            _check(path, connection)
            # Where an earlier corefmill kept a log beside the file, the file takes it in.
            connection.execute("PRAGMA journal_mode = DELETE")
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
        facts = {}
        for name, value in self._connection.execute("SELECT name, value FROM facts LIMIT 100"):
            try:
                fact = json.loads(value)
            except (TypeError, ValueError, RecursionError):
                raise self._damaged(f"the fact {name!r} is not JSON") from None
            if (
                type(fact) not in _FACTS.get(name, ())
                or (isinstance(fact, int) and fact < 0)
                or (isinstance(fact, list) and not all(isinstance(one, str) for one in fact))
            ):
                raise self._damaged(f"the fact {name!r} has a value that none can have")
            facts[name] = fact
        return facts

    def raters(self) -> list[Rater]:
        """List the raters with a link, in the order of their first links."""
        rows = self._connection.execute(
            "SELECT name, adjudicator FROM raters ORDER BY number"
        ).fetchall()
        for row in rows:
            if not isinstance(row[0], str) or not is_rater_name(row[0]) or row[1] not in (0, 1):
                raise self._damaged("a rater has a name of control codes, or none")
        return list({row[0]: Rater(row[0], bool(row[1])) for row in rows}.values())

    def admit(self, rater: Rater) -> str:
        """Make a new secret for a rater's link, and end the old one; only its hash is stored."""
        secret = secrets.token_urlsafe(24)
        self._write(
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
        """Read every row, the oldest first; raise `DataError` for one that no server wrote."""
        found = self._connection.execute(f"SELECT {_COLUMNS} FROM judgements ORDER BY number")
        for row in found:
            one = StoredJudgement(*row)
            texts, (seconds, undoes) = row[1:9], row[9:]
            if (
                not all(isinstance(text, str) for text in texts)
                or not is_rater_name(one.rater)
                or not _is_time(one.at)
                or not (seconds is None or (isinstance(seconds, float) and 0 <= seconds < math.inf))
                or not (undoes is None or (isinstance(undoes, int) and undoes < one.number))
            ):
                raise self._damaged(f"row {one.number} has a value that no answer has")
            yield one

    def standing(self) -> list[StoredJudgement]:
        """List the judgements without the undone ones, the oldest first."""
        rows = list(self.rows())
        gone = {row.undoes for row in rows if row.undoes is not None}
        return [row for row in rows if row.undoes is None and row.number not in gone]

    def _insert(self, row: tuple[object, ...]) -> StoredJudgement:
        """Insert the values of a judgement, and return its row with the new number."""
        names = _COLUMNS.removeprefix("number, ")
        marks = ", ".join("?" * len(row))
        number = self._write(f"INSERT INTO judgements ({names}) VALUES ({marks})", row)
        assert number is not None
        return StoredJudgement(number, *row)  # type: ignore[arg-type]

    def _write(self, statement: str, row: tuple[object, ...]) -> int | None:
        """Insert a row, and return its number; `sqlite3.OperationalError` where the file went."""
        try:
            return self._connection.execute(statement, row).lastrowid
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorname", "") != "SQLITE_READONLY_DBMOVED":
                raise
            raise sqlite3.OperationalError(
                f"{self.path.name} was moved, deleted or replaced while it is served"
            ) from None

    def _damaged(self, what: str) -> DataError:
        return _describe_damage(self.path, what)


@contextmanager
def _connect(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Connect to a file; raise `DataError` for an unreadable, foreign or damaged one."""
    # Without an isolation level each statement is a transaction of its own, unless BEGIN says more.
    uri = f"{path.absolute().as_uri()}?{mode}"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=_WAIT, isolation_level=None)
        ) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
            for setting in ("trusted_schema = OFF", "synchronous = FULL", "foreign_keys = ON"):
                connection.execute(f"PRAGMA {setting}")
            yield connection
    except sqlite3.DatabaseError as error:
        # An error of Python's own, such as for a text that is not UTF-8, has no code.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            raise _foreign(path) from None
        if code == sqlite3.SQLITE_CANTOPEN:
            raise DataError(f"cannot be opened: {error}", path=path) from None
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DataError(
                f"another program has held the file for {_WAIT:.0f} seconds",
                path=path,
                remedy="end that program",
            ) from None
        if code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG):
            raise
        raise _describe_damage(path, str(error)) from None


def _lay_out(connection: sqlite3.Connection, facts: Mapping[str, Any]) -> None:
    """Create the tables, the triggers and the facts, all in one transaction."""
    connection.execute("BEGIN IMMEDIATE")  # a kill leaves a whole file or an empty one
    for statement in sorted(_SCHEMA):  # CREATE TABLE before CREATE TRIGGER
        connection.execute(statement)
    rows = [(name, json.dumps(value)) for name, value in facts.items()]
    connection.executemany("INSERT INTO facts VALUES (?, ?)", rows)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


def _check(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `DataError` for a foreign, another version's, altered or damaged file; read no row."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise _foreign(path)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != _VERSION:
        raise DataError(
            f"the file has version {version}, and this corefmill reads version {_VERSION}",
            path=path,
            remedy="use the corefmill that wrote the file",
        )
    # SQLite's own indices, which it makes for UNIQUE, have no statement: their sql is NULL.
    found = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 100")
    if {sql for (sql,) in found} != _SCHEMA:
        raise DataError(
            "the tables of the file are not as `corefmill annotate serve` makes them",
            path=path,
            remedy="use the file as it was served, or a copy of it",
        )
    # Pages that are used twice would give rows without end.
    if (fault := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise _describe_damage(path, str(fault))


def _foreign(path: Path) -> DataError:
    return DataError(
        "this is not a file of `corefmill annotate serve`", path=path, remedy="name another file"
    )


def _describe_damage(path: Path, what: str) -> DataError:
    return DataError(
        f"the file is damaged: {' '.join(what.split())[:200]}",
        path=path,
        remedy="use a copy of the file from before",
    )


def _is_time(text: str) -> bool:
    """Whether a text is a time as `_now` writes it."""
    try:
        return datetime.strptime(text, _TIME).strftime(_TIME) == text
    except ValueError:
        return False


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).strftime(_TIME)
