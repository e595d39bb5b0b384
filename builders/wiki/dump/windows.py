"""Cuts the files of a dump into windows that any process can read alone.

Borders follow from the file alone, so that any number of workers and tasks share the same windows.
A window has the pages that begin in what begins in it: in its bytes where the file is not packed,
in the bz2 streams or zstd frames whose header lies in it, or, where bz2 streams cut pages in two or
there is but one, in its bz2 blocks. It is read on behind its end to the end of its last page;
behind a damaged place reading goes on with the next stream, frame or block.

Windows are small at first, so that `--limit` and small dumps need not wait, and grow. Those of
blocks are large, since each decompresses a block of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, pairwise
from typing import Any, BinaryIO
from zlib import crc32

from corefmill.builders.runner.stages import Context, Parted
from corefmill.builders.wiki.dump import bz2_blocks, sniff, zstd_frames
from corefmill.builders.wiki.dump.bz2_blocks import Segment
from corefmill.builders.wiki.dump.chunks import Chunk, grouped
from corefmill.builders.wiki.dump.decompressors import AGAIN
from corefmill.builders.wiki.dump.page_scanner import MIB, Ended, PageScanner
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.packing import Packing, packing
from corefmill.corpora.remote_file import Place, RemoteFile

_PIECE = 2 * MIB
_BEHIND = MIB // 16  # of a file that is not packed, read at a time behind a window's end
_LOOK = 16 * MIB  # how far a second stream or frame is looked for
_LOOKED_AT = 4  # of them
_TAIL = 4096
_SAME_SIZE = 16  # so many windows are as large as the one before
_XML_A_BYTE = 4  # of bz2 or zstd
_WORTH = 4 * MIB  # of XML, for which a pipeline takes longer than to load
_CHUNK = 2 * MIB  # of XML, which the stages are given at a time
# What matters between two pages; the end of a window may cut it in two.
_TAGS = (b"<page", b"<mediawiki", b"</mediawiki>", b"<!--", b"<![CDATA[", b"<?")
_LONGEST_TAG = max(map(len, _TAGS))


class WindowKind(StrEnum):
    """By what a file's windows own its pages."""

    BYTES = "bytes"
    STREAMS = "streams"
    FRAMES = "frames"
    BLOCKS = "blocks"


@dataclass(frozen=True, slots=True)
class DumpWindow(Parted):
    """The bytes of a file from `begin` to `end`; its parts are chunks."""

    path: Place
    begin: int
    end: int
    cut: WindowKind
    site: SiteInfo

    @property
    def worth_a_worker(self) -> int:
        """Bytes of such a file in which a process has more to do than to start."""
        return _WORTH if self.cut is WindowKind.BYTES else _WORTH // _XML_A_BYTE

    def digest(self) -> str:
        """CRC-32 and number of its bytes, in hexadecimal; of a remote file, of its state."""
        if isinstance(self.path, RemoteFile):  # whose every range is checked to be of that state
            return f"{crc32(self.path.state.encode()):08x}-{self.end - self.begin:x}"
        total, left = 0, self.end - self.begin
        with self.path.open("rb") as file:
            file.seek(self.begin)
            while left > 0 and (data := file.read(min(left, MIB))):
                total = crc32(data, total)
                left -= len(data)
        return f"{total:08x}-{self.end - self.begin - left:x}"

    def parts(self, context: Context) -> Iterator[Chunk]:
        """The chunks; counts the pages that are too large. Raises as `chunks` does."""
        for chunk in self.chunks(context.damaged):
            if chunk.oversized:
                context.rejects["page_too_large"] += len(chunk.oversized)
            yield chunk

    def chunks(self, told: Callable[[DataError], None]) -> Iterator[Chunk]:
        """The pages that are the window's own; `told` hears of each damaged place.

        Raises `UsageError` where the pages of another wiki begin.
        """
        if self.path.stat().st_size < self.end:
            told(DataError("became shorter while it was read", path=self.path, remedy=AGAIN))
        position: int | None = self.begin
        index = 0
        while position is not None:
            with closing(_Content(self.path, self.cut, position, self.end)) as content:
                if content.empty:
                    return
                site = self.site if position else None
                try:
                    for group in grouped(_WindowScanner(content, site).items(), _CHUNK):
                        if group.site != self.site:
                            raise _of_another_wiki(self.path)
                        yield group.chunk(index, str(self.path))
                        index += 1
                except DataError as error:
                    told(error)
                position = content.behind_damage


def windows(path: Place) -> list[DumpWindow] | None:
    """The windows of a file, or None for one that is to be read from its beginning to its end.

    That is one that is packed in another way than as bz2 or as several zstd frames, is not in UTF-8
    or has rows instead of XML. Raises `DataError` for what is no dump, or is cut off within its
    header.
    """
    if not path.is_file():
        return None
    size = path.stat().st_size
    with path.open("rb") as file:
        cut = _cut_of(file, size)
    if cut is None:
        return None
    borders = [*_borders(cut, size), size]
    with closing(_Content(path, cut, 0, borders[1])) as content:
        site = next(_WindowScanner(content).items())
    assert isinstance(site, SiteInfo), "a scanner names the site first"
    return [DumpWindow(path, begin, end, cut, site) for begin, end in pairwise(borders)]


def cut_off(path: Place) -> bool:
    """Whether a file that can have windows ends before a dump does, told by its last bytes."""
    if not path.is_file():
        return False
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(sniff.HEAD_BYTES)
        packed = packing(head)
        if packed is Packing.BZ2:
            return bz2_blocks.is_cut_off(file, size)
        if packed is Packing.ZST:
            file.seek(0)
            return _cut_of(file, size) is not None and zstd_frames.is_cut_off(file, size)
        file.seek(max(0, size - _TAIL))
        return _is_utf8_xml(head) and b"</mediawiki>" not in file.read()


def _borders(cut: WindowKind, size: int) -> Iterator[int]:
    """Where windows begin."""
    if cut is WindowKind.BLOCKS:
        yield from range(0, size, min(max(-(-size // 6), MIB // 2), 16 * MIB))
        return
    position = 0
    for number in count():
        if position >= size:
            return
        yield position
        step = MIB // 2 << min(number // _SAME_SIZE, 4)
        position += step * _XML_A_BYTE if cut is WindowKind.BYTES else step


def _cut_of(file: BinaryIO, size: int) -> WindowKind | None:
    head = file.read(sniff.HEAD_BYTES)
    packed = packing(head)
    if packed is Packing.NONE:
        return WindowKind.BYTES if _is_utf8_xml(head) else None
    if packed is Packing.BZ2:
        find, segments = bz2_blocks.next_header, bz2_blocks.streams
    elif packed is Packing.ZST:
        find, segments = zstd_frames.next_frame, zstd_frames.frames
    else:
        return None
    begun: list[bytes] = []
    place = find(file, 0, size)
    while place is not None and len(begun) < _LOOKED_AT:
        begun.append(_begin_of(next(segments(file, place, place + 1))))
        place = find(file, place + 1, min(size, _LOOK))
    if not begun or not _is_utf8_xml(begun[0]):
        return None
    if packed is Packing.ZST:
        return WindowKind.FRAMES if len(begun) > 1 else None
    whole = all(begin.lstrip().startswith((b"<page>", b"</mediawiki>")) for begin in begun[1:])
    return WindowKind.STREAMS if len(begun) > 1 and whole else WindowKind.BLOCKS


def _begin_of(segment: Segment) -> bytes:
    with suppress(DataError):  # whoever reads it will say so
        return next(segment[1], b"")[: sniff.HEAD_BYTES]
    return b""


def _is_utf8_xml(head: bytes) -> bool:
    try:
        return sniff.might_be_dump(head) and sniff.encoding(head) is None
    except LookupError:
        return False


class _Content:
    """What begins in a window, and as much of what follows as is asked for, uncompressed."""

    def __init__(self, path: Place, cut: WindowKind, begin: int, end: int) -> None:
        self.path = path
        self._end = end
        self._file = path.open("rb")
        self._segments = _SEGMENTS[cut](self._file, begin, end)
        self._next: tuple[int, Iterator[bytes]] | None = next(self._segments, None)
        self._given = 0
        self.empty = self._next is None
        self.own: int | None = None
        """Bytes that are the window's own; None until all of them were read."""
        self.read_on = False
        """Whether one piece more may be read behind them."""
        self.behind_damage: int | None = None
        """Where what follows a damaged place begins at the earliest, of what is the window's own;
        None without such."""

    def read(self) -> bytes:
        """Some bytes; b"" behind the window's own, or at the end of the file."""
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


def _stretches(file: BinaryIO, begin: int, own: int) -> Iterator[Segment]:
    """A file that is not packed: what is the window's own, and what follows in small pieces."""
    yield begin, _stretch(file, begin, own)
    position = own
    while data := next(_stretch(file, position, position + _BEHIND), b""):
        yield position, iter((data,))
        position += len(data)


def _stretch(file: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    file.seek(begin)
    while begin < end and (data := file.read(min(_PIECE, end - begin))):
        yield data
        begin += len(data)


_SEGMENTS: dict[WindowKind, Callable[[BinaryIO, int, int], Iterator[Segment]]] = {
    WindowKind.BYTES: _stretches,
    WindowKind.STREAMS: bz2_blocks.streams,
    WindowKind.FRAMES: zstd_frames.frames,
    WindowKind.BLOCKS: bz2_blocks.blocks,
}


class _WindowScanner(PageScanner):
    """Finds the pages that begin in a window's own bytes, and reads on to the end of the last."""

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
            if not (self._inside or self._is_cut_tag()):
                raise
            self._content.read_on = True
            super()._more(kept)

    def _is_cut_tag(self) -> bool:
        tail = self._buffer[-_LONGEST_TAG:]
        begin = tail.rfind(b"<")
        return begin >= 0 and any(tag.startswith(tail[begin:]) for tag in _TAGS)

    def _may_end_here(self) -> bool:
        """Where another window follows, or the one before has the dump's end, cut in two."""
        content = self._content
        return self._fault is None and (
            self._behind
            or content.own is not None
            or (self._site is not None and b"</mediawiki>".endswith(self._buffer.strip()))
        )


def _of_another_wiki(path: Place) -> UsageError:
    """No damage: what follows would be read by the names of the wrong wiki."""
    return UsageError(
        "the pages of another wiki, or of another dump, begin within this file",
        path=path,
        remedy="give each dump as a file of its own",
    )
