"""What the files of --links say: both tables of Wikimedia, lists of items, and what is neither."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from corefmill.builders.wec.same_event import (
    ArticleItem,
    LanguageLink,
    LinkFile,
    Statement,
    read,
    wiki_of,
)
from corefmill.corpora.errors import CorefmillError, DataError, UsageError

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


@pytest.mark.parametrize(
    ("name", "database", "message"),
    [
        ("frwiki-latest-langlinks.sql.gz", "", "of a wiki that it does not name, and --lang has"),
        ("enwiki-latest-langlinks.sql.gz", "frwiki", "langlinks of frwiki, and --lang has en, it"),
    ],
)
def test_a_table_of_another_wiki(tmp_path: Path, name: str, database: str, message: str) -> None:
    path = table(tmp_path / name, "langlinks", "(1,'it','A')", database)
    with pytest.raises(UsageError, match=message):
        said(path)


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
        (b"en\tVesk", "not a language, a title and a Wikidata item"),
        (b"en\tVesk\tQ0", "not a language"),
        (b"en\tVesk\t76", "not a language"),
        (b"en\t \tQ76", "not a language"),
        (b"en\tVesk\tQ76\tx", "not a language"),
        (b"en\tVesk\tQ" + b"9" * 19, "not a language"),
        (b"en\tV\xff\tQ76", "not UTF-8 at byte 5"),
        (b"x" * 70_000, "a line of over"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "items.tsv"
    path.write_bytes(b"en\tA\tQ1\n" + line + b"\n")
    with pytest.raises(DataError, match=message) as caught:
        said(path)
    assert caught.value.line == 2


def test_a_list_is_of_no_language(tmp_path: Path) -> None:
    path = tmp_path / "items.tsv"
    path.write_text("en\tA\tQ1\n")
    with pytest.raises(CorefmillError, match="says the language in each line"):
        said(path, "en")
