"""Read articles in rows of JSON Lines or Parquet as an XML dump.

So every reader of dumps can read MegaWika 2, the snapshots of Wikimedia Enterprise (unpacked from
their tar) and tables of the hub, such as FineWiki. `_COLUMNS` lists their names of the columns for
title, text and the rest.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Generator, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, BinaryIO

from corefmill.builders.wiki.dump.compression import DumpStream, PackedFile
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.remote import Place

LONGEST_ROW = 64 << 20
"""Bytes of a line, several times those of the longest article."""
_FETCHED = 64  # rows of Parquet at a time
_MEMORY = "512MB"
_LONGEST_TITLE = 1000  # characters; MediaWiki allows 255 bytes
_PARQUET = b"PAR1"

# For each field the columns that may hold it, the surest first; a dot leads into an object.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "name"),
    "wikitext": ("wikitext", "wikicode", "article_body.wikitext"),
    "text": ("text",),
    "id": ("page_id", "pageid", "identifier", "id"),
    "ns": ("ns", "namespace.identifier"),
    "redirect": ("redirect",),
    "aliases": ("redirects",),
    "lang": ("in_language.identifier", "in_language", "lang", "language"),
    "wiki": ("is_part_of.identifier", "wikiname", "wiki"),
    "url": ("url",),
}
_HOST = re.compile(r"https?://([a-z-]{2,12})\.(?:m\.)?wiki[a-z]{3,10}\.org/")
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,8}){0,3}")
_WIKI = re.compile(r"[a-z_]{2,30}")


def is_parquet(head: bytes) -> bool:
    """Check a file's first bytes for Parquet."""
    return head.startswith(_PARQUET)


def open_rows(stream: DumpStream) -> Iterator[Mapping[str, Any]] | None:
    """Open the rows of Parquet or JSON Lines; None for any other file."""
    if is_parquet(stream.source.head):
        return _parquet_rows(stream.source)
    if re.match(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"", stream.head):
        return _json_rows(io.BufferedReader(stream, 1 << 16), stream.path)
    return None


class RowsAsXml:
    """A reader of rows as UTF-8 XML of a dump; the error of the rows, if any, comes last."""

    def __init__(self, rows: Iterator[Mapping[str, Any]], stream: DumpStream) -> None:
        """Take the rows of `stream`, and close it with the reader."""
        self._pieces = _document(rows, stream.path)
        self._stream = stream

    def read1(self, size: int) -> bytes:
        """Return the next page, whatever `size` is."""
        return next(self._pieces, b"")

    def close(self) -> None:
        """End the reading, finished or not."""
        self._pieces.close()
        self._stream.close()


def _json_rows(lines: BinaryIO, path: Place | str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of JSON Lines as objects.

    Raises DataError for a line that is not a JSON object or longer than `LONGEST_ROW`.
    """
    number = 0
    while line := lines.readline(LONGEST_ROW + 1):
        number += 1
        if len(line) > LONGEST_ROW:
            raise DataError(
                f"line {number} is longer than {LONGEST_ROW >> 20} MiB", path=path, remedy=_LINES
            )
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"line {number} is not valid JSON ({error})", path=path, remedy=_LINES
            ) from error
        if not isinstance(row, dict):
            raise DataError(f"line {number} is not a JSON object", path=path, remedy=_LINES)
        yield row


_LINES = "one JSON object a line; download the file again if it was cut off"


def _parquet_rows(source: PackedFile) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a Parquet file in order, read a few at a time.

    Raises DataError for a file that is damaged, or comes from a pipe or a URL.
    """
    from corefmill.corpora.files import parquet_tables

    path = source.path
    if not source.rereadable:
        raise DataError(
            "Parquet cannot be read from a pipe",
            path=path,
            remedy="save the data to a file and name the file",
        )
    if source.remote:
        raise DataError(
            "Parquet cannot be read from a URL", path=path, remedy="download the file and name it"
        )
    with parquet_tables.connect(
        Path(path), "its Parquet is unreadable", "download the file again"
    ) as (
        base,
        name,
    ):
        base.execute(f"SET memory_limit = '{_MEMORY}'")
        found = base.execute(f"SELECT count(*) FROM read_parquet({name})").fetchone()
        rows, done = int(found[0]) if found else 0, 0
        source.measure = lambda: (source.total or 0) * done // max(rows, 1)
        columns = base.execute(f"DESCRIBE SELECT * FROM read_parquet({name})").fetchall()
        tops = {one.partition(".")[0] for names in _COLUMNS.values() for one in names}
        wanted = [column[0] for column in columns if column[0] in tops]
        if not wanted:
            wanted = [columns[0][0]]  # for an error that names all columns
        listed = ", ".join('"' + one.replace('"', '""') + '"' for one in wanted)
        stream = base.execute(f"SELECT {listed} FROM read_parquet({name})")
        while batch := stream.fetchmany(_FETCHED):
            for row in batch:
                yield dict(zip(wanted, row, strict=True))
            done += len(batch)


def _document(rows: Iterator[Mapping[str, Any]], path: Place | str) -> Generator[bytes, None, None]:
    """Write rows as the XML of a dump; raises `DataError` for rows without a title or text."""
    first = next(rows, None)
    if first is None:
        raise DataError("the file has no rows", path=path, remedy="download the file again")
    if _value(first, "title") is None or _text(first) is None:
        names = ", ".join(list(map(str, first))[:12])
        raise DataError(
            f"the rows lack a title or a text; their columns are {names}",
            path=path,
            remedy="name the columns title and wikitext, or text for plain text",
        )
    # The site, as far as the first row names it.
    lang, wiki = _value(first, "lang"), _value(first, "wiki")
    if not lang and (host := _HOST.match(str(_value(first, "url") or ""))):
        lang = host[1]
    named = f' xml:lang="{lang}"' if isinstance(lang, str) and _CODE.fullmatch(lang) else ""
    own = wiki if isinstance(wiki, str) and _WIKI.fullmatch(wiki) else ""
    yield f"<mediawiki{named}><siteinfo><dbname>{own}</dbname></siteinfo>\n".encode()
    yield from _pages(first)
    for row in rows:
        yield from _pages(row)
    yield b"</mediawiki>\n"


def _pages(row: Mapping[str, Any]) -> Iterator[bytes]:
    """Write a page for each redirect to a row's title, then the row as a page."""
    title, text = _value(row, "title"), _text(row)
    if isinstance(title, str) and len(title) > _LONGEST_TITLE:
        title = None  # it is not a title, and the page is a reject
    redirect, aliases = _value(row, "redirect"), _value(row, "aliases")
    for alias in aliases if isinstance(aliases, list) and title else ():
        name = alias.get("name") if isinstance(alias, dict) else alias
        if isinstance(name, str) and len(name) <= _LONGEST_TITLE:
            yield _xml(name, None, _value(row, "ns"), title, "")
    number = _value(row, "id")
    if not (isinstance(number, int) or (isinstance(number, str) and number.isdecimal())):
        # Clusters are named by the page's number, by default a hash of the title of 53 bits: one
        # in two hundred wikis of ten million titles has two titles with the same hash.
        digest = hashlib.blake2b(_escape(title).encode(errors="replace"), digest_size=8).digest()
        number = int.from_bytes(digest) >> 11
    yield _xml(title, number, _value(row, "ns"), redirect, text)


def _xml(title: Any, number: Any, ns: Any, redirect: Any, text: str | None) -> bytes:
    """Write a page of a dump, encoded; None leaves an element out."""
    parts = [f"<page><title>{_escape(title)}</title>"]
    parts += [
        f"<{tag}>{_escape(own)}</{tag}>"
        for tag, own in (("ns", ns), ("id", number))
        if own is not None
    ]
    if isinstance(redirect, str) and redirect:
        parts.append(f'<redirect title="{_escape(redirect)}" />')
    if text is not None:
        parts.append(f"<revision><text>{_escape(text)}</text></revision>")
    return "".join([*parts, "</page>\n"]).encode("utf-8", errors="replace")


def _escape(value: Any) -> str:
    """Escape a value; replace NUL, which would mean lost bytes, by another illegal character."""
    own = str(value).replace("\0", "\x01")
    return escape(own, quote=True) if isinstance(value, str | int) else ""


def _text(row: Mapping[str, Any]) -> str | None:
    own = _value(row, "wikitext")
    own = _value(row, "text") if own is None else own
    return own if isinstance(own, str) else None


def _value(row: Mapping[str, Any], field: str) -> Any:
    """Read a field of a row from the first column (of `_COLUMNS`) with a value; None without."""
    for name in _COLUMNS[field]:
        value: Any = row
        for key in name.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None and not isinstance(value, dict):
            return value
    return None
