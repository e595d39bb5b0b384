"""Ask a service several questions at once, and keep the answers in a SQLite file to resume from."""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

from corefmill.corpora.files.errors import DataError, UsageError

Q = TypeVar("Q")
A = TypeVar("A")

_SECONDS = 60.0
"""Longest wait for another run's lock on the file; a commit takes far less."""
_REMEDIES = {
    "SQLITE_BUSY": "another run uses it: wait for its end, or name another folder by --cache",
    "SQLITE_FULL": "free some space, or name another folder by --cache",
    "SQLITE_CORRUPT": "delete the file: its contents are {made} again",
    "SQLITE_NOTADB": "name another folder by --cache, or delete the file if you do not need it",
}


class AnswerFile:
    """A SQLite file with one table of texts, opened or made at its first use.

    The last column is the answer, the columns before are its key. Several processes may share the
    file. Error messages call the answers `holds` (translations), which are `made` again.
    """

    def __init__(
        self, path: Path, table: str, columns: Sequence[str], *, holds: str, made: str
    ) -> None:
        self.path = path
        self._table, self._columns = table, columns
        self._holds, self._made = holds, made
        self._base: sqlite3.Connection | None = None
        self._owner = 0

    def check(self) -> None:
        """Raise `UsageError` if the path is another file, before any work; makes no file."""
        self._check_folder()
        if self.path.exists():
            with (
                self.explain_errors(),
                closing(sqlite3.connect(self.path, timeout=_SECONDS)) as base,
            ):
                self._check_owner(base)

    def open(self) -> sqlite3.Connection:
        """Open the connection of this process; threads must take turns in using the connection."""
        # SQLite's connections must not be carried across a fork.
        if self._base is None or self._owner != os.getpid():
            self._check_folder()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            base = sqlite3.connect(self.path, timeout=_SECONDS, check_same_thread=False)
            if not self._check_owner(base):
                columns = ", ".join(f"{column} TEXT NOT NULL" for column in self._columns)
                key = ", ".join(self._columns[:-1])
                with base:
                    base.execute(
                        f"CREATE TABLE IF NOT EXISTS {self._table} ({columns},"
                        f" PRIMARY KEY ({key})) WITHOUT ROWID"
                    )
            self._base, self._owner = base, os.getpid()
        return self._base

    @contextmanager
    def explain_errors(self) -> Iterator[None]:
        """Turn errors of SQLite, or of the file, inside the block into a `UsageError`."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            name = getattr(error, "sqlite_errorname", "")
            raise UsageError(
                f"the cache of {self._holds} cannot be used:"
                f" {getattr(error, 'strerror', None) or error}",
                path=self.path,
                remedy=next(
                    (remedy for start, remedy in _REMEDIES.items() if name.startswith(start)),
                    "check that the file can be written, or name another folder by --cache",
                ).format(made=self._made),
            ) from error

    def _check_folder(self) -> None:
        """Raise `UsageError` if the cache's folder is a file."""
        folder = self.path.parent
        if folder.exists() and not folder.is_dir():
            raise UsageError(
                "the cache's folder is a file", path=folder, remedy="name a folder by --cache"
            )

    def _check_owner(self, base: sqlite3.Connection) -> bool:
        """Tell whether the database has the table; False for an empty file.

        Raises `UsageError` for a database with other tables, before anything is written to it.
        """
        held = base.execute(
            "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'"
        ).fetchall()
        found = {
            name: [row[0] for row in base.execute("SELECT name FROM pragma_table_info(?)", [name])]
            for (name,) in held
        }
        if held and found != {self._table: [*self._columns]}:
            raise UsageError(
                f"the file is a database with other contents than {self._holds}",
                path=self.path,
                remedy="name another folder by --cache",
            )
        return bool(held)


def ask_in_threads(
    questions: Sequence[Q], ask: Callable[[Q], A], at_once: int
) -> Iterator[tuple[Q, A | DataError]]:
    """Ask all questions by calls of `ask` in `at_once` threads; yield them with their answers.

    Answers come in any order. A `DataError` of `ask` is yielded as the question's answer; any other
    error is raised. The next question is asked only when the caller asks for the next answer, so
    that a kill loses only the answers under way.
    """
    waiting = iter(questions)
    done: queue.SimpleQueue[tuple[Q, A | Exception]] = queue.SimpleQueue()

    def work(question: Q) -> None:
        made: A | Exception
        try:
            made = ask(question)
        except Exception as error:  # raised again below
            made = error
        done.put((question, made))

    def start(number: int) -> None:
        # Daemons, so that a stopped run does not wait for answers.
        for question in islice(waiting, number):
            threading.Thread(target=work, args=(question,), daemon=True).start()

    start(at_once)
    for _ in questions:
        question, made = done.get()
        if isinstance(made, Exception) and not isinstance(made, DataError):
            raise made
        yield question, made
        start(1)
