"""Finds the headers and pages of a dump in its bytes, without parsing them.

It looks only at `<`, which real dumps write for nothing but tags: text has it escaped.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from corefmill.builders.wiki.dump import sniff
from corefmill.builders.wiki.dump.compression import not_a_dump
from corefmill.builders.wiki.dump.siteinfo import SiteInfo, parse_siteinfo
from corefmill.corpora.errors import DataError
from corefmill.corpora.remote import Place

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
_TITLE = re.compile(rb"<title>([^<]*)</title>")


@dataclass(frozen=True, slots=True)
class Oversized:
    """A page of more than 16 MiB, or one whose comment never closes, of which nothing is kept."""

    title: str


class Content(Protocol):
    """The bytes of a dump, one after the other."""

    @property
    def path(self) -> Place | str:
        """The file, for messages."""

    def read(self) -> bytes:
        """Some bytes, b"" at the end; raises `DataError` for what is damaged or cut off."""


class Ended(Exception):
    """The input ended, whole or not, where more of it was wanted."""


class _TooFar(Exception):
    """What was looked for did not come within the bytes allowed."""


class PageScanner:
    """Walks over one dump and finds its headers and pages.

    Positions count from the dump's first byte. The pages are views of what was read, so that their
    bytes are copied once, to where a chunk puts them together.
    """

    def __init__(self, stream: Content, site: SiteInfo | None = None) -> None:
        """`site` is given for what begins within a document, behind its header."""
        self._stream = stream
        self._site = site
        self._buffer = b""
        self._begin = 0  # of the buffer
        self._kept = 0  # from where on a search within limits must not forget anything
        self._fault: DataError | None = None
        self._whole = 0
        self._last: Bytes = b""  # the last whole page

    def items(self) -> Iterator[SiteInfo | Bytes | Oversized]:
        """The site at the head of each document of the file, then its pages.

        Raises DataError where the file is no dump, or ends before its last page does.
        """
        site, position = self._site, 0
        if site is None:
            site, position = self._header(self._first_root())
        while True:
            yield site
            position = yield from self._pages(position)
            root = self._next_root(position)
            if root is None:
                return
            site, position = self._header(root)

    def _next_root(self, position: int) -> int | None:
        """Where the next document begins behind the end of one."""
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
        """Where `<mediawiki` begins."""
        try:
            while len(self._buffer) < sniff.HEAD_BYTES:
                self._more()
        except Ended:
            if self._fault is not None and not self._buffer:
                raise self._cut_off("before its first page") from None
        head = self._buffer[: sniff.HEAD_BYTES]
        if not sniff.might_be_dump(head):
            raise not_a_dump(self._stream.path, head)
        try:
            kind, start, _ = self._token(_ROOT, 0, _HEADER_LIMIT)
        except (Ended, _TooFar):
            raise self._cut_off("before its first page") from None
        if kind == "doctype":
            raise self._doctype()
        if kind == "other":
            raise not_a_dump(self._stream.path, head)
        return start

    def _header(self, begin: int) -> tuple[SiteInfo, int]:
        """The site, and where the first page begins."""
        self._kept = begin
        try:
            _, start, _ = self._token(_TOKEN, begin + 1, begin + _HEADER_LIMIT)
        except Ended:
            raise self._cut_off("before its first page") from None
        except _TooFar:
            raise DataError(
                f"no page within {_HEADER_LIMIT} bytes of its beginning",
                path=self._stream.path,
                remedy="give a pages-articles dump",
            ) from None
        header = bytes(self._bytes(begin, start))
        if b"<!DOCTYPE" in header or b"<!ENTITY" in header:
            raise self._doctype()
        return parse_siteinfo(header, path=self._stream.path), start

    def _pages(self, position: int) -> Generator[Bytes | Oversized, None, int]:
        """The pages of one document; returns where it ends."""
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
        """Whether what ends between two pages is nonetheless whole."""
        return False

    def _page(self, start: int) -> tuple[Bytes | Oversized, int]:
        """The page that begins at `start`, and where it ends."""
        self._kept = start
        limit = start + _LONGEST_PAGE
        title = ""
        try:
            try:
                kind, tag, end = self._token(_IN_PAGE, start + 1, limit)
                while kind == "text":
                    # To look for one byte takes a tenth of the time that an expression does.
                    found = self._buffer.find(b"<", end - self._begin, limit - self._begin)
                    position = len(self._buffer) if found < 0 else found
                    position = min(position + self._begin, limit)
                    kind, tag, end = self._token(_IN_PAGE, position, limit)
            except _TooFar:
                title = _title(self._bytes(start, start + _TITLE_LIMIT))
                # From the middle of a comment only the literal end tag can lead out.
                return Oversized(title), self._search(_PAGE_END, limit - 6, None)[2]
        except Ended:
            title = title or _title(self._bytes(start, start + _TITLE_LIMIT))
            raise self._cut_off(f'within the page "{title}"') from None
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
        """Kind, start and end of the next token outside comments, CDATA and instructions."""
        while True:
            kind, start, end = self._search(pattern, position, limit)
            if kind not in _CLOSED_BY:
                return kind, start, end
            position = self._search(_CLOSED_BY[kind], end, limit)[2]

    def _search(
        self, pattern: re.Pattern[bytes], position: int, limit: int | None
    ) -> tuple[str, int, int]:
        """Group, start and end of the first match from `position` on, reading on as needed.

        It ends by `limit`. Without one, all that lies before the match may be forgotten.
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
        """Read on, and forget what lies before `kept`."""
        pieces: list[Bytes] = [memoryview(self._buffer)[kept - self._begin :]]
        size = 0
        while self._fault is None and size < _AHEAD:
            try:
                piece = self._stream.read()
            except DataError as error:
                self._fault = error
                break
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
        if not size:
            raise Ended
        self._buffer = b"".join(pieces)
        self._begin = kept

    def _cut_off(self, where: str) -> DataError:
        """The error for a dump that does not reach its own end."""
        why = "cut off" if self._fault is None else f"{self._fault.message},"
        kept = "; no page of it is whole" if self._site is None else ""
        if self._whole:
            title = _title(self._last[:_TITLE_LIMIT])
            kept = f'; the last whole page is "{title}"'
            if self._site is None:
                kept += f", page {self._whole} of the file"
        remedy = (self._fault and self._fault.remedy) or "download the file again"
        return DataError(f"{why} {where}{kept}", path=self._stream.path, remedy=remedy)

    def _doctype(self) -> DataError:
        return DataError(
            "declares a DOCTYPE, which no MediaWiki export has and which is not read",
            path=self._stream.path,
            remedy="take the file from a source that you trust",
        )


def _title(page: Bytes) -> str:
    """The title in the XML of a page, for a message."""
    match = _TITLE.search(page)
    return html.unescape(match[1].decode("utf-8", errors="replace")).strip() if match else "?"
