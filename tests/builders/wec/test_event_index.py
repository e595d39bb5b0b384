"""Titles and facts on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from corefmill.builders.wec import event_index
from corefmill.builders.wec.event_index import EventIndex, LinkTarget
from corefmill.builders.wec.facts import infoboxes, lexicon
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.known_events import KnownEvents
from tests.builders.wec.small import known


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
