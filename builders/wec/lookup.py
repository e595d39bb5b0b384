"""Where titles lead and what is known of events, on disk, for as many workers as want to ask.

A file of SQLite, since a worker asks for single titles and no worker need hold them all.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from corefmill.builders.wec.anchors import Target
from corefmill.builders.wec.facts.facts import Facts, facts_of, stem
from corefmill.builders.wec.facts.lexicon import Lexicon
from corefmill.builders.wec.facts.records import Pivot
from corefmill.builders.wec.facts.validators import Fields

_TARGETS, _FACTS = 1 << 16, 1 << 12
"""Answers that a worker remembers."""

Known = Callable[[], Iterator[tuple[Pivot, Sequence[str]]]]
"""Every event with its aliases, as often as it is called."""


def write(
    path: Path,
    pivots: Known,
    titles: Iterable[tuple[str, str, str | None]],
    lexicon: Lexicon,
    fields: Fields,
) -> int:
    """Writes the file, whole or not at all; returns the number of events.

    `titles` are (title, title of the event, section of it or None): the events' own, and those of
    redirects.
    """
    stems = Counter(stem(pivot.title, lexicon) for pivot, _ in pivots())
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(temporary)) as base, base:
            base.execute("PRAGMA journal_mode = OFF")
            base.execute("CREATE TABLE titles (title TEXT PRIMARY KEY, pivot, section)")
            base.execute("CREATE TABLE facts (title TEXT PRIMARY KEY, json)")
            base.executemany("INSERT OR IGNORE INTO titles VALUES (?, ?, ?)", titles)
            base.executemany(
                "INSERT INTO facts VALUES (?, ?)", _facts(pivots(), stems, lexicon, fields)
            )
            (count,) = base.execute("SELECT count(*) FROM facts").fetchone()
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return int(count)


def _facts(
    pivots: Iterable[tuple[Pivot, Sequence[str]]],
    stems: Counter[str],
    lexicon: Lexicon,
    fields: Fields,
) -> Iterator[tuple[str, str]]:
    for pivot, aliases in pivots:
        found = facts_of(pivot, aliases, lexicon, fields)
        marked = replace(found, series=stems[stem(pivot.title, lexicon)] > 1)
        yield pivot.title, json.dumps(marked.as_json(), ensure_ascii=False)


class Lookup:
    """The file, opened to be asked."""

    def __init__(self, path: Path) -> None:
        self._base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        self.target = lru_cache(_TARGETS)(self._target)
        self.facts = lru_cache(_FACTS)(self._facts)

    def _target(self, title: str) -> Target | None:
        """Where a title leads, None if to no event."""
        row = self._base.execute(
            "SELECT pivot, section FROM titles WHERE title = ?", (title,)
        ).fetchone()
        return None if row is None else Target(*row)

    def _facts(self, pivot: str) -> Facts:
        """What is known of an event."""
        (text,) = self._base.execute("SELECT json FROM facts WHERE title = ?", (pivot,)).fetchone()
        return Facts.from_json(json.loads(text))

    def all_facts(self) -> Iterator[Facts]:
        """Every event, by title."""
        for (text,) in self._base.execute("SELECT json FROM facts ORDER BY title"):
            yield Facts.from_json(json.loads(text))
