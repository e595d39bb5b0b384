"""Listed events join what the pass found, whether the dump has their page or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pytest

from corefmill.builders.run.database import scratch_database
from corefmill.builders.wec import event_index
from corefmill.builders.wec import known_events as join
from corefmill.builders.wec.event_index import EventIndex, LinkTarget
from corefmill.builders.wec.facts import infoboxes, lexicon
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.known_events import KnownEvents
from tests.builders.wec.small import known

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


# The events and their titles on disk.


def test_where_titles_lead(tmp_path: Path) -> None:
    asked = known(tmp_path)
    assert asked.target("2002 Vesk floods") == LinkTarget("2002 Vesk floods")
    assert asked.target("Great Vesk flood") == LinkTarget("2002 Vesk floods")
    assert asked.target("great Vesk flood") is None
    assert asked.facts("2002 Vesk floods").aliases == ("Great Vesk flood",)
    assert not list(tmp_path.glob(".*"))


def test_editions_are_a_series(tmp_path: Path) -> None:
    titles = ("39th Oscars", "40th Oscars", "Vesk floods")
    pages = [EventPage(title, n, "Awards", "infoboxawards", {}) for n, title in enumerate(titles)]
    path = tmp_path / "events.sqlite"
    events = KnownEvents(lambda: ((p, ()) for p in pages), lambda: iter(()), Counter())
    count = event_index.write(path, events, lexicon.load("en"), infoboxes.load("en").fields)
    assert count == 3
    assert [EventIndex(path).facts(title).series for title in titles] == [True, True, False]


def test_what_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    known(tmp_path)
    before = (tmp_path / "events.sqlite").read_bytes()

    def broken() -> Iterator[tuple[str, str, None]]:
        yield "title", "event", None
        raise OSError("gone")

    events = KnownEvents(lambda: iter(()), broken, Counter())
    words, fields = lexicon.load("en"), infoboxes.load("en").fields
    with pytest.raises(OSError, match="gone"):
        event_index.write(tmp_path / "events.sqlite", events, words, fields)
    assert (tmp_path / "events.sqlite").read_bytes() == before
    assert not list(tmp_path.glob(".*"))
