"""Opens a dump, however it is compressed and encoded, as one stream of UTF-8 bytes.

What a damaged or cut-off file still holds is delivered before the error is raised.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any, Self

from corefmill.builders.wiki.dump import rows, sniff
from corefmill.builders.wiki.dump.decompressors import PIECE, decompressor
from corefmill.builders.wiki.dump.encodings import Utf8
from corefmill.builders.wiki.dump.packed_file import STDIN, PackedFile, Reader
from corefmill.corpora.errors import DataError
from corefmill.corpora.packing import Packing, packing
from corefmill.corpora.remote_file import Place, place


class DumpStream:
    """The content of one file. `total` is its compressed size in bytes, None where nobody knows."""

    def __init__(self, source: PackedFile, reader: Reader) -> None:
        self.path = source.path
        self.total = source.total
        self._source = source
        self._reader = reader

    def read(self, size: int = PIECE) -> bytes:
        """Some bytes, about `size` at the most, b"" at the end.

        Raises DataError for a file that is damaged or cut off, when all before that was returned.
        """
        return self._reader.read1(size)

    def position(self) -> int:
        """How many compressed bytes have been read so far, for a progress bar."""
        return self._source.position()

    def close(self) -> None:
        """Ends the decompressor, finished or not, and closes the file."""
        self._reader.close()
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_dump(path: Place | str, *, threads: int | None = None) -> DumpStream:
    """The dump at `path`, "-" for standard input: XML, plain or as bz2, gz, xz or zst.

    Rows of JSON Lines, packed so too or in a tar, and of Parquet are read as the XML that they
    would be. The first bytes decide, not the name; every stream or frame of the file is read.
    UTF-16 and other declared encodings become UTF-8. Of bz2 decompressors the first at hand is
    taken of lbzip2, indexed_bzip2 and Python's; a pipe cannot be read twice: Python's serves there.
    `threads` is what the parallel ones may use, by default every core up to eight.

    Raises DataError for a file that cannot be opened, is empty or is plainly something else.
    """
    source = PackedFile(path)
    reader: _Begun | None = None
    try:
        reader = _Begun(decompressor(source, threads))
        if (found := _rows(source, reader)) is not None:
            return DumpStream(source, rows.RowsAsXml(found, path, under=reader))
        if packing(source.head) is Packing.NONE and not sniff.might_be_dump(source.head):
            raise not_a_dump(path, source.head)
        return DumpStream(source, Utf8(reader, path))
    except BaseException:
        if reader is not None:
            reader.close()
        source.close()
        raise


def lacking(path: Place | str) -> str:
    """What the rows at `path` do not tell and XML would, as a phrase; "" for XML, or a pipe."""
    if path == STDIN or not place(path).is_file():
        return ""
    source = PackedFile(path)
    reader = _Begun(decompressor(source, 1))
    with DumpStream(source, reader):
        row = next(_rows(source, reader) or iter(()), None)
        return "" if row is None else rows.lacking(row)


def _rows(source: PackedFile, reader: _Begun) -> Iterator[Mapping[str, Any]] | None:
    """The rows of a file that is made of such."""
    if rows.is_parquet(source.head):
        return rows.parquet_rows(source)
    if rows.is_json(reader.head):
        lines = as_file(DumpStream(source, reader))
        return rows.json_rows(lines, tar=rows.is_tar(reader.head), path=source.path)
    return None


class _Begun:
    """A reader whose `head` was read; a fault there is raised when the rest is asked for."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._error: DataError | None = None
        pieces: list[bytes] = []
        try:
            while sum(map(len, pieces)) < sniff.HEAD_BYTES and (piece := reader.read1(PIECE)):
                pieces.append(piece)
        except DataError as error:
            self._error = error
        self.head = self._held = b"".join(pieces)

    def read1(self, size: int) -> bytes:
        if self._held:
            held, self._held = self._held, b""
            return held
        if self._error is not None:
            raise self._error
        return self._reader.read1(size)

    def close(self) -> None:
        self._reader.close()


def open_packed(path: Place | str) -> DumpStream:
    """The bytes of any file, plain or as bz2, gz, xz or zst, whatever they may be.

    Raises DataError for a file that cannot be opened or is empty.
    """
    source = PackedFile(path)
    return DumpStream(source, decompressor(source, None))


def as_file(stream: DumpStream) -> io.BufferedReader:
    """The stream as a file that can be read line by line."""
    return io.BufferedReader(_Bytes(stream), 1 << 16)


class _Bytes(io.RawIOBase):
    """What a stream of any packing gives, as a file."""

    def __init__(self, stream: DumpStream) -> None:
        self._stream = stream
        self._held = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if not self._held:
            self._held = memoryview(self._stream.read())
        piece = self._held[: len(buffer)]
        buffer[: len(piece)] = piece
        self._held = self._held[len(piece) :]
        return len(piece)


def not_a_dump(path: Place | str, head: bytes) -> DataError:
    """The error for a file whose uncompressed first bytes, `head`, begin no MediaWiki export."""
    return DataError(
        f"not a MediaWiki dump: it looks like {sniff.kind(head)}",
        path=path,
        remedy="a dump is an XML export such as enwiki-...-pages-articles-multistream.xml.bz2, or"
        " articles as rows of JSON Lines or Parquet",
    )
