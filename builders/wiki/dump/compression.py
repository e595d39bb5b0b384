"""Opens a dump, however it is compressed and encoded, as one stream of UTF-8 bytes.

What a damaged or cut-off file still holds is delivered before the error is raised. lbzip2 and
indexed_bzip2 withhold the last blocks before a fault, so when one fails Python's own decompressor
goes over the file again, past what was delivered: the user waits once more on a broken file, and
gets the same bytes whichever decompressor the machine has.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import subprocess
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Self, cast

from corefmill.builders.wiki.dump import rows
from corefmill.builders.wiki.dump.packed_file import (
    HEAD_BYTES,
    STDIN,
    PackedFile,
    Reader,
    Utf8,
    describe_kind,
    might_be_dump,
)
from corefmill.corpora.files.disk import Packing, detect_packing
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.remote import Place, place

# Larger than a bz2 block of text, so that a block whose checksum fails is dropped whole.
PIECE = 2 << 20
# Four bytes of zstd may stand for 128 KiB of output, and its decoder knows no limit on output.
_SIP = 2048
_CORES = 8  # feed one reader faster than it can cut pages; each takes some ten megabytes
_XZ_MEMORY = 256 << 20  # xz -9 needs 65 MiB; a crafted header may ask for 4 GiB

# Reddit's monthly files are packed with zstd --long=31.
_ZSTD_WINDOW = 1 << 31

_DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)
AGAIN = "download the file again, or go on with what was read"


def ends_early(path: Place | str) -> DataError:
    """Make the error for a packed file that is cut off."""
    return DataError("cut off within its compressed data", path=path, remedy=AGAIN)


def unreadable(path: Place | str, before: int, error: Exception) -> DataError:
    """Make the error for a packed file that is damaged before byte `before`."""
    return DataError(
        f"its compressed data is unreadable before byte {before} ({error})", path=path, remedy=AGAIN
    )


class _Frames:
    """Streams of xz or frames of zstd one after the other, with the zeros that may pad them.

    Python's LZMAFile ends silently at such padding, and zstandard's reader at a cut-off frame.
    """

    def __init__(self, source: PackedFile, make: Callable[[], Any]) -> None:
        """`make` opens a decompressor with the interface of `lzma.LZMADecompressor`."""
        self._source = source
        self._make = make
        self._decoder: Any = None  # None between two frames
        self._input = b""

    def read1(self, size: int) -> bytes:
        while data := self._input or self._source.read(_SIP) or b"":
            self._input = b""
            if self._decoder is None:
                data = data.lstrip(b"\0")
                if not data:
                    continue
                self._decoder = self._make()
            output: bytes = self._decoder.decompress(data)
            if self._decoder.eof:
                self._input = self._decoder.unused_data
                self._decoder = None
            if output:
                return output
        if self._decoder is not None:
            raise EOFError
        return b""

    def close(self) -> None:
        self._input = b""


class _Serial:
    """Python's own decompressors: one thread, every stream, and the exact place of a fault."""

    def __init__(self, source: PackedFile, packed: Packing) -> None:
        self._source = source
        self._reader = _open_serial(source, packed)
        self._error: DataError | None = None
        self._damage: tuple[type[Exception], ...] = _DAMAGE
        if packed is Packing.ZST:
            import zstandard

            self._damage = (*_DAMAGE, zstandard.ZstdError)

    def read1(self, size: int) -> bytes:
        if self._error is not None:
            raise self._error
        try:
            return self._reader.read1(max(size, PIECE))
        except self._damage as error:
            path = self._source.path
            if isinstance(error, EOFError):
                self._error = ends_early(path)
            elif isinstance(error, OSError) and error.errno is not None:  # the disk's, not bz2's
                self._error = DataError(f"cannot be read: {error.strerror}", path=path)
            else:
                self._error = unreadable(path, self._source.position(), error)
            raise self._error from error

    def close(self) -> None:
        self._reader.close()


def _open_serial(source: PackedFile, packed: Packing) -> Reader:
    binary = cast(BinaryIO, source)
    if packed is Packing.BZ2:
        return bz2.BZ2File(binary)
    if packed is Packing.GZ:
        return gzip.GzipFile(fileobj=binary, mode="rb")
    if packed is Packing.XZ:
        return _Frames(source, lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY))
    if packed is Packing.ZST:
        import zstandard

        whole = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        return _Frames(source, whole.decompressobj)
    return io.BufferedReader(source)


class _Parallel:
    """A parallel decompressor until it fails, then Python's from the same byte on.

    lbzip2 writes a block before it knows whether its checksum is right, so what it gave last
    waits here until more has come.
    """

    def __init__(self, source: PackedFile, fast: Reader) -> None:
        self._source = source
        self._fast: Reader | None = fast
        self._serial: _Serial | None = None
        self._held: deque[bytes] = deque()
        self._held_bytes = 0
        self._delivered = 0

    def read1(self, size: int) -> bytes:
        if self._fast is not None:
            try:
                while self._held_bytes <= PIECE and (piece := self._fast.read1(size)):
                    self._held.append(piece)
                    self._held_bytes += len(piece)
            except (_ToolFailed, RuntimeError, ValueError, OSError):
                self._fast.close()
                self._fast = None
            else:
                piece = self._held.popleft() if self._held else b""
                self._held_bytes -= len(piece)
                self._delivered += len(piece)
                return piece
        if self._serial is None:
            # Python's decompressor starts over and skips what was delivered already.
            self._held.clear()
            self._source.rewind()
            self._serial = _Serial(self._source, Packing.BZ2)
            known = self._delivered
            while piece := self._serial.read1(PIECE):
                if len(piece) > known:
                    return piece[known:]
                known -= len(piece)
        return self._serial.read1(size)

    def close(self) -> None:
        for reader in (self._fast, self._serial):
            if reader is not None:
                reader.close()


class _ToolFailed(Exception):
    """lbzip2 ended with an error, which Python's decompressor will put into words."""


class _Lbzip2:
    """The lbzip2 program, reading the file by the descriptor it shares with us."""

    def __init__(self, program: str, source: PackedFile, threads: int) -> None:
        self._process = subprocess.Popen(
            [program, "-dc", f"-n{threads}"],
            stdin=source.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            pipesize=1 << 20,
        )

    def read1(self, size: int) -> bytes:
        assert self._process.stdout is not None
        piece: bytes = self._process.stdout.read(size)
        if not piece and self._process.wait() != 0:
            raise _ToolFailed
        return piece

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process.wait()


class _Library:
    """A file opened by indexed_bzip2."""

    def __init__(self, source: PackedFile, opened: Any) -> None:
        self._source = source
        self._opened = opened
        source.measure = lambda: int(opened.tell_compressed()) // 8  # it counts bits

    def read1(self, size: int) -> bytes:
        return bytes(self._opened.read(size))

    def close(self) -> None:
        self._source.measure = None
        self._opened.close()


def decompressor(source: PackedFile, threads: int | None) -> Reader:
    """Open the fastest installed decompressor for a file."""
    packed = detect_packing(source.head)
    if packed is Packing.BZ2 and source.rereadable and not source.remote:
        cores = threads or min(os.cpu_count() or 1, _CORES)
        for open_fast in PARALLEL.values():
            if (fast := open_fast(source, cores)) is not None:
                return _Parallel(source, fast)
    return _Serial(source, packed)


def _lbzip2(source: PackedFile, threads: int) -> Reader | None:
    program = shutil.which("lbzip2")
    return None if program is None else _Lbzip2(program, source, threads)


def _indexed_bzip2(source: PackedFile, threads: int) -> Reader | None:
    try:
        import indexed_bzip2
    except ImportError:
        return None
    return _Library(source, indexed_bzip2.open(source.fileno(), parallelization=threads))


PARALLEL: dict[str, Callable[[PackedFile, int], Reader | None]] = {
    "lbzip2": _lbzip2,
    "indexed_bzip2": _indexed_bzip2,
}
"""The parallel decompressors of bz2, the fastest first; None where one is not installed."""


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
    """Open the dump at `path`, "-" for standard input: XML, plain or as bz2, gz, xz or zst.

    Rows of JSON Lines, packed so too, and of Parquet are read as the XML that they would be. The
    first bytes decide, not the name; every stream or frame of the file is read. UTF-16 and other
    declared encodings become UTF-8. Of bz2 decompressors the first at hand is taken of lbzip2,
    indexed_bzip2 and Python's; a pipe cannot be read twice: Python's serves there. `threads` is
    what the parallel ones may use, by default every core up to eight.

    Raises DataError for a file that cannot be opened, is empty or is plainly something else.
    """
    source = PackedFile(path)
    reader: _Begun | None = None
    try:
        reader = _Begun(decompressor(source, threads))
        if (found := _rows(source, reader)) is not None:
            return DumpStream(source, rows.RowsAsXml(found, path, under=reader))
        if detect_packing(source.head) is Packing.NONE and not might_be_dump(source.head):
            raise not_a_dump(path, source.head)
        return DumpStream(source, Utf8(reader, path))
    except BaseException:
        if reader is not None:
            reader.close()
        source.close()
        raise


def lacking(path: Place | str) -> str:
    """Name what rows at `path` lack beside XML; "" for XML or a pipe."""
    if path == STDIN or not place(path).is_file():
        return ""
    source = PackedFile(path)
    reader = _Begun(decompressor(source, 1))
    with DumpStream(source, reader):
        row = next(_rows(source, reader) or iter(()), None)
        return "" if row is None else rows.lacking(row)


def _rows(source: PackedFile, reader: _Begun) -> Iterator[Mapping[str, Any]] | None:
    """Open the rows of Parquet or JSON Lines; None for any other file."""
    if rows.is_parquet(source.head):
        return rows.parquet_rows(source)
    if rows.is_json(reader.head):
        return rows.json_rows(as_file(DumpStream(source, reader)), source.path)
    return None


class _Begun:
    """A reader with its `head` read; a fault there is raised with the rest."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._error: DataError | None = None
        pieces: list[bytes] = []
        try:
            while sum(map(len, pieces)) < HEAD_BYTES and (piece := reader.read1(PIECE)):
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
    """Open the bytes of any file, plain or as bz2, gz, xz or zst.

    Raises DataError for a file that cannot be opened or is empty.
    """
    source = PackedFile(path)
    return DumpStream(source, decompressor(source, None))


def as_file(stream: DumpStream) -> io.BufferedReader:
    """Wrap the stream as a file, to read it line by line."""
    return io.BufferedReader(_Bytes(stream), 1 << 16)


class _Bytes(io.RawIOBase):
    """The unpacked bytes of a stream, as a file."""

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
    """Make the error for a file that is no MediaWiki export by its unpacked `head`."""
    return DataError(
        f"not a MediaWiki dump: it looks like {describe_kind(head)}",
        path=path,
        remedy="a dump is an XML export such as enwiki-...-pages-articles-multistream.xml.bz2, or"
        " articles as rows of JSON Lines or Parquet",
    )
