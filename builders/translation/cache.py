"""Translations kept on disk, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from builders.translation.protocol import Translator, as_many, one_line
from corpora.errors import DataError

FILE = "translations.sqlite3"
_BATCH = 64
"""Texts that are translated between two commits: what a kill can lose."""
_SECONDS = 60.0
_ASKED = 500
_TABLE = """
    CREATE TABLE IF NOT EXISTS translations (
        translator TEXT NOT NULL, text TEXT NOT NULL, translation TEXT NOT NULL,
        PRIMARY KEY (translator, text)
    ) WITHOUT ROWID
"""


class Cached:
    """A translator that asks another only for what is not in its file.

    Several processes may share the file. Entries of another fingerprint are not seen.
    """

    def __init__(self, translator: Translator, folder: Path) -> None:
        self._translator = translator
        self._path = folder / FILE
        self._base: sqlite3.Connection | None = None
        self._owner = 0
        self.name = translator.name
        self.source, self.target = translator.source, translator.target
        self.fingerprint = translator.fingerprint

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it. Raises `DataError` too where the file is broken."""
        lines = [one_line(text) for text in texts]
        try:
            known = self._known(lines)
            missing = [line for line in dict.fromkeys(lines) if line not in known]
            for first in range(0, len(missing), _BATCH):
                batch = missing[first : first + _BATCH]
                made = as_many(self.name, batch, self._translator.translate(batch))
                self._keep(zip(batch, made, strict=True))
                known |= dict(zip(batch, made, strict=True))
        except sqlite3.Error as error:
            raise DataError(
                f"the cache of translations fails: {error}",
                path=self._path,
                remedy="delete it: what it held is translated again",
            ) from error
        return [known[line] for line in lines]

    def _known(self, texts: Sequence[str]) -> dict[str, str]:
        base = self._open()
        found: dict[str, str] = {}
        for first in range(0, len(texts), _ASKED):
            asked = texts[first : first + _ASKED]
            marks = ", ".join("?" * len(asked))
            found |= base.execute(
                "SELECT text, translation FROM translations "
                f"WHERE translator = ? AND text IN ({marks})",
                [self.fingerprint, *asked],
            ).fetchall()
        return found

    def _keep(self, pairs: Iterable[tuple[str, str]]) -> None:
        with self._open() as base:
            base.executemany(
                "INSERT OR IGNORE INTO translations VALUES (?, ?, ?)",
                [(self.fingerprint, *pair) for pair in pairs],
            )

    def _open(self) -> sqlite3.Connection:
        # SQLite's connections must not be carried across a fork.
        if self._base is None or self._owner != os.getpid():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self._path, timeout=_SECONDS)
            self._owner = os.getpid()
            with self._base:
                self._base.execute(_TABLE)
        return self._base


def cached(translator: Translator, folder: Path) -> Translator:
    """The translator behind a cache in `folder`."""
    return Cached(translator, folder)
