"""Look up titles and events on disk, for any number of workers.

The file is SQLite's, since a worker asks for single titles and need not hold all in memory.
"""

from __future__ import annotations

import json
import os
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from corefmill.builders.corpus.split import hash_text
from corefmill.builders.wec.facts.event_facts import EventFacts, collect_facts, describe_event, stem
from corefmill.builders.wec.facts.lexicon import EventLexicon
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.facts.validators import EventFields
from corefmill.builders.wec.filters.reading import Reading
from corefmill.builders.wec.known_events import KnownEvents
from corefmill.corpora.records import EventMention, Source, Span

_FACTS = TypeAdapter(EventFacts)
_TARGETS_KEPT, _FACTS_KEPT = 1 << 12, 1 << 9
"""Answers that a worker caches. A look-up costs microseconds, a paragraph milliseconds; a cache of
sixteen times as many would fill some 60 MB with a large dump."""


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The target of a link, redirects followed: an event, and a section of its article or None."""

    event: str
    section: str | None = None


@dataclass(frozen=True, slots=True)
class EventCluster:
    """The cluster of an event's mentions in all languages: its name and type."""

    name: str
    event_type: str


def write(path: Path, events: KnownEvents, lexicon: EventLexicon, fields: EventFields) -> int:
    """Write titles and facts of all events to an SQLite file, whole or not at all; count them."""
    # A series is a stem that two titles or more share: hashes of stems, since titles are many.
    own = array("Q", (hash_text(stem(page.title, lexicon)) for page, _ in events.pages()))
    stems, times = np.unique(np.frombuffer(own, np.uint64), return_counts=True)
    series = frozenset(stems[times > 1].tolist())
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(temporary)) as base, base:
            base.execute("PRAGMA journal_mode = OFF")
            base.execute("CREATE TABLE titles (title TEXT PRIMARY KEY, event, section)")
            base.execute(
                "CREATE TABLE facts (title TEXT PRIMARY KEY, type, json, id, cluster, note)"
            )
            base.execute("CREATE TABLE leads (title TEXT PRIMARY KEY, text)")
            base.execute("CREATE TABLE counts (name, number)")
            base.execute("CREATE TABLE refused (reason, json)")
            base.executemany("INSERT OR IGNORE INTO titles VALUES (?, ?, ?)", events.titles())
            base.executemany(
                "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)",
                _facts(events.pages(), series, lexicon, fields),
            )
            base.executemany(
                "INSERT OR IGNORE INTO leads SELECT ?1, ?2 FROM facts WHERE title = ?1",
                events.leads(),
            )
            base.executemany("INSERT INTO counts VALUES (?, ?)", events.counts.items())
            (count,) = base.execute("SELECT count(*) FROM facts").fetchone()
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return int(count)


def _facts(
    pages: Iterable[tuple[EventPage, Sequence[str]]],
    series: frozenset[int],
    lexicon: EventLexicon,
    fields: EventFields,
) -> Iterator[tuple[str, str, str, int, str, str]]:
    """Yield the database rows of all events: title, type, facts, page id, cluster and note."""
    for page, aliases in pages:
        found = collect_facts(page, aliases, lexicon, fields)
        facts = replace(found, series=hash_text(stem(page.title, lexicon)) in series)
        shown = _FACTS.dump_json(facts).decode()
        note = json.dumps(describe_event(page, fields, lexicon.lang), ensure_ascii=False)
        yield page.title, page.event_type, shown, page.page_id, str(page.page_id), note


def assign(
    path: Path,
    clusters: Iterable[tuple[str, EventCluster]],
    counts: Mapping[str, int],
    refused: Iterable[tuple[str, Mapping[str, Any]]],
) -> None:
    """Assign clusters to events of the file, by title, and add counts and refused pairs.

    A refused pair is a reason with a record in JSON.
    """
    with closing(sqlite3.connect(path)) as base, base:
        base.executemany(
            "UPDATE facts SET cluster = ?, type = ? WHERE title = ?",
            ((cluster.name, cluster.event_type, title) for title, cluster in clusters),
        )
        base.executemany("INSERT INTO counts VALUES (?, ?)", counts.items())
        base.executemany(
            "INSERT INTO refused VALUES (?, ?)",
            ((reason, json.dumps(record, ensure_ascii=False)) for reason, record in refused),
        )


class EventIndex:
    """Look-ups of events by title in the SQLite file of `write`."""

    def __init__(self, path: Path) -> None:
        self._base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        self.target = lru_cache(_TARGETS_KEPT)(self._target)
        self.facts = lru_cache(_FACTS_KEPT)(self._facts)
        self.cluster = lru_cache(_FACTS_KEPT)(self._cluster)

    def has_any(self, titles: Iterable[str]) -> bool:
        """Whether any of the titles leads to an event."""
        query = "SELECT 1 FROM json_each(?) JOIN titles ON title = value LIMIT 1"
        return self._base.execute(query, (json.dumps(list(titles)),)).fetchone() is not None

    @property
    def counts(self) -> dict[str, int]:
        """Read the counts of the first pass and the joins."""
        return dict(self._base.execute("SELECT name, number FROM counts"))

    @property
    def types(self) -> Counter[str]:
        """Count the events of each type."""
        return Counter(dict(self._base.execute("SELECT type, count(*) FROM facts GROUP BY type")))

    def events(self) -> Iterator[tuple[str, int, str]]:
        """Yield title, page id and type of each event, sorted by title."""
        yield from self._base.execute("SELECT title, id, type FROM facts ORDER BY title")

    def note(self, event: str) -> tuple[str, dict[str, str]]:
        """Read the event's first paragraph and infobox facts; empty without such."""
        row = self._base.execute(
            "SELECT text, note FROM facts LEFT JOIN leads USING (title) WHERE title = ?", (event,)
        ).fetchone()
        return ("", {}) if row is None else (row[0] or "", json.loads(row[1]))

    def refusals(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the refused pairs of `assign`."""
        for reason, record in self._base.execute("SELECT reason, json FROM refused ORDER BY rowid"):
            yield reason, json.loads(record)

    def make_mention(
        self,
        event: str,
        *,
        lang: str,
        source: Source,
        text: str,
        span: Span,
        reading: Reading | None,
        meta: dict[str, Any],
    ) -> EventMention:
        """Make the record of a mention of the event at `span` of the text."""
        facts, cluster = self.facts(event), self.cluster(event)
        return EventMention(
            id=f"{lang}wiki-{source.page_id}-{source.paragraph}-{span[0]}",
            lang=lang,
            text=text,
            start=span[0],
            end=span[1],
            cluster=cluster.name,
            cluster_title=facts.title,
            event_type=cluster.event_type,
            infobox=facts.infobox,
            source=source,
            head=reading.head if reading else None,
            lemma=(reading and reading.lemma) or None,
            pos=(reading and reading.pos) or None,
            ner=(reading and reading.ner) or None,
            meta=meta,
        )

    def _target(self, title: str) -> LinkTarget | None:
        """Look up the event of a title; None without one."""
        row = self._base.execute(
            "SELECT event, section FROM titles WHERE title = ?", (title,)
        ).fetchone()
        return None if row is None else LinkTarget(*row)

    def _facts(self, event: str) -> EventFacts:
        """Look up the facts of an event."""
        (text,) = self._base.execute("SELECT json FROM facts WHERE title = ?", (event,)).fetchone()
        return _FACTS.validate_json(text)

    def _cluster(self, event: str) -> EventCluster:
        """Look up the cluster of an event's mentions."""
        query = "SELECT cluster, type FROM facts WHERE title = ?"
        return EventCluster(*self._base.execute(query, (event,)).fetchone())
