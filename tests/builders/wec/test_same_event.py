"""Which events become one, and which links are refused."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from corefmill.builders.wec import event_index
from corefmill.builders.wec.event_index import EventIndex
from corefmill.builders.wec.facts import infoboxes, lexicon
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.known_events import KnownEvents
from corefmill.builders.wec.same_event import (
    JOINED,
    WITH_ITEM,
    ArticleItem,
    LanguageLink,
    LinkFile,
    Statement,
    read,
    unite,
    wiki_of,
)
from corefmill.corpora.files.errors import DataError

FLOODS = {
    "en": ("Vesk flood", "Orla flood"),
    "it": ("Alluvione V", "Alluvione O"),
    "de": ("Flut V",),
}
"""Titles by language; a page's number is that of its place, from 1. Flood, but for the last Italian
one, which is a fire."""


class United:
    """The files of events after `unite`."""

    def __init__(
        self,
        folder: Path,
        items: str = "",
        links: Mapping[str, Sequence[tuple[int, str, str]]] = {},
    ) -> None:
        self.indexes = {lang: folder / f"{lang}.sqlite" for lang in FLOODS}
        for lang, titles in FLOODS.items():
            pages = [
                EventPage(title, n, "Fire" if title == "Alluvione O" else "Flood", "box", {})
                for n, title in enumerate(titles, 1)
            ]
            led = [(title, title, None) for title in titles]
            led += [(f"{title} (alias)", title, None) for title in titles]
            led += [(f"{title} (part)", title, "Part") for title in titles]
            events = KnownEvents(
                lambda pages=pages: ((p, ()) for p in pages),  # type: ignore[misc]
                lambda led=led: iter(led),  # type: ignore[misc]
                Counter(pivots=len(pages)),
            )
            words, fields = lexicon.load("en"), infoboxes.load("en").fields
            event_index.write(self.indexes[lang], events, words, fields)
        files = []
        if items:
            (folder / "items.tsv").write_text(items.replace(" | ", "\t"), encoding="utf-8")
            files.append(LinkFile(folder / "items.tsv"))
        for lang, rows in links.items():
            path = folder / f"{lang}wiki-langlinks.sql"
            values = ",".join(f"({page},'{other}','{title}')" for page, other, title in rows)
            path.write_text(f"INSERT INTO `langlinks` VALUES {values};\n")
            files.append(LinkFile(path))
        unite(self.indexes, files)

    @property
    def clusters(self) -> dict[str, str]:
        """The cluster of each title."""
        found = {}
        for lang, path in self.indexes.items():
            index = EventIndex(path)
            found |= {title: index.cluster(title).name for title in FLOODS[lang]}
        return found

    @property
    def refused(self) -> list[tuple[str, str]]:
        """Reasons and titles."""
        return [
            (reason, record["title"])
            for path in self.indexes.values()
            for reason, record in EventIndex(path).refusals()
        ]


ALONE = {
    "Vesk flood": "enwiki-1", "Orla flood": "enwiki-2", "Alluvione V": "itwiki-1",
    "Alluvione O": "itwiki-2", "Flut V": "dewiki-1",
}  # fmt: skip


def test_articles_of_one_item_are_of_one_event(tmp_path: Path) -> None:
    items = "en | Vesk flood | Q7\nit | Alluvione V | Q7\nde | Flut V (alias) | Q7\n"
    items += "en | Orla flood | Q8\nen | Vesk | Q9\nit | Alluvione O (part) | Q7"
    made = United(tmp_path, items)
    joined = {"Vesk flood": "Q7", "Alluvione V": "Q7", "Flut V": "Q7", "Orla flood": "Q8"}
    assert made.clusters == ALONE | joined
    counts = [EventIndex(path).counts for path in made.indexes.values()]
    assert [(one[WITH_ITEM], one[JOINED]) for one in counts] == [(2, 1), (1, 1), (1, 1)]
    assert made.refused == []


def test_language_links_alone_join_by_union(tmp_path: Path) -> None:
    """en - it - de: German and English are joined by Italian; a link to a part joins nothing."""
    links = {
        "it": [(1, "en", "Vesk flood (alias)"), (2, "en", "Orla flood (part)")],
        "de": [(1, "it", "Alluvione V")],
    }
    made = United(tmp_path, links=links)
    assert made.clusters == ALONE | {"Alluvione V": "enwiki-1", "Flut V": "enwiki-1"}


def test_what_links_join_has_the_item_of_any_and_the_type_of_the_first(tmp_path: Path) -> None:
    links = {"en": [(2, "it", "Alluvione O"), (2, "de", "Flut V")]}
    made = United(tmp_path, "de | Flut V | Q7", links)
    assert {made.clusters[title] for title in ("Orla flood", "Alluvione O", "Flut V")} == {"Q7"}
    assert EventIndex(made.indexes["it"]).cluster("Alluvione O").event_type == "Flood"


def test_a_link_that_joins_two_events_of_a_language_is_refused_alone(tmp_path: Path) -> None:
    """What both sides say goes before what one says."""
    links = {
        "en": [(1, "it", "Alluvione V"), (2, "it", "Alluvione V")],
        "it": [(1, "en", "Orla flood")],
        "de": [(1, "en", "Orla flood")],
    }
    made = United(tmp_path, links=links)
    assert made.clusters == ALONE | {"Alluvione V": "enwiki-2", "Flut V": "enwiki-2"}
    assert made.refused == [("second_article_of_a_language", "Alluvione V")]


def test_a_link_between_two_items_is_refused(tmp_path: Path) -> None:
    items = "en | Vesk flood | Q7\nit | Alluvione V | Q8"
    made = United(tmp_path, items, {"en": [(1, "it", "Alluvione V")]})
    assert made.clusters == ALONE | {"Vesk flood": "Q7", "Alluvione V": "Q8"}
    assert made.refused == [("second_item", "Alluvione V")]


@pytest.mark.parametrize("turned", [False, True])
def test_of_several_items_the_one_of_its_type_counts(tmp_path: Path, turned: bool) -> None:
    lines = [
        "it | Alluvione V | Q7", "it | Alluvione O | Q8",
        "en | Vesk flood | Q7", "en | Vesk flood | Q8",
    ]  # fmt: skip
    made = United(tmp_path, "\n".join(lines[::-1] if turned else lines))
    assert made.clusters["Vesk flood"] == made.clusters["Alluvione V"] == "Q7"
    assert made.clusters["Alluvione O"] == "Q8"
    assert made.refused == [("second_item", "Vesk flood")]


# What the files of --links say: both tables of Wikimedia, lists of items, and what is neither.


LANGS = ("en", "it", "zh-yue")
PAGES = {"en": {1, 2, 3}, "it": {11, 12}, "zh-yue": set[int]()}


def said(path: Path, lang: str | None = None) -> list[Statement]:
    return list(read(LinkFile(path, lang), LANGS, PAGES))


def table(path: Path, name: str, rows: str, database: str = "") -> Path:
    head = f"-- Host: db1    Database: {database}\n" if database else "-- MySQL dump\n"
    path.write_bytes(gzip.compress(f"{head}INSERT INTO `{name}` VALUES {rows};\n".encode()))
    return path


def test_langlinks_of_events_to_the_languages_of_the_corpus(tmp_path: Path) -> None:
    rows = (
        "(1,'it','Alluvione di_Vesk'),(1,'de','Flut'),(9,'it','Roma'),(2,'zh-yue','\\'水\\''),"
        "(3,'en','Itself')"
    )
    path = table(tmp_path / "enwiki-20260101-langlinks.sql.gz", "langlinks", rows)
    assert said(path) == [
        LanguageLink("en", 1, "it", "Alluvione di Vesk"),
        LanguageLink("en", 2, "zh-yue", "'水'"),
    ]


def test_items_of_page_props(tmp_path: Path) -> None:
    rows = (
        "(1,'wikibase_item','Q76',NULL),(1,'page_image','x.jpg',NULL),(2,'wikibase_item','<b>',1),"
        "(9,'wikibase_item','Q9',NULL)"
    )
    path = table(tmp_path / "page_props.sql.gz", "page_props", rows, "enwiki")
    assert said(path) == [ArticleItem("en", 1, 76)]


def test_whose_pages_a_table_numbers(tmp_path: Path) -> None:
    """The user's word goes first, then the file's head, then its name."""
    row = "(11,'wikibase_item','Q76',NULL)"
    named = table(tmp_path / "enwiki-x.sql.gz", "page_props", row, "itwiki")
    assert said(named) == [ArticleItem("it", 11, 76)]
    assert said(named, "it") == said(named)
    assert said(named, "en") == []  # it has no page 11
    assert [wiki_of(name, LANGS) for name in ("itwiki.xml", "zh_yuewiki-x", "it.xml")] == [
        "it",
        "zh-yue",
        None,
    ]


@pytest.mark.parametrize("packed", [True, False])
def test_lines_of_language_title_and_item(tmp_path: Path, packed: bool) -> None:
    text = (
        "Language\tTitle\tItem\n"
        "en\t2002_Vesk  floods\tQ76\n\n"
        "itwiki\tAlluvione\thttp://www.wikidata.org/entity/Q76\r\n"
        "fr\tInondation\tQ76\n"
        "zh-yue\t水\tq5\n"
    )
    path = tmp_path / f"items.tsv{'.gz' * packed}"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert said(path) == [
        ArticleItem("en", "2002 Vesk floods", 76),
        ArticleItem("it", "Alluvione", 76),
        ArticleItem("zh-yue", "水", 5),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"en\tVesk", "the line needs a language, a title and a Wikidata item"),
        (b"en\tVesk\t76", "the line needs a language"),
        (b"en\tVesk\tQ" + b"9" * 19, "the line needs a language"),
        (b"en\tV\xff\tQ76", "the line is not UTF-8 at its byte 5"),
        (b"x" * 70_000, "the line is longer than 65,536 bytes"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "items.tsv"
    path.write_bytes(b"en\tA\tQ1\n" + line + b"\n")
    with pytest.raises(DataError, match=message) as caught:
        said(path)
    assert caught.value.line == 2
