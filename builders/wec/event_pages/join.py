"""Joins events and redirects: which titles lead to which event.

In DuckDB, on disk beyond its memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb

from corefmill.builders.run.job import RunResult
from corefmill.builders.wec.facts.event_page import EventPage
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE
from corefmill.corpora import disk

DEEPEST = 8
"""Redirects that are followed one after the other; MediaWiki follows one, its robots fix two."""

_FILES = 500  # that DuckDB reads at a time
_ROWS = 1000
_SHORT, _LONGEST = 1 << 20, 1 << 27
"""Bytes of a line. DuckDB sets twice as much aside as it is told a line may have."""

_NOBODY: tuple[str | None, Iterator[tuple[Any, ...]]] = None, iter(())
_COLUMNS = "title, page_id, event_type, infobox, fields"
_READ_PAGES = (
    "SELECT * FROM read_json(?, format = 'newline_delimited', maximum_object_size = ?,"
    " columns = {title: 'VARCHAR', page_id: 'BIGINT', event_type: 'VARCHAR', infobox: 'VARCHAR',"
    " fields: 'VARCHAR', aliases: 'VARCHAR[]', row: 'BIGINT'})"
)


def load_redirects(base: duckdb.DuckDBPyConnection, first: RunResult, *, namespace: int) -> None:
    """Make the table `redirects` of the pages of a namespace that only point to another."""
    base.execute("CREATE TABLE redirects (ns INT, title VARCHAR, target VARCHAR, section VARCHAR)")
    for files in _batches(first.files("redirects"), _FILES):
        longest = max(path.stat().st_size for path in files)
        with disk.plain_names(files) as names:
            base.execute(
                "INSERT INTO redirects SELECT * FROM ("
                " SELECT unnest(ns) AS ns, unnest(title), unnest(target), unnest(section)"
                " FROM read_json(?, format = 'newline_delimited', maximum_object_size = ?,"
                " columns = {ns: 'INT[]', title: 'VARCHAR[]', target: 'VARCHAR[]',"
                " section: 'VARCHAR[]'})) WHERE ns = ?",
                [names, min(max(longest, _SHORT), _LONGEST), namespace],
            )


def template_redirects(base: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Squeezed names of templates that stand for others; of a title given twice the lesser."""
    found = base.execute(
        "SELECT title, min(target) FROM redirects WHERE ns = ? AND title <> '' AND target <> ''"
        " AND title <> target GROUP BY title ORDER BY title",
        [TEMPLATE],
    )
    return dict(found.fetchall())


def load_event_pages(
    base: duckdb.DuckDBPyConnection, found: Iterable[EventPage], scratch: Path
) -> None:
    """Make the table `event_pages`; of a title given twice the first stays."""
    base.execute(
        f"CREATE TABLE event_pages AS SELECT {_COLUMNS} FROM ({_READ_PAGES})"
        " QUALIFY row_number() OVER (PARTITION BY title ORDER BY row) = 1",
        _written(((page, ()) for page in found), scratch / "event_pages.jsonl"),
    )


def add_listed(
    base: duckdb.DuckDBPyConnection,
    listed: Iterable[tuple[EventPage, Sequence[str]]],
    scratch: Path,
) -> int:
    """Add to `event_pages` those whose titles no page has, and to `redirects` the aliases of all.

    A title that redirects is what it leads to. An alias leads where the list says, whatever the
    dump says of it, unless it is the title of an event. Returns how many were added.
    """
    base.execute(
        f"CREATE TABLE listed AS {_READ_PAGES}", _written(listed, scratch / "listed.jsonl")
    )
    before = base.execute("SELECT count(*) FROM event_pages").fetchall()[0][0]
    base.execute(
        f"INSERT INTO event_pages SELECT {_COLUMNS} FROM listed WHERE title NOT IN"
        " (SELECT title FROM event_pages)"
        " AND title NOT IN (SELECT title FROM redirects WHERE ns = 0)"
    )
    base.execute(
        "CREATE TABLE aliases AS SELECT alias, title FROM (SELECT unnest(aliases) AS alias, title"
        " FROM listed) WHERE alias NOT IN (SELECT title FROM listed)"
    )
    base.execute("DELETE FROM redirects WHERE ns = 0 AND title IN (SELECT alias FROM aliases)")
    base.execute("INSERT INTO redirects SELECT 0, alias, title, '' FROM aliases")
    after = base.execute("SELECT count(*) FROM event_pages").fetchall()[0][0]
    return int(after - before)


def _written(pages: Iterable[tuple[EventPage, Sequence[str]]], path: Path) -> tuple[str, int]:
    """The file for `_READ_PAGES`, and how long its lines may be."""
    longest = _SHORT
    with path.open("w", encoding="utf-8") as lines:
        for row, (page, aliases) in enumerate(pages):
            record = {**asdict(page), "fields": json.dumps(dict(page.fields))}
            line = json.dumps({**record, "aliases": list(aliases), "row": row}) + "\n"
            longest = max(longest, len(line))
            lines.write(line)
    return str(path), min(longest, _LONGEST)


def follow_redirects(base: duckdb.DuckDBPyConnection) -> None:
    """Make the table `titles` of all that leads to an event: title, event, section, depth.

    A chain's section is the one nearest to its beginning. A loop leads nowhere; of a title that
    redirects twice one target counts, whichever way the dump was cut.
    """
    base.execute(
        "CREATE TABLE titles AS"
        " SELECT title, title AS event, CAST(NULL AS VARCHAR) AS section, 0 AS depth"
        " FROM event_pages"
    )
    for depth in range(1, DEEPEST + 1):
        base.execute(
            "INSERT INTO titles"
            " SELECT title, lead.event, lead.section, $depth FROM ("
            "  SELECT r.title AS title, min({'event': t.event,"
            "   'section': coalesce(nullif(r.section, ''), t.section)}) AS lead"
            "  FROM redirects r JOIN titles t ON r.target = t.title"
            "  WHERE r.ns = 0 AND t.depth = $depth - 1 GROUP BY r.title)"
            " WHERE title NOT IN (SELECT title FROM titles)",
            {"depth": depth},
        )


def known_event_pages(base: duckdb.DuckDBPyConnection) -> Iterator[tuple[EventPage, Sequence[str]]]:
    """Each event page, by title, with its aliases: titles that redirect to it, not a section."""
    # Sorts go to disk beyond the memory, where lists in a join do not; one is done before the next.
    base.execute(
        "CREATE OR REPLACE TABLE aliases_of AS SELECT event, title FROM titles"
        " WHERE depth > 0 AND section IS NULL ORDER BY event, title"
    )
    found = base.cursor().execute(f"SELECT {_COLUMNS} FROM event_pages ORDER BY title")
    leading = base.cursor().execute("SELECT event, title FROM aliases_of")
    groups = groupby(_rows(leading), key=itemgetter(0))
    event, aliases = next(groups, _NOBODY)
    for title, page_id, event_type, infobox, fields in _rows(found):
        own = [alias for _, alias in aliases] if event == title else []
        if event == title:
            event, aliases = next(groups, _NOBODY)
        yield EventPage(title, page_id, event_type, infobox, json.loads(fields)), own


def known_titles(base: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str, str | None]]:
    """Each title that leads to an event, in order: title, the event's, section of it or None."""
    found = base.cursor().execute("SELECT title, event, section FROM titles ORDER BY title")
    yield from _rows(found)


def _rows(found: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while batch := found.fetchmany(_ROWS):
        yield from batch


def _batches(paths: Iterator[Path], size: int) -> Iterator[list[Path]]:
    while batch := list(islice(paths, size)):
        yield batch


def sizes(base: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """How many events there are, and how many titles lead to one."""
    query = "SELECT (SELECT count(*) FROM event_pages), (SELECT count(*) FROM titles)"
    return base.execute(query).fetchall()[0]
