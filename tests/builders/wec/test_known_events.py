"""Listed events join what the pass found, whether the dump has their page or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import duckdb
import pytest

from corefmill.builders.run.database import scratch_database
from corefmill.builders.wec import known_events as join
from corefmill.builders.wec.facts.templates import EventPage

A, B, C = (EventPage(title, 0, "Flood", "wikidata:Q8068", {}) for title in "ABC")


@pytest.fixture
def base(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A dump with a page of A, and redirects from "old" to A and from "part" to a section of A."""
    with duckdb.connect() as base:
        base.execute(
            "CREATE TABLE redirects (ns INT, title VARCHAR, target VARCHAR, section VARCHAR)"
        )
        base.execute("INSERT INTO redirects VALUES (0, 'old', 'A', ''), (0, 'part', 'A', 'S')")
        join.load_event_pages(base, [EventPage("A", 7, "Flood", "wikidata:Q8068", {})], tmp_path)
        yield base


def added(
    base: duckdb.DuckDBPyConnection, listed: Iterable[tuple[EventPage, Sequence[str]]], folder: Path
) -> tuple[int, dict[str, tuple[str, str | None]]]:
    """How many events were added, and where titles lead then."""
    count = join.add_listed(base, listed, folder)
    join.follow_redirects(base)
    return count, {title: (event, s) for title, event, s in join.known_titles(base)}


KNOWN = {"A": ("A", None), "old": ("A", None), "part": ("A", "S")}


def test_an_event_without_a_page_is_added(base: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    count, titles = added(base, [(A, ()), (B, ("B flood",))], tmp_path)
    assert (count, titles) == (1, {**KNOWN, "B": ("B", None), "B flood": ("B", None)})
    ids = {page.title: (page.page_id, aliases) for page, aliases in join.known_event_pages(base)}
    assert ids == {"A": (7, ["old"]), "B": (0, ["B flood"])}


def test_a_listed_title_that_redirects_is_what_it_leads_to(
    base: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    old = EventPage("old", 0, "Flood", "wikidata:Q8068", {})
    assert added(base, [(old, ("older",))], tmp_path) == (0, {**KNOWN, "older": ("A", None)})


def test_an_alias_goes_before_the_dump_s_redirect_and_an_event_before_an_alias(
    base: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    listed = [(A, ("B",)), (B, ()), (C, ("part",))]
    count, titles = added(base, listed, tmp_path)
    assert count == 2
    own = {"B": ("B", None), "C": ("C", None), "part": ("C", None)}
    assert titles == {**KNOWN, **own}


def test_each_event_has_its_own_aliases(base: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    added(base, [(B, ()), (C, ("of C", "also C"))], tmp_path)
    known = {page.title: aliases for page, aliases in join.known_event_pages(base)}
    assert known == {"A": ["old"], "B": [], "C": ["also C", "of C"]}


def test_a_long_line_is_read_and_little_memory_is_enough(tmp_path: Path) -> None:
    """DuckDB once set 256 MiB aside for any line, whatever its limit was."""
    page = EventPage("A", 7, "Flood", "flood", {"notes": "water " * 400_000})
    with scratch_database(tmp_path, memory="100MB") as (base, scratch):
        join.load_event_pages(base, [page], scratch)
        base.execute(
            "CREATE TABLE titles (title VARCHAR, event VARCHAR, section VARCHAR, depth INT)"
        )
        assert [*join.known_event_pages(base)] == [(page, [])]
