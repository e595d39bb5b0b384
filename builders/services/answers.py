"""Answers of services: several asked for at once, and kept in a file of SQLite.

A run that was stopped goes on from the file.
"""

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
"""That another run may hold the file before this one gives up; it holds it for one commit."""
_REMEDIES = {
    "SQLITE_BUSY": "another run holds it: wait for its end, or name another folder by --cache",
    "SQLITE_FULL": "free some space, or name another folder by --cache",
    "SQLITE_CORRUPT": "delete it: what it held is {made} again",
    "SQLITE_NOTADB": "delete it if it is no file of yours, or name another folder by --cache",
}


class AnswerFile:
    """A file with one table of texts, opened where it is first needed, made if it is not there.

    The last column is the answer, those before are its key. Several processes may share the file.
    `holds` and `made` say in errors what is kept, and how it comes about.
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
        """Raises `UsageError` where something else stands in its place; makes nothing."""
        self._check_folder()
        if self.path.exists():
            with (
                self.explain_errors(),
                closing(sqlite3.connect(self.path, timeout=_SECONDS)) as base,
            ):
                self._check_owner(base)

    def open(self) -> sqlite3.Connection:
        """The connection of this process; the threads that share it take turns themselves."""
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
        """Turns the errors of the file, and of SQLite, into a line."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            name = getattr(error, "sqlite_errorname", "")
            raise UsageError(
                f"the cache of {self._holds} fails: {getattr(error, 'strerror', None) or error}",
                path=self.path,
                remedy=next(
                    (remedy for start, remedy in _REMEDIES.items() if name.startswith(start)),
                    "see that it is a file that can be written, or name another folder by --cache",
                ).format(made=self._made),
            ) from error

    def _check_folder(self) -> None:
        folder = self.path.parent
        if folder.exists() and not folder.is_dir():
            raise UsageError(
                "is a file, not a folder", path=folder, remedy="name a folder for --cache"
            )

    def _check_owner(self, base: sqlite3.Connection) -> bool:
        """Whether the file has its table, False for an empty file.

        Raises `UsageError` for a database of somebody else's, before it is written to.
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
                f"is a database that holds something else than {self._holds}",
                path=self.path,
                remedy="name another folder by --cache",
            )
        return bool(held)


def answered(
    questions: Sequence[Q], ask: Callable[[Q], A], at_once: int
) -> Iterator[tuple[Q, A | DataError]]:
    """Yield each question with what `ask` returns, in the order in which answers come.

    `ask` runs in `at_once` threads. A `DataError` that it raises is given as that question's
    answer; any other error ends the whole. The next question is asked only when the caller has kept
    an answer and comes for another: a kill loses what was on its way and nothing else.
    """
    waiting = iter(questions)
    done: queue.SimpleQueue[tuple[Q, A | Exception]] = queue.SimpleQueue()

    def work(question: Q) -> None:
        made: A | Exception
        try:
            made = ask(question)
        except Exception as error:  # it is raised again by whoever waits for the answer
            made = error
        done.put((question, made))

    def start(number: int) -> None:
        # Daemons, so that a run that is stopped does not wait for answers.
        for question in islice(waiting, number):
            threading.Thread(target=work, args=(question,), daemon=True).start()

    start(at_once)
    for _ in questions:
        question, made = done.get()
        if isinstance(made, Exception) and not isinstance(made, DataError):
            raise made
        yield question, made
        start(1)
