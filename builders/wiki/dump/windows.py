"""Cut the files of a dump into windows for any process to read alone.

Borders follow from the file alone, so that any number of workers and tasks share the same windows.
A window of an unpacked file has the pages that begin in its bytes. A window of a file of several
bz2 streams has the pages that begin in the streams whose header is in its bytes. Reading goes
beyond the window to the end of its last page, and behind a damaged place to the next stream.
"""

from __future__ import annotations

import bz2
import re
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, BinaryIO
from zlib import crc32

from corefmill.builders.run.stages import Context, SplitPayload
from corefmill.builders.wiki.dump.chunks import MIB, Chunk, Ended, PageScanner, group_pages
from corefmill.builders.wiki.dump.compression import (
    AGAIN,
    HEAD_BYTES,
    ends_early,
    might_be_dump,
    other_encoding,
    unreadable,
)
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.corpora.files.disk import Packing, detect_packing
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.remote import Place, RemoteFile

_PIECE = 2 * MIB
_STEP = MIB // 16  # bytes read at a time near the end of a stream, or behind a window
_LOOK = 16 * MIB  # how far a second stream is looked for
_SAME_SIZE = 16  # so many windows are as large as the one before
_XML_A_BYTE = 4  # of bz2
_CHUNK = 2 * MIB  # of XML, which the stages are given at a time
# The tags between two pages; the end of a window may cut one in two.
_TAGS = (b"<page", b"<mediawiki", b"</mediawiki>", b"<!--", b"<![CDATA[", b"<?")
_LONGEST_TAG = max(map(len, _TAGS))

_HEADER = re.compile(rb"BZh[1-9]1AY&SY")
_LONGEST_HEADER = 16  # bytes, and more

_Segment = tuple[int, Iterator[bytes]]
"""The first byte of a part of a file, and the content, decompressed on demand."""


@dataclass(frozen=True, slots=True)
class DumpWindow(SplitPayload):
    """The bytes of a file from `begin` to `end`; its parts are chunks."""

    path: Place
    begin: int
    end: int
    packed: bool
    """Whether the file is bz2 of several streams."""
    site: SiteInfo

    sums: list[int] = field(default_factory=list, compare=False, repr=False)
    """The CRC-32 of the window's bytes, once they have been read."""

    def digest(self) -> str:
        """The digest of the window: CRC-32 and number of its bytes, or a remote file's state.

        The bytes are not read again if `chunks` has read all of them.
        """
        size = self.end - self.begin
        if isinstance(self.path, RemoteFile):  # whose every range is checked to be of that state
            return f"{crc32(self.path.state.encode()):08x}-{size:x}"
        if self.sums:
            return f"{self.sums[0]:08x}-{size:x}"
        with self.path.open("rb") as file:
            reader = _WindowReader(file, self.begin, self.end)
            while reader.summed < self.end and reader.read(min(self.end - reader.summed, MIB)):
                pass
        return f"{reader.sum:08x}-{reader.summed - self.begin:x}"

    def parts(self, context: Context) -> Iterator[Chunk]:
        """Yield the chunks and count oversized pages. Raises as `chunks` does."""
        for chunk in self.chunks(context.report_damage):
            if chunk.oversized:
                context.rejects["page_too_large"] += len(chunk.oversized)
            yield chunk

    def chunks(self, report: Callable[[DataError], None]) -> Iterator[Chunk]:
        """Yield the window's own pages; report each damaged place to `report`.

        Raises `UsageError` at the pages of another wiki.
        """
        if self.path.stat().st_size < self.end:
            report(
                DataError(
                    "the file became shorter while it was being read", path=self.path, remedy=AGAIN
                )
            )
        position: int | None = self.begin
        while position is not None:
            with closing(_Content(self.path, self.packed, position, self.end)) as content:
                if content.empty:
                    return
                site = self.site if position else None
                try:
                    for chunk in group_pages(_WindowScanner(content, site).items(), _CHUNK):
                        if chunk.site != self.site:
                            # Its pages would be read by the namespaces of the wrong wiki.
                            raise UsageError(
                                "the file holds the pages of two wikis or dumps",
                                path=self.path,
                                remedy="give each dump as a file of its own",
                            )
                        yield chunk
                except DataError as error:
                    report(error)
                if position == self.begin and content.reader.summed == self.end:
                    self.sums[:] = [content.reader.sum]
                position = content.behind_damage


def windows(path: Place) -> list[DumpWindow] | None:
    """Cut a file into windows; None for a file that must be read from beginning to end.

    Windows need UTF-8 XML, not packed or in several streams of bz2. Raises `DataError` for a file
    that is not a dump or cut off within its header.
    """
    if not path.is_file():
        return None
    size = path.stat().st_size
    with path.open("rb") as file:
        packed = _is_packed(file)
    if packed is None:
        return None
    # Windows are small at first, for `--limit` and small dumps, and double every 16 windows. A byte
    # of bz2 holds four bytes of XML, so that both kinds of windows hold about as many pages.
    borders, position = list[int](), 0
    while position < size:
        growth = min(len(borders) // _SAME_SIZE, 4)
        borders.append(position)
        position += (MIB // 2 << growth) * (1 if packed else _XML_A_BYTE)
    borders.append(size)
    with closing(_Content(path, packed, 0, borders[1])) as content:
        site = next(_WindowScanner(content).items())
    assert isinstance(site, SiteInfo), "a scanner names the site first"
    return [DumpWindow(path, begin, end, packed, site) for begin, end in pairwise(borders)]


def _is_packed(file: BinaryIO) -> bool | None:
    """Check whether a dump is bz2 of several streams; None for a file without windows."""
    head = file.read(HEAD_BYTES)
    if detect_packing(head) is Packing.NONE:
        return False if might_be_dump(head) and not other_encoding(head) else None
    reader = _WindowReader(file, 0, 0)
    first = _next_header(reader, 1) if detect_packing(head) is Packing.BZ2 else None
    if first is None or _next_header(_WindowReader(file, 1, 0), _LOOK) is None:
        return None
    with suppress(DataError):  # the reader will report it
        reader = _WindowReader(file, first, 0)
        head = next(_decompress(reader, bz2.BZ2Decompressor()), b"")[:HEAD_BYTES]
    return True if might_be_dump(head) and not other_encoding(head) else None


class _WindowReader:
    """Reads a file from the beginning of a window, and computes the checksum of the window."""

    def __init__(self, file: BinaryIO, begin: int, end: int) -> None:
        self.name = file.name
        self.summed = begin
        """The position up to which the checksum has been computed."""
        self.sum = 0
        """Their CRC-32."""
        self._file = file
        self._end = end
        self._returned = b""
        file.seek(begin)

    def tell(self) -> int:
        """The position of the next byte."""
        return self._file.tell() - len(self._returned)

    def read(self, size: int) -> bytes:
        """Read at most so many bytes; b"" at the end of the file."""
        if self._returned:
            data, self._returned = self._returned[:size], self._returned[size:]
            return data
        data = self._file.read(size)
        own = data[: max(0, self._end - self.summed)]
        self.sum = crc32(own, self.sum)
        self.summed += len(own)
        return data

    def unread(self, data: bytes) -> None:
        """Take back the last bytes read: they come next."""
        self._returned = data + self._returned


def _next_header(reader: _WindowReader, stop: int | None = None) -> int | None:
    """Go to the next bz2 stream with a block, if it begins before `stop`; return its position."""
    data = reader.read(_LONGEST_HEADER)  # it mostly begins here
    while True:
        begin = reader.tell() - len(data)
        if found := _HEADER.search(data):
            reader.unread(data[found.start() :])
            position = begin + found.start()
            return position if stop is None or position < stop else None
        kept = data[-_LONGEST_HEADER:]
        if stop is not None and reader.tell() - len(kept) >= stop:
            return None
        more = reader.read(_STEP)
        if not more:
            return None
        data = kept + more


def _streams(reader: _WindowReader, own: int) -> Iterator[_Segment]:
    """Yield the bz2 streams from here on, if the first begins before `own`."""
    position = _next_header(reader, own)
    while position is not None:
        yield position, _decompress(reader, bz2.BZ2Decompressor())
        position = _next_header(reader)


def _decompress(reader: _WindowReader, decoder: bz2.BZ2Decompressor) -> Iterator[bytes]:
    """Decompress a stream; the reader is left behind its end."""
    while not decoder.eof:
        data = reader.read(_STEP) if decoder.needs_input else b""
        if decoder.needs_input and not data:
            raise ends_early(reader.name)
        try:
            piece = decoder.decompress(data, _PIECE)
        except OSError as error:
            raise unreadable(reader.name, reader.tell(), error) from error
        if piece:
            yield piece
    reader.unread(decoder.unused_data)


class _Content:
    """Reads the uncompressed bytes of a window, and on behind its end on request."""

    def __init__(self, path: Place, packed: bool, begin: int, end: int) -> None:
        self.path = path
        self._end = end
        self._file = path.open("rb")
        self.reader = _WindowReader(self._file, begin, end)
        self._segments = (_streams if packed else _stretches)(self.reader, end)
        self._next: _Segment | None = next(self._segments, None)
        self._given = 0
        self.empty = self._next is None
        self.own: int | None = None
        """Number of the window's own bytes; None until all of them were read."""
        self.read_on = False
        """Whether one more piece may be read behind the window's own bytes."""
        self.behind_damage: int | None = None
        """The earliest place behind damage within the window's own bytes, None without damage."""

    def read_piece(self) -> bytes:
        """Read some bytes; b"" behind the window's own or at the end of the file."""
        while self._next is not None:
            begin, content = self._next
            if begin >= self._end:
                if self.own is None:
                    self.own = self._given
                if not self.read_on:
                    return b""
            try:
                piece = next(content, None)
            except DataError:
                self.behind_damage = begin + 1 if begin < self._end else None
                self._next = None
                raise
            if piece is None:
                self._next = next(self._segments, None)
            elif piece:
                self.read_on = False
                self._given += len(piece)
                return piece
        return b""

    def close(self) -> None:
        self._file.close()


def _stretches(reader: _WindowReader, own: int) -> Iterator[_Segment]:
    """Yield the window's own bytes of an unpacked file, then the rest in small pieces."""

    def read_own() -> bytes:
        return reader.read(max(0, min(_PIECE, own - reader.tell())))

    yield reader.tell(), iter(read_own, b"")
    while data := reader.read(_STEP):
        yield reader.tell() - len(data), iter((data,))


class _WindowScanner(PageScanner):
    """Finds the pages beginning in a window's own bytes, and reads on to the end of the last.

    Three cases need more than the window's bytes: a page, a header or a tag that its end cuts in
    two. `_inside` says that a page or header is being read; only then, or for a cut tag, is the
    content asked to read on.
    """

    def __init__(self, content: _Content, site: SiteInfo | None = None) -> None:
        super().__init__(content, site)
        self._content = content
        self._inside = site is None  # a header, at first
        self._behind = False

    def _page(self, start: int) -> Any:
        self._inside = True
        try:
            return super()._page(start)
        finally:
            self._inside = False

    def _header(self, begin: int) -> Any:
        self._inside = True
        try:
            return super()._header(begin)
        finally:
            self._inside = False

    def _token(self, pattern: Any, position: int, limit: int | None) -> tuple[str, int, int]:
        found = super()._token(pattern, position, limit)
        if not self._inside and self._content.own is not None and found[1] >= self._content.own:
            self._behind = True
            raise Ended
        return found

    def _more(self, kept: int = 0) -> None:
        try:
            super()._more(kept)
        except Ended:
            # The window may end within a page, or within the tag that begins one.
            tail = self._buffer[-_LONGEST_TAG:]
            cut = tail[tail.rfind(b"<") :] if b"<" in tail else None
            if not (self._inside or (cut and any(tag.startswith(cut) for tag in _TAGS))):
                raise
            self._content.read_on = True
            super()._more(kept)

    def _may_end_here(self) -> bool:
        """Accept an end between two pages where another window continues the dump.

        It also may if the dump's end tag is cut in two: the window before has its beginning.
        """
        content = self._content
        return self._fault is None and (
            self._behind
            or content.own is not None
            or (self._site is not None and b"</mediawiki>".endswith(self._buffer.strip()))
        )
