"""Cuts dumps into chunks of whole pages without parsing them, for worker processes to parse.

The end of a chunk depends on the pages alone, never on how the bytes arrived.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol, TypeAlias
from zlib import crc32

from corefmill.builders.wiki.dump import rows
from corefmill.builders.wiki.dump.compression import (
    HEAD_BYTES,
    DumpStream,
    describe_kind,
    might_be_dump,
    open_stream,
    other_encoding,
)
from corefmill.builders.wiki.dump.siteinfo import SiteInfo, parse_siteinfo
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.remote import Place

# Finds the headers and pages of a dump in its bytes, without parsing them.


MIB = 1 << 20
Bytes: TypeAlias = bytes | memoryview

_LONGEST_PAGE = 16 * MIB
_HEADER_LIMIT = MIB
_TITLE_LIMIT = 4096
_LONGEST_TOKEN = 16  # bytes; a token cut in two by the end of the buffer is looked for again
_AHEAD = 4 * MIB  # read at a time
# Expressions that begin with a literal byte, so that the search hops from `<` to `<`.
_TOKEN = re.compile(
    rb"<(?:(?P<page>page[\s>])|(?P<page_end>/page>)|(?P<end>/mediawiki>)"
    rb"|(?P<begin>mediawiki[\s>])"
    rb"|(?P<comment>!--)|(?P<cdata>!\[CDATA\[)|(?P<instruction>\?))"
)
# The same within a page, and the tag after which nothing follows for long.
_IN_PAGE = re.compile(_TOKEN.pattern[:-1] + rb"|(?P<text>text[\s>]))")
_ROOT = re.compile(
    rb"<(?:(?P<begin>mediawiki[\s>])|(?P<comment>!--)|(?P<instruction>\?)"
    rb"|(?P<doctype>!DOCTYPE)|(?P<other>[A-Za-z]))"
)
_CLOSED_BY = {
    "comment": re.compile(rb"-->"),
    "cdata": re.compile(rb"\]\]>"),
    "instruction": re.compile(rb"\?>"),
}
_PAGE_END = re.compile(rb"</page>")
_TITLE = re.compile(rb"<title>([^<]{0,2000})")


class Content(Protocol):
    """The bytes of a dump, one after the other."""

    @property
    def path(self) -> Place | str:
        """The file, for messages."""

    def read_piece(self) -> bytes:
        """Read some bytes, b"" at the end; raises `DataError` for damaged or cut-off input."""


class Ended(Exception):
    """The input ends before the expected bytes."""


class _TooFar(Exception):
    """No match within the bytes allowed."""


class PageScanner:
    """Walks over one dump and finds its headers and pages.

    Positions count from the dump's first byte. The pages are views of the buffer, so that their
    bytes are copied only once, into a chunk.
    """

    def __init__(self, stream: Content, site: SiteInfo | None = None) -> None:
        """`site` is given for input that begins within a document, behind its header."""
        self._stream = stream
        self._site = site
        self._buffer = b""
        self._begin = 0  # of the buffer
        self._kept = 0  # from where on a search within limits must not forget anything
        self._fault: DataError | None = None
        self._whole = 0
        self._last: Bytes = b""  # the last whole page
        self._hole: int | None = None  # the first NUL, where a disk or a download has lost bytes
        self._page_at_hole = ""

    def items(self) -> Iterator[SiteInfo | Bytes | str]:
        """Yield the site of each document in the file, then its pages.

        Raises DataError if the file is not a dump, or ends within a page; at the end also if it has
        NULs, except behind all documents: pages are missing there.
        """
        site, position = self._site, 0
        if site is None:
            site, position = self._header(self._first_root())
        while True:
            yield site
            position = yield from self._pages(position)
            root = self._next_root(position)
            if root is None:
                if self._page_at_hole or (self._hole is not None and self._hole < position):
                    raise self._holed()
                return
            site, position = self._header(root)

    def _next_root(self, position: int) -> int | None:
        """Find the beginning of the next document in the file; None at the end."""
        kind, start = "", position
        try:
            while kind != "begin":
                kind, start, position = self._token(_TOKEN, position, None)
        except Ended:
            if self._fault is not None:
                raise self._fault from None
            return None
        return start

    def _first_root(self) -> int:
        """Find where `<mediawiki` begins."""
        try:
            while len(self._buffer) < HEAD_BYTES:
                self._more()
        except Ended:
            if self._fault is not None and not self._buffer:
                raise self._cut_off("before its first page") from None
        head = self._buffer[:HEAD_BYTES]
        if not might_be_dump(head):
            raise self._not_a_dump()
        if encoding := other_encoding(head):
            raise DataError(
                f"the dump declares the encoding {encoding}, but only UTF-8 can be read",
                path=self._stream.path,
                remedy="convert the file to UTF-8, for example with iconv",
            )
        try:
            kind, start, _ = self._token(_ROOT, 0, _HEADER_LIMIT)
        except (Ended, _TooFar):
            raise self._cut_off("before its first page") from None
        if kind == "doctype":
            raise self._doctype()
        if kind == "other":
            raise self._not_a_dump()
        return start

    def _header(self, begin: int) -> tuple[SiteInfo, int]:
        """Parse the dump's header at `begin`; return the site and the offset of the first page."""
        self._kept = begin
        try:
            _, start, _ = self._token(_TOKEN, begin + 1, begin + _HEADER_LIMIT)
        except Ended:
            raise self._cut_off("before its first page") from None
        except _TooFar:
            raise DataError(
                f"the dump has no page within its first {_HEADER_LIMIT} bytes",
                path=self._stream.path,
                remedy="give a pages-articles dump",
            ) from None
        header = bytes(self._bytes(begin, start))
        if b"<!DOCTYPE" in header or b"<!ENTITY" in header:
            raise self._doctype()
        return parse_siteinfo(header, path=self._stream.path), start

    def _pages(self, position: int) -> Generator[Bytes | str, None, int]:
        """Yield the pages of one document; return its end."""
        while True:
            try:
                kind, start, end = self._token(_TOKEN, position, None)
            except Ended:
                if self._may_end_here():
                    return position
                raise self._cut_off("between two pages") from None
            if kind == "end":
                return end
            if kind == "begin":  # another document, though this one did not end
                return start
            position = end
            if kind == "page":
                item, position = self._page(start)
                yield item

    def _may_end_here(self) -> bool:
        """Tell whether the input may end between two pages; a whole dump never does."""
        return False

    def _page(self, start: int) -> tuple[Bytes | str, int]:
        """Find the end of the page at `start`; return the page's bytes and end offset.

        A page ends at the first `</page>` outside of comments, CDATA and instructions; a broken
        page ends where the next one begins. Its text has no markup, so that only `<` is searched.
        """
        self._kept = start
        limit = start + _LONGEST_PAGE
        title = ""
        try:
            try:
                kind, tag, end = self._token(_IN_PAGE, start + 1, limit)
                while kind == "text":
                    # A search for one byte takes a tenth of the time of an expression.
                    found = self._buffer.find(b"<", end - self._begin, limit - self._begin)
                    position = len(self._buffer) if found < 0 else found
                    position = min(position + self._begin, limit)
                    kind, tag, end = self._token(_IN_PAGE, position, limit)
            except _TooFar:
                title = find_title(self._bytes(start, start + _TITLE_LIMIT))
                # From the middle of a comment only the literal end tag can lead out.
                return title, self._search(_PAGE_END, limit - 6, None)[2]
        except Ended:
            title = title or find_title(self._bytes(start, start + _TITLE_LIMIT))
            raise self._cut_off(f'within the page "{title}"') from None
        if self._hole is not None and self._hole < end and not self._page_at_hole:
            self._page_at_hole = find_title(self._bytes(start, end))
        if kind != "page_end":
            return self._bytes(start, tag), tag
        self._last = self._bytes(start, end)
        self._whole += 1
        return self._last, end

    def _bytes(self, start: int, end: int) -> memoryview:
        return memoryview(self._buffer)[start - self._begin : end - self._begin]

    def _token(
        self, pattern: re.Pattern[bytes], position: int, limit: int | None
    ) -> tuple[str, int, int]:
        """Find the next token outside comments, CDATA and instructions: kind, start, end."""
        while True:
            kind, start, end = self._search(pattern, position, limit)
            if kind not in _CLOSED_BY:
                return kind, start, end
            position = self._search(_CLOSED_BY[kind], end, limit)[2]

    def _search(
        self, pattern: re.Pattern[bytes], position: int, limit: int | None
    ) -> tuple[str, int, int]:
        """Find the first match from `position` on, reading as needed: group, start, end.

        The match must end by `limit`. Without a limit, bytes before the match may be dropped.
        """
        while True:
            begin = self._begin
            stop = sys.maxsize if limit is None else limit - begin
            match = pattern.search(self._buffer, position - begin, stop)
            if match is not None:
                return match.lastgroup or "", match.start() + begin, match.end() + begin
            if len(self._buffer) >= stop:
                raise _TooFar
            position = max(position, begin + len(self._buffer) - _LONGEST_TOKEN)
            self._more(position if limit is None else self._kept)

    def _more(self, kept: int = 0) -> None:
        """Read more bytes into the buffer, and drop all before offset `kept`."""
        pieces: list[Bytes] = [memoryview(self._buffer)[kept - self._begin :]]
        size = 0
        while self._fault is None and size < _AHEAD:
            try:
                piece = self._stream.read_piece()
            except DataError as error:
                self._fault = error
                break
            if not piece:
                break
            if self._hole is None and (hole := piece.find(b"\0")) >= 0:
                self._hole = self._begin + len(self._buffer) + size + hole
            pieces.append(piece)
            size += len(piece)
        if not size:
            raise Ended
        self._buffer = b"".join(pieces)
        self._begin = kept

    def _cut_off(self, where: str) -> DataError:
        """Make the error for a dump without its own end."""
        why = "the dump is cut off" if self._fault is None else f"{self._fault.message},"
        kept = "; no page of it is whole" if self._site is None else ""
        if self._whole:
            title = find_title(self._last[:_TITLE_LIMIT])
            kept = f'; the last whole page is "{title}"'
            if self._site is None:
                kept += f", page {self._whole} of the file"
        remedy = (self._fault and self._fault.remedy) or "download the file again"
        return DataError(f"{why} {where}{kept}", path=self._stream.path, remedy=remedy)

    def _holed(self) -> DataError:
        """Make the error for a dump with NULs, whose other pages were read."""
        where = "behind the last page"
        if self._page_at_hole:
            where = f'in or before the page "{self._page_at_hole}"'
        return DataError(
            f"the dump has bytes of zero in place of text, {where}; pages are missing there",
            path=self._stream.path,
            remedy="download the file again, or go on with what was read",
        )

    def _not_a_dump(self) -> DataError:
        """Make the error for a file of another kind."""
        return DataError(
            "this is not a MediaWiki dump: it looks like"
            f" {describe_kind(self._buffer[:HEAD_BYTES])}",
            path=self._stream.path,
            remedy="a dump is an XML export such as enwiki-...-pages-articles-multistream.xml.bz2,"
            " or articles as rows of JSON Lines or Parquet",
        )

    def _doctype(self) -> DataError:
        """Make the error for a file with a DOCTYPE."""
        return DataError(
            "the file declares a DOCTYPE, which no MediaWiki export does",
            path=self._stream.path,
            remedy="take the file from a source that you trust",
        )


def find_title(page: Bytes) -> str:
    """Find the title in the XML of a page, for a message."""
    match = _TITLE.search(page)
    return html.unescape(match[1].decode("utf-8", errors="replace")).strip() if match else "?"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some pages of a dump in their order."""

    site: SiteInfo
    data: bytes
    """UTF-8 XML of the pages, `<page>...</page>` each, a line feed between."""
    starts: tuple[int, ...]
    """Offset in bytes at which each page begins in `data`."""
    digest: str
    """CRC-32 of `data` and its length, in hexadecimal: a cryptographic hash would take a third of
    the time of the cutting."""
    oversized: tuple[str, ...]
    """Titles of the pages that were left out as larger than 16 MiB."""

    @property
    def pages(self) -> int:
        """The number of pages in `data`."""
        return len(self.starts)

    def page(self, number: int) -> bytes:
        """Return the XML of one page, `number` from 0."""
        end = self.starts[number + 1] - 1 if number + 1 < self.pages else len(self.data)
        return self.data[self.starts[number] : end]


def chunks(
    path: Place | str,
    *,
    target_bytes: int = 8 * MIB,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Chunk]:
    """Read the pages of the dump at `path` ("-" is standard input) in chunks.

    A chunk ends with the page that brings it to `target_bytes`. A page larger than 16 MiB, or with
    a comment that never closes, is named and left out without buffering. A broken page (no end tag
    before the next page) is passed on, for the parser to reject. `progress` gets the number of
    compressed bytes read after every chunk.

    Raises DataError for a file that is not a MediaWiki export or declares a DOCTYPE. For a damaged
    or cut-off file, the error comes after the chunks of all whole pages.
    """
    stream = open_stream(path, threads=threads)
    if (found := rows.open_rows(stream)) is not None:  # JSON Lines or Parquet become XML
        stream = DumpStream(stream.source, rows.RowsAsXml(found, stream))
    with stream:
        for chunk in group_pages(PageScanner(stream).items(), target_bytes):
            yield chunk
            if progress is not None:
                progress(stream.position())


def group_pages(items: Iterable[SiteInfo | Bytes | str], target: int) -> Iterator[Chunk]:
    """Gather a scanner's pages into chunks of `target` bytes.

    An error of the scanner is raised after the chunk of the earlier pages.
    """
    site: SiteInfo | None = None
    pages: list[Bytes] = []
    oversized: list[str] = []
    size = 0
    error: DataError | None = None
    stream = iter(items)
    while True:
        try:
            item = next(stream, None)
        except DataError as broken:
            item, error = None, broken
        # A chunk ends where it is full, with its document, and with the input.
        if (size >= target or item is None or isinstance(item, SiteInfo)) and (pages or oversized):
            assert site is not None, "a scanner names the site before its first page"
            yield _make_chunk(site, pages, oversized)
            pages, oversized, size = [], [], 0
        if isinstance(item, SiteInfo):
            site = item
        elif isinstance(item, str):
            oversized.append(item)
        elif item is not None:
            pages.append(item)
            size += len(item) + 1  # a line feed stands between two
        elif error is not None:
            raise error
        else:
            return


def _make_chunk(site: SiteInfo, pages: Sequence[Bytes], oversized: Sequence[str]) -> Chunk:
    """Make a chunk of pages, with their offsets and a checksum."""
    data = b"\n".join(pages)
    starts = accumulate((len(page) + 1 for page in pages), initial=0)
    digest = f"{crc32(data):08x}-{len(data):x}"
    return Chunk(site, data, tuple(starts)[: len(pages)], digest, tuple(oversized))
