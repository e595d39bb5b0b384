"""The world as a MediaWiki export with the truth beside it, written as it is drawn."""

from __future__ import annotations

import bz2
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

from tools.world.articles import Articles
from tools.world.draw import World
from tools.world.pages import Page, redirect
from tools.world.shared import Item, SharedEvents
from tools.world.traps import Traps
from tools.world.wordings import chosen
from tools.world.words import Words

PAGES_PER_STREAM = 100
_FIRST_ID = 10_000  # above those of the pages that are written by hand
_VALID = (None, "markup")  # an address beside a mention takes nothing from it
_SCHEMA = "http://www.mediawiki.org/xml/export-0.11/"
_FIRST_EDIT = datetime(2020, 1, 1, tzinfo=UTC)


def languages() -> list[str]:
    """The languages that there is a world in."""
    folder = resources.files(__package__)
    return sorted(
        f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")
    )


def read_table(lang: str, wordings: str | None = None) -> dict[str, Any]:
    """The language's words, names and sentences, with some of its wordings if it is said which."""
    file = resources.files(__package__).joinpath(f"{lang}.toml")
    table = tomllib.loads(file.read_text("utf-8"))
    return table if wordings is None else chosen(table, wordings, lang)


def pages(
    lang: str,
    countries: int,
    seed: int = 0,
    shared: SharedEvents | None = None,
    wordings: str | None = None,
) -> Iterator[Page]:
    """The pages of `countries` countries, and last those that belong to none of them."""
    table = read_table(lang, wordings)
    world = World(table, seed)
    if shared is not None:
        world = World(table, seed, partial(shared.facts, lang))
    for index in range(countries):
        yield from _country(world, index, lang)
    grammar = table["grammar"]
    for kind in table["kind"]:
        known = kind["template"]
        for alias in kind.get("redirects", ()):  # the second leads to the first: a chain
            prefix = f"{grammar['template_namespace']}:{grammar['infobox']}"
            yield redirect(f"{prefix}{alias}", f"{prefix}{known}", grammar["redirect"], 10)
            known = alias


class Dump:
    """A dump that is being written to `path`: bz2 by its suffix, then in streams of 100 pages with
    an index beside it, named as Wikimedia names them.
    """

    def __init__(self, path: Path, lang: str) -> None:
        self._lang = lang
        self._table = read_table(lang)
        self._stack = ExitStack()
        self._file: IO[bytes] = self._stack.enter_context(path.open("wb"))
        self._packed = path.suffix == ".bz2"
        self._index: IO[bytes] | None = None
        if self._packed:
            index = path.with_name(f"{path.name.removesuffix('.xml.bz2')}-index.txt.bz2")
            self._index = self._stack.enter_context(bz2.BZ2File(index, "wb"))
        self._pending: list[tuple[int, str, str]] = []
        self._offset = 0
        self._number = 0
        self._put(self._header())

    def add(self, page: Page) -> int:
        """Write a page; its id."""
        self._number += 1
        page_id = _FIRST_ID + 3 * self._number
        self._pending.append((page_id, page.title, self._xml(page, page_id)))
        if len(self._pending) == PAGES_PER_STREAM:
            self._flush()
        return page_id

    def close(self) -> None:
        """Write what is left, and the end."""
        self._flush()
        self._put("</mediawiki>\n")
        self._stack.close()

    def _flush(self) -> None:
        if self._index is not None:
            for page_id, title, _ in self._pending:
                self._index.write(f"{self._offset}:{page_id}:{title}\n".encode())
        if self._pending:
            self._put("".join(xml for _, _, xml in self._pending))
        self._pending.clear()

    def _put(self, text: str) -> None:
        data = text.encode()
        self._offset += self._file.write(bz2.compress(data) if self._packed else data)

    def _header(self) -> str:
        site = self._table["site"]
        names = "".join(
            f'      <namespace key="{key}" case="first-letter">{escape(name)}</namespace>\n'
            if name
            else f'      <namespace key="{key}" case="first-letter" />\n'
            for key, name in site["namespaces"]
        )
        return (
            f'<mediawiki xmlns="{_SCHEMA}" version="0.11" xml:lang="{self._lang}">\n'
            f"  <siteinfo>\n    <sitename>{escape(site['name'])}</sitename>\n"
            f"    <dbname>{self._lang}wiki</dbname>\n    <base>{site['base']}</base>\n"
            f"    <generator>corefmill</generator>\n    <case>first-letter</case>\n"
            f"    <namespaces>\n{names}    </namespaces>\n  </siteinfo>\n"
        )

    def _xml(self, page: Page, page_id: int) -> str:
        text = page.text
        edited = _FIRST_EDIT + timedelta(minutes=37 * self._number % 2_000_000)
        leads = (
            "" if page.redirect is None else f"    <redirect title={quoteattr(page.redirect)} />\n"
        )
        return (
            f"  <page>\n    <title>{escape(page.title)}</title>\n    <ns>{page.namespace}</ns>\n"
            f"    <id>{page_id}</id>\n{leads}    <revision>\n      <id>{page_id * 7}</id>\n"
            f"      <timestamp>{edited:%Y-%m-%dT%H:%M:%SZ}</timestamp>\n"
            f"      <contributor>\n        <username>Corefmill</username>\n        <id>1</id>\n"
            f"      </contributor>\n      <model>wikitext</model>\n"
            f"      <format>text/x-wiki</format>\n"
            f'      <text bytes="{len(text.encode())}" xml:space="preserve">{escape(text)}</text>\n'
            f"    </revision>\n  </page>\n"
        )


def write_shared(
    folder: Path, *, langs: Sequence[str], countries: int, seed: int = 0
) -> dict[str, int]:
    """Write worlds in several languages that share a part of their events to `folder`: of each its
    LANGwiki.xml and, as `write` has it, its truth LANG.jsonl; and links.tsv, which says what item
    a title belongs to: language, title, item. Returns how many records of each kind there are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shared = SharedEvents({lang: read_table(lang) for lang in langs}, seed)
    counts: Counter[str] = Counter()
    with (folder / "links.tsv").open("w", encoding="utf-8") as links:
        for lang in shared.langs:
            world = World(read_table(lang), seed, partial(shared.facts, lang))
            items: dict[str, Item] = {}
            for index in range(countries):
                land = Words(world, index, lang).land
                for event, item in zip(land.events, shared.items(lang, land), strict=True):
                    items[event.title] = item
                    if item.title is not None:
                        links.write(f"{lang}\t{item.title}\t{item.item}\n")
                        counts["row"] += 1
            made = pages(lang, countries, seed, shared)
            dump, truth = folder / f"{lang}wiki.xml", folder / f"{lang}.jsonl"
            counts += Counter(_write(dump, truth, lang, made, items))
    return dict(counts)


def write(
    path: Path,
    truth: Path | None,
    *,
    lang: str,
    countries: int,
    seed: int = 0,
    wordings: str | None = None,
) -> dict[str, int]:
    """Write a world of `countries` countries to `path` and what is true of it to `truth`, with
    some of the wordings (`wordings.WORDINGS`) if it is said which.

    The truth is JSON Lines, page by page: {"kind": "pivot", "title", "page_id", "event_type",
    "infobox"}; {"kind": "link", "page", "page_id", "text", "start", "end", "anchor", "pivot",
    "event_type", "valid", "trap", "how"}; {"kind": "names", "page", "page_id", "text", "names"},
    where each name is [person, start, end]. Where languages share events a pivot has "item" and
    "row" as well, as `Item` has them. Returns how many records of each kind there are.
    """
    return _write(path, truth, lang, pages(lang, countries, seed, wordings=wordings), {})


def _write(
    path: Path, truth: Path | None, lang: str, made: Iterator[Page], items: Mapping[str, Item]
) -> dict[str, int]:
    counts = {"pages": 0, "pivot": 0, "link": 0, "names": 0}
    dump = Dump(path, lang)
    with ExitStack() as stack:
        out = stack.enter_context(truth.open("w", encoding="utf-8")) if truth else None
        stack.callback(dump.close)
        for page in made:
            page_id = dump.add(page)
            counts["pages"] += 1
            for record in records(page, page_id, items):
                counts[record["kind"]] += 1
                if out is not None:
                    out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return counts


def records(
    page: Page, page_id: int, items: Mapping[str, Item] = MappingProxyType({})
) -> Iterator[dict[str, Any]]:
    """The truth about one page, as `write` describes it; `items` by the title of their event."""
    if page.pivot is not None:
        item = items.get(page.title)
        yield {
            "kind": "pivot",
            "title": page.title,
            "page_id": page_id,
            "event_type": page.pivot.kind["type"],
            "infobox": page.pivot.kind["template"],
        } | ({} if item is None else {"item": item.item, "row": item.row})
    for link in page.truth:
        yield {
            "kind": "link",
            "page": page.title,
            "page_id": page_id,
            "text": link.text,
            "start": link.start,
            "end": link.end,
            "anchor": link.anchor,
            "pivot": link.pivot,
            "event_type": link.event_type,
            "valid": link.trap in _VALID,
            "trap": None if link.trap in _VALID else link.trap,
            "how": link.how,
        }
    for passage in page.names:
        yield {
            "kind": "names",
            "page": page.title,
            "page_id": page_id,
            "text": passage.text,
            "names": passage.names,
        }


def _country(world: World, index: int, lang: str) -> list[Page]:
    """The pages of the country `index`."""
    words = Words(world, index, lang)
    traps = Traps(words)
    articles = Articles(words, traps)
    land = words.land
    pages = [articles.country()]
    people = [articles.person(person) for person in land.people]
    pages += people
    pages += [articles.town(town) for town in land.towns]
    pages += [articles.firm(firm) for firm in land.firms]
    pages += articles.works()
    pages += [articles.event(event) for event in land.events]
    pages += articles.redirects()
    pages += traps.decoys(people)
    traps.on_persons(people)
    articles.last_mentions(people)
    for page in people:
        articles.close_person(page)
    pages += traps.other_pages()
    words.rng.shuffle(pages)
    traps.settle_surplus(pages)
    return pages
