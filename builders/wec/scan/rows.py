"""Pages of a dump as the pass sees them: what their head says, and where their text stands."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from corefmill.builders.wiki.dump.chunks import Chunk, chunk_of
from corefmill.builders.wiki.dump.pages import Page, Reject, pages, redirect_target
from corefmill.builders.wiki.dump.siteinfo import SiteInfo

# As MediaWiki writes it; nothing of it is optional but what stands in brackets.
_HEAD = re.compile(
    rb"<page>\s*+<title>([^<]*+)</title>\s*+<ns>(-?\d{1,9})</ns>\s*+<id>(\d{1,18})</id>\s*+"
    rb"(?:<redirect\s++title=\"([^\"<]*+)\"\s*+/>\s*+)?(?:<restrictions>[^<]*+</restrictions>\s*+)?"
    rb"<revision>"
)
_TEXT = re.compile(rb"<text((?:\s++[\w:]++=\"[^\"<]*+\")*+)\s*+(/?)>")


class Row(NamedTuple):
    """A page; its text is `data[start:end]`, UTF-8 and escaped. `target` is None where it is no
    redirect."""

    title: str
    page_id: int
    ns: int
    target: str | None
    data: bytes
    start: int
    end: int


def rows(chunk: Chunk, number: int, site: SiteInfo, reject: Reject) -> Iterator[Row]:
    """The page of that number, by two expressions if it is written as usual, else by the parser;
    none where that finds none, which `reject` is told."""
    row = _read(chunk, number, site)
    if row is not None:
        yield row
        return
    one = chunk_of(chunk.index, chunk.path, site, [chunk.page(number)])
    for page in pages(one, reject=reject):
        yield _parsed(page)


def _read(chunk: Chunk, number: int, site: SiteInfo) -> Row | None:
    data, end = chunk.data, chunk.end(number)
    head = _HEAD.match(data, chunk.starts[number], end)
    if head is None:
        return None
    rest = head.end()
    tag = data.find(b"<text", rest, end)
    text = _TEXT.match(data, tag, end) if tag >= 0 else None
    if text is None or b"deleted" in text[1] or data.find(b"<!", rest, tag) >= 0:
        return None
    start = stop = text.end()
    if not text[2]:
        # No tag, comment or the like stands in a text, for all are escaped.
        stop = data.find(b"<", start, end)
        if not data.startswith(b"</text>", stop):
            return None
    elif b"bytes=" in text[1]:
        return None
    if data.find(b"<revision", stop, end) >= 0 or data.find(b"<!", stop, end) >= 0:
        return None
    raw, ns, page_id, target = head.groups()
    try:
        title = raw.decode()
        leads = None if target is None else html.unescape(target.decode())
    except UnicodeDecodeError:
        return None
    if "&" in title:
        title = html.unescape(title)
    title = " ".join(title.replace("_", " ").split())
    if not title:
        return None
    if not leads and data[start : start + 100].lstrip()[:1] == b"#":
        leads = redirect_target(html.unescape(data[start:stop].decode(errors="replace")), site)
    return Row(title, int(page_id), int(ns), leads, data, start, stop)


def _parsed(page: Page) -> Row:
    data = html.escape(page.text, quote=False).encode()
    return Row(page.title, page.page_id, page.ns, page.redirect, data, 0, len(data))
