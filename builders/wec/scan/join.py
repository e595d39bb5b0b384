"""Joins what the pass over a dump found: redirects to events, and the articles that link to them.

Redirects are sorted and joined in DuckDB, on disk beyond its memory. Links are held against a
sorted array of the checksums that lead to events, one unit's after the other's: no array grows
with the dump but that one, by four bytes a title.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from corefmill.builders.runner.job import RunResult
from corefmill.builders.wec.facts.records import Pivot
from corefmill.builders.wec.scan.checksums import checksum, spellings
from corefmill.builders.wec.scan.scan import Checksums, numbers
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE
from corefmill.corpora import disk

DEEPEST = 8
"""Redirects that are followed one after the other; MediaWiki follows one, its robots mend two."""

_FILES = 500  # that DuckDB reads at a time
_ROWS = 1000

_PIVOT = "title, page_id, event_type, infobox, fields"
_READ_PIVOTS = (
    "SELECT * FROM read_json(?, format = 'newline_delimited', maximum_object_size = 134217728,"
    " columns = {title: 'VARCHAR', page_id: 'BIGINT', event_type: 'VARCHAR', infobox: 'VARCHAR',"
    " fields: 'VARCHAR', aliases: 'VARCHAR[]', row: 'BIGINT'})"
)


def load_redirects(base: duckdb.DuckDBPyConnection, scanned: RunResult) -> None:
    """Make the table `redirects` of what the pass found."""
    base.execute("CREATE TABLE redirects (ns INT, title VARCHAR, target VARCHAR, section VARCHAR)")
    for files in _some(scanned.files("redirects"), _FILES):
        with disk.plain_names(files) as names:
            base.execute(
                "INSERT INTO redirects"
                " SELECT unnest(ns), unnest(title), unnest(target), unnest(section)"
                " FROM read_json(?, format = 'newline_delimited', maximum_object_size = 134217728,"
                " columns = {ns: 'INT[]', title: 'VARCHAR[]', target: 'VARCHAR[]',"
                " section: 'VARCHAR[]'})",
                [names],
            )


def template_redirects(base: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Squeezed names of templates that stand for others; of a title given twice the lesser."""
    found = base.execute(
        "SELECT title, min(target) FROM redirects WHERE ns = ? AND title <> '' AND target <> ''"
        " AND title <> target GROUP BY title ORDER BY title",
        [TEMPLATE],
    )
    return dict(found.fetchall())


def load_pivots(base: duckdb.DuckDBPyConnection, pivots: Iterable[Pivot], scratch: Path) -> None:
    """Make the table `pivots`; of a title given twice the first stays."""
    base.execute(
        f"CREATE TABLE pivots AS SELECT {_PIVOT} FROM ({_READ_PIVOTS})"
        " QUALIFY row_number() OVER (PARTITION BY title ORDER BY row) = 1",
        [_written(((pivot, ()) for pivot in pivots), scratch / "pivots.jsonl")],
    )


def add_listed(
    base: duckdb.DuckDBPyConnection,
    listed: Iterable[tuple[Pivot, Sequence[str]]],
    scratch: Path,
) -> int:
    """Add to `pivots` those whose titles no page has, and to `redirects` the aliases of all.

    A title that redirects is what it leads to. An alias leads where the list says, whatever the
    dump says of it, unless it is the title of an event. Returns how many were added.
    """
    base.execute(
        f"CREATE TABLE listed AS {_READ_PIVOTS}", [_written(listed, scratch / "listed.jsonl")]
    )
    before = base.execute("SELECT count(*) FROM pivots").fetchall()[0][0]
    base.execute(
        f"INSERT INTO pivots SELECT {_PIVOT} FROM listed WHERE title NOT IN (SELECT title FROM"
        " pivots) AND title NOT IN (SELECT title FROM redirects WHERE ns = 0)"
    )
    base.execute(
        "CREATE TABLE aliases AS SELECT alias, title FROM (SELECT unnest(aliases) AS alias, title"
        " FROM listed) WHERE alias NOT IN (SELECT title FROM listed)"
    )
    base.execute("DELETE FROM redirects WHERE ns = 0 AND title IN (SELECT alias FROM aliases)")
    base.execute("INSERT INTO redirects SELECT 0, alias, title, '' FROM aliases")
    after = base.execute("SELECT count(*) FROM pivots").fetchall()[0][0]
    return int(after - before)


def _written(pivots: Iterable[tuple[Pivot, Sequence[str]]], path: Path) -> str:
    with path.open("w", encoding="utf-8") as lines:
        for row, (pivot, aliases) in enumerate(pivots):
            record = {**asdict(pivot), "fields": json.dumps(dict(pivot.fields))}
            lines.write(json.dumps({**record, "aliases": list(aliases), "row": row}) + "\n")
    return str(path)


def follow_redirects(base: duckdb.DuckDBPyConnection) -> None:
    """Make the table `titles` of all that leads to a pivot: title, event, section, depth.

    A chain's section is the one nearest to its beginning. A loop leads nowhere; of a title that
    redirects twice one target counts, whichever way the dump was cut.
    """
    base.execute(
        "CREATE TABLE titles AS"
        " SELECT title, title AS event, CAST(NULL AS VARCHAR) AS section, 0 AS depth FROM pivots"
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


def known_pivots(base: duckdb.DuckDBPyConnection) -> Iterator[tuple[Pivot, Sequence[str]]]:
    """Each pivot, by title, with its aliases: titles that redirect to all of it, not a section."""
    found = base.cursor().execute(
        "SELECT p.title, page_id, event_type, infobox, fields, aliases FROM pivots p"
        " LEFT JOIN (SELECT event, list(title ORDER BY title) AS aliases FROM titles"
        "  WHERE depth > 0 AND section IS NULL GROUP BY event) a ON a.event = p.title"
        " ORDER BY p.title"
    )
    for title, page_id, event_type, infobox, fields, aliases in _rows(found):
        yield Pivot(title, page_id, event_type, infobox, json.loads(fields)), aliases or ()


def known_titles(base: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str, str | None]]:
    """Each title that leads to a pivot, in order: title, the pivot's, section of it or None."""
    found = base.cursor().execute("SELECT title, event, section FROM titles ORDER BY title")
    yield from _rows(found)


def link_checksums(titles: Iterable[str], lang: str) -> Checksums:
    """The checksums that a link to one of the titles may have, sorted."""
    found = (checksum(spelt) for title in titles for spelt in spellings(title, lang))
    return np.unique(np.fromiter(found, np.uint32))


def name_checksums(names: Iterable[str]) -> Checksums:
    """The checksums of squeezed names, sorted."""
    return np.unique(np.fromiter(map(checksum, names), np.uint32))


def articles_with(
    records: Iterable[Mapping[str, Any]], wanted: Checksums
) -> Iterator[tuple[int, list[int]]]:
    """By unit, the numbers of the articles that have a `wanted` checksum.

    `records` are of the channel `links` or `articles`.
    """
    if not len(wanted):
        return
    for record in records:
        values, counts = numbers(record["values"]), numbers(record["counts"])
        places = np.searchsorted(wanted, values)
        is_wanted = wanted[np.minimum(places, len(wanted) - 1)] == values
        rows = np.unique(np.repeat(np.arange(len(counts)), counts)[is_wanted])
        if len(rows):
            yield record["unit"], sorted(record["number"][row] for row in rows)


def _rows(found: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while some := found.fetchmany(_ROWS):
        yield from some


def _some(paths: Iterable[Path], size: int) -> Iterator[list[Path]]:
    held: list[Path] = []
    for path in paths:
        held.append(path)
        if len(held) == size:
            yield held
            held = []
    if held:
        yield held
