"""Translations kept on disk, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path

from corefmill.builders.translation.protocol import (
    AnsweringTranslator,
    Translator,
    as_many,
    one_line,
)
from corefmill.corpora.errors import DataError, UsageError

FILE = "translations.sqlite3"
_METHOD = 2
"""How translators are asked. With another number, what is kept is not used: in 1 the translations
of a text's neighbours could go into its own."""
_BATCH = 64
"""Texts that are translated between two commits: what a kill can lose. A translator that has
`batch_texts` is asked for so many."""
_FIRST_DAY = "\n"
"""Stands among the texts, none of which has a line break, for the day of the first translation."""
_SECONDS = 60.0
"""That another run may hold the file before this one gives up; it holds it for one commit."""
_ASKED = 500
_COLUMNS = [("translator",), ("text",), ("translation",)]
_TABLE = """
    CREATE TABLE IF NOT EXISTS translations (
        translator TEXT NOT NULL, text TEXT NOT NULL, translation TEXT NOT NULL,
        PRIMARY KEY (translator, text)
    ) WITHOUT ROWID
"""
_REMEDIES = {
    "SQLITE_BUSY": "another run holds it: wait for its end, or name another folder by --cache",
    "SQLITE_FULL": "free some space, or name another folder by --cache",
    "SQLITE_CORRUPT": "delete it: what it held is translated again",
    "SQLITE_NOTADB": "delete it if it is no file of yours, or name another folder by --cache",
}


class Cached:
    """A translator that asks another only for what is not in its file.

    Several processes may share the file. Entries of another fingerprint are not seen. Raises
    `UsageError` where something else stands in its place.
    """

    def __init__(self, translator: Translator, folder: Path) -> None:
        self._translator = translator
        self._path = folder / FILE
        self._base: sqlite3.Connection | None = None
        self._owner = 0
        self._failed: dict[str, DataError] = {}
        self._key = f"{_METHOD} {translator.fingerprint}"
        self.name = translator.name
        self.source, self.target = translator.source, translator.target
        self.fingerprint = translator.fingerprint
        _check_folder(folder)
        if self._path.exists():
            with _told(self._path), closing(sqlite3.connect(self._path, timeout=_SECONDS)) as base:
                _check_owner(base, self._path)

    @property
    def inner(self) -> Translator:
        """The translator that is asked."""
        return self._translator

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it. Raises `UsageError` too where the file fails: no text is to blame
        for that, so none may be left out for it."""
        lines = [one_line(text) for text in texts]
        with _told(self._path):
            known = self._known(lines)
        missing = [line for line in dict.fromkeys(lines) if line not in known]
        if isinstance(self._translator, AnsweringTranslator):
            known |= self._answered(self._translator, missing)
            return [known[line] for line in lines]
        size = getattr(self._translator, "batch_texts", _BATCH)
        for first in range(0, len(missing), size):
            batch = missing[first : first + size]
            made = as_many(self.name, batch, self._translator.translate(batch))
            with _told(self._path):
                self._keep(zip(batch, made, strict=True))
            known |= dict(zip(batch, made, strict=True))
        return [known[line] for line in lines]

    def first_day(self) -> str | None:
        """The day on which it was first asked for what it holds, None for one that answers the same
        on every day."""
        if not isinstance(self._translator, AnsweringTranslator):
            return None
        known = {}
        if self._path.exists():
            with _told(self._path):
                known = self._known([_FIRST_DAY])
        return known.get(_FIRST_DAY, str(date.today()))

    def _answered(self, translator: AnsweringTranslator, texts: Sequence[str]) -> dict[str, str]:
        """The translations of texts; each is kept at once, whatever becomes of the others.

        A text that failed is not asked again, since that costs as much as it did before.
        """
        known: dict[str, str] = {text: "" for text in texts if not text}
        asked = [text for text in texts if text and text not in self._failed]
        for text, made in translator.answers(asked):
            if isinstance(made, DataError):
                self._failed[text] = made
                continue
            as_many(self.name, [text], [made])
            with _told(self._path):
                self._keep([(_FIRST_DAY, str(date.today())), (text, made)])
            known[text] = made
        for text in texts:
            if text in self._failed:
                raise self._failed[text]
        return known

    def _known(self, texts: Sequence[str]) -> dict[str, str]:
        base = self._open()
        found: dict[str, str] = {}
        for first in range(0, len(texts), _ASKED):
            asked = texts[first : first + _ASKED]
            marks = ", ".join("?" * len(asked))
            found |= base.execute(
                "SELECT text, translation FROM translations "
                f"WHERE translator = ? AND text IN ({marks})",
                [self._key, *asked],
            ).fetchall()
        return found

    def _keep(self, pairs: Iterable[tuple[str, str]]) -> None:
        with self._open() as base:
            base.executemany(
                "INSERT OR IGNORE INTO translations VALUES (?, ?, ?)",
                [(self._key, *pair) for pair in pairs],
            )

    def _open(self) -> sqlite3.Connection:
        # SQLite's connections must not be carried across a fork.
        if self._base is None or self._owner != os.getpid():
            _check_folder(self._path.parent)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            base = sqlite3.connect(self._path, timeout=_SECONDS)
            _check_owner(base, self._path)
            with base:
                base.execute(_TABLE)
            self._base, self._owner = base, os.getpid()
        return self._base


def for_card(translator: Translator) -> str:
    """A translator's name, with the day where what it answers may change from day to day."""
    day = translator.first_day() if isinstance(translator, Cached) else None
    return f"{translator.name}, asked from {day} on" if day else translator.name


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError("is a file, not a folder", path=folder, remedy="name a folder for --cache")


def _check_owner(base: sqlite3.Connection, path: Path) -> None:
    """Raises `UsageError` for a database of somebody else's, before anything is written to it."""
    held = base.execute(
        "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'"
    ).fetchall()
    columns = base.execute("SELECT name FROM pragma_table_info('translations')").fetchall()
    if held and (held != [("translations",)] or columns != _COLUMNS):
        raise UsageError(
            "is a database that holds something else than translations",
            path=path,
            remedy="name another folder by --cache",
        )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turns the errors of the file, and of SQLite, into a line."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        name = getattr(error, "sqlite_errorname", "")
        raise UsageError(
            f"the cache of translations fails: {getattr(error, 'strerror', None) or error}",
            path=path,
            remedy=next(
                (remedy for start, remedy in _REMEDIES.items() if name.startswith(start)),
                "see that it is a file that can be written, or name another folder by --cache",
            ),
        ) from error
