"""Articles as rows of JSON Lines or Parquet: the same pages as from XML, and what is refused."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from corefmill.builders.wiki.dump.chunks import chunks
from corefmill.builders.wiki.dump.pages import Page, pages
from corefmill.corpora.files.errors import DataError
from tests.builders.wiki.dump.dump_writer import dump, page

Row = dict[str, Any]
TEXTS = (
    "'''Ann''' met [[Eve|her]] & said: <ref>no</ref> 1 < 2.\n\n== Life ==\n{{Infobox|a=\"b\"}}",
    "Un été à Paris — 北京 🙂.",
    "#REDIRECT [[Ann]]",
    "",
)
XML = dump(
    [page(f"Page {n}", text, number=n) for n, text in enumerate(TEXTS, 1)]
    + [page("Category:Poets", "All.", number=9, extra="<ns>14</ns>")]
)


def read(path: Path, lang: str | None = None) -> list[Page]:
    return [one for chunk in chunks(path, target_bytes=100) for one in pages(chunk, lang)]


def json_lines(*rows: Row) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def megawika(one: Page) -> Row:
    return {"title": one.title, "wikicode": one.text, "text": "Plain.", "hash": "2c0"}


def enterprise(one: Page) -> Row:
    return {
        **{"name": one.title, "identifier": one.page_id, "namespace": {"identifier": one.ns}},
        **{"in_language": {"identifier": "en"}, "is_part_of": {"identifier": "enwiki"}},
        **{"article_body": {"html": "<p>", "wikitext": one.text}, "redirects": []},
    }


def finewiki(one: Page) -> Row:
    return {
        **{"text": "Plain.", "id": f"enwiki/{one.page_id}", "wikiname": "enwiki"},
        **{"page_id": one.page_id, "title": one.title, "in_language": "en", "wikitext": one.text},
    }


@pytest.mark.parametrize(
    ("form", "packing"),
    [(megawika, "gz"), (megawika, "parquet"), (enterprise, "parquet"), (finewiki, "plain")],
)
def test_rows_give_the_pages_of_the_xml(
    tmp_path: Path, form: Callable[[Page], Row], packing: str
) -> None:
    xml, path = tmp_path / "dump.xml", tmp_path / "rows"
    xml.write_bytes(XML)
    wanted = read(xml)
    content = json_lines(*map(form, wanted))
    path.write_bytes(gzip.compress(content) if packing == "gz" else content)
    if packing == "parquet":
        path = tmp_path / "packed"
        with duckdb.connect() as base:
            rows = f"read_json('{tmp_path / 'rows'}', format = 'newline_delimited')"
            base.execute(f"COPY (SELECT * FROM {rows}) TO '{path}' (FORMAT parquet)")
    found = read(path)
    assert len({one.page_id for one in found}) == len(found) == len(TEXTS) + 1
    if form is megawika:  # has no numbers: they are made of titles
        assert [one.page_id for one in read(path)] == [one.page_id for one in found]
        wanted = [replace(one, page_id=n.page_id) for one, n in zip(wanted, found, strict=True)]
    assert found == wanted


def test_titles_that_lead_to_an_article_are_redirects(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    ann = {"name": "Ann", "article_body": {"wikitext": "A."}, "redirects": [{"name": "Anna & co"}]}
    eve = {"name": "Eve", "article_body": {"wikitext": "E."}, "redirects": None}
    path.write_bytes(json_lines(ann, eve, {"title": "Eva", "text": "", "redirect": "Eve"}))
    found = [(one.title, one.redirect) for one in read(path)]
    assert found == [("Anna & co", "Ann"), ("Ann", None), ("Eve", None), ("Eva", "Eve")]


@pytest.mark.parametrize(
    ("row", "lang"),
    [
        ({"in_language": "it"}, "it"),
        ({"is_part_of": {"identifier": "itwiki"}}, "it"),
        ({"url": "https://it.wikipedia.org/wiki/Ann"}, "it"),
        ({"in_language": '"><x'}, "en"),
        ({}, "en"),
    ],
)
def test_the_language_is_what_the_first_row_says(tmp_path: Path, row: Row, lang: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(json_lines({"title": "Ann", "wikitext": "A.", **row}))
    assert [chunk.site.lang for chunk in chunks(path)] == [lang]


GOOD = json_lines({"title": "Ann", "wikitext": "A."})


@pytest.mark.parametrize(
    ("content", "before", "said"),
    [
        (GOOD + b'{"title": "Eve", "wiki', {"Ann"}, "line 2 is not valid JSON"),
        (GOOD + b"\n[1]\n", {"Ann"}, "line 3 is not a JSON object"),
        (GOOD + b"\xff\xfe\n", {"Ann"}, "line 2 is not valid JSON"),
        (GOOD + b'{"title": ' + b"[" * 100_000, {"Ann"}, "line 2 is not valid JSON"),
        (GOOD + b'{"title": ' + b"1" * 5000 + b"}", {"Ann"}, "line 2 is not valid JSON"),
        (gzip.compress(GOOD * 9000)[:-20], {"Ann"}, "cut off within its compressed data"),
        (
            json_lines({"heading": "Ann"}),
            set(),
            "the rows lack a title or a text; their columns are heading",
        ),
        (
            json_lines({"title": ["Ann"], "wikitext": {"a": 1}}),
            set(),
            "the rows lack a title or a text",
        ),
    ],
)
def test_what_is_broken_is_said_after_the_pages_before_it(
    tmp_path: Path, content: bytes, before: set[str], said: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    found: set[str] = set()
    with pytest.raises(DataError) as caught:
        for chunk in chunks(path):
            found |= {one.title for one in pages(chunk)}
    assert said in str(caught.value)
    assert caught.value.remedy
    assert found == before


def test_rows_without_a_title_or_text_are_rejects(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    no_titles = ({"title": None, "wikitext": "A."}, {"title": [[]], "wikitext": "A."})
    path.write_bytes(
        GOOD + json_lines(*no_titles, {"title": "B"}, {"title": "C", "wikitext": "\x01"})
    )
    rejects: list[str] = []
    for chunk in chunks(path):
        list(pages(chunk, reject=lambda reason, detail: rejects.append(reason)))
    assert rejects == ["no_title", "no_title", "no_text", "malformed_xml"]


def test_parquet_from_a_pipe_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    held = os.open(path, os.O_RDWR)
    try:
        os.write(held, b"PAR1" * 2000)
        with pytest.raises(DataError, match="cannot be read from a pipe"):
            list(chunks(path))
    finally:
        os.close(held)
