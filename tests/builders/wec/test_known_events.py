"""Listed events join what the pass found, whether the dump has their page or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from corefmill.builders.run.database import scratch_database
from corefmill.builders.wec import known_events as join
from corefmill.builders.wec.facts.templates import EventPage

A, B, C = (EventPage(title, 0, "Flood", "wikidata:Q8068", {}) for title in "ABC")
OLD = EventPage("old", 0, "Flood", "wikidata:Q8068", {})
KNOWN = {"A": ("A", None), "old": ("A", None), "part": ("A", "S")}


@pytest.mark.parametrize(
    ("listed", "count", "titles", "aliases"),
    [
        (
            [(A, ()), (B, ("B flood", "also B"))],
            1,
            {"B": ("B", None), "B flood": ("B", None), "also B": ("B", None)},
            {"A": ["old"], "B": ["B flood", "also B"]},
        ),
        # A listed title that redirects is the page to which it leads.
        ([(OLD, ("older",))], 0, {"older": ("A", None)}, {"A": ["old", "older"]}),
        # An alias goes before the dump's redirect, and an event before an alias.
        (
            [(A, ("B",)), (B, ()), (C, ("part",))],
            2,
            {"B": ("B", None), "C": ("C", None), "part": ("C", None)},
            {"A": ["old"], "B": [], "C": ["part"]},
        ),
    ],
)
def test_listed_events(
    tmp_path: Path,
    listed: Sequence[tuple[EventPage, Sequence[str]]],
    count: int,
    titles: dict[str, tuple[str, str | None]],
    aliases: dict[str, list[str]],
) -> None:
    """A dump with a page of A, and redirects from "old" to A and from "part" to a section of A."""
    with duckdb.connect() as base:
        base.execute("CREATE TABLE redirects (title VARCHAR, target VARCHAR, section VARCHAR)")
        base.execute("INSERT INTO redirects VALUES ('old', 'A', ''), ('part', 'A', 'S')")
        page = EventPage("A", 7, "Flood", "wikidata:Q8068", {})
        assert join.join_events(base, [page], listed, tmp_path) == count
        found = {title: (event, section) for title, event, section in join.known_titles(base)}
        assert found == KNOWN | titles
        pages = {page.title: (page.page_id, own) for page, own in join.known_event_pages(base)}
        assert pages == {title: (7 if title == "A" else 0, own) for title, own in aliases.items()}


def test_a_long_line_is_read_and_little_memory_is_enough(tmp_path: Path) -> None:
    """DuckDB once set 256 MiB aside for any line, whatever its limit was."""
    page = EventPage("A", 7, "Flood", "flood", {"notes": "water " * 400_000})
    with scratch_database(tmp_path, memory="100MB") as (base, scratch):
        base.execute("CREATE TABLE redirects (title VARCHAR, target VARCHAR, section VARCHAR)")
        join.join_events(base, [page], [], scratch)
        assert [*join.known_event_pages(base)] == [(page, [])]
