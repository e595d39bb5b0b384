"""Opens a dump, however it is compressed, as one stream of bytes.

The readable content of a damaged or cut-off file is delivered before the error is raised.
indexed_bzip2 withholds the last blocks before a fault. So after its failure Python's decompressor
reads the file again and skips the delivered bytes: a broken file takes twice the time, but gives
the same bytes with or without indexed_bzip2.
"""

from __future__ import annotations

import bz2
import codecs
import errno
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, Protocol, cast

from corefmill.corpora.files.disk import Packing, detect_packing
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.remote import Place, RemoteFile, place

HEAD_BYTES = 4096
"""Bytes at the beginning of a file that tell its kind."""
STDIN = "-"
AGAIN = "download the file again, or go on with what was read"

# Larger than a bz2 block of text, so that a block whose checksum fails is dropped whole.
_PIECE = 2 << 20
# Four bytes of zstd may stand for 128 KiB of output, and its decoder knows no limit on output.
_SIP = 2048
_CORES = 8  # feed one reader faster than it can cut pages; each takes some ten megabytes
_XZ_MEMORY = 256 << 20  # xz -9 needs 65 MiB; a crafted header may ask for 4 GiB
_ZSTD_WINDOW = 1 << 31  # Reddit's monthly files are packed with zstd --long=31

_STRANGERS = (
    (re.compile(rb"\s*(<!doctype\s+html|<html|<head|<body)", re.I), "an HTML page"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), "a 7z archive"),
    (re.compile(rb"PK\x03\x04"), "a zip archive"),
    (re.compile(rb"Rar!"), "a rar archive"),
    (re.compile(rb"%PDF-"), "a PDF file"),
    (re.compile(rb"SQLite format 3"), "an SQLite database"),
    (re.compile(rb".{257}ustar", re.S), "a tar archive"),
    (re.compile(rb"-- (MySQL|MariaDB|phpMyAdmin)"), "an SQL dump"),
    (re.compile(rb"\s*[\[{]\s*[\"{\[]"), "a JSON file"),
    (re.compile(rb"\d+:\d+:"), "the index of a multistream dump"),
    (re.compile(rb"\s*<"), "an XML file of another kind"),
)


def might_be_dump(head: bytes) -> bool:
    """Check whether `head`, unpacked, can begin a MediaWiki export in any encoding."""
    bare = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")
    return re.match(rb"<(\?xml|!--|mediawiki|!DOCTYPE\s+mediawiki)", bare) is not None


def other_encoding(head: bytes) -> str:
    """Name the encoding of XML by its first bytes; "" for UTF-8, the only one of real dumps."""
    if b"\0" in head[:4]:
        return "UTF-16 or UTF-32"
    declared = re.match(
        rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']",
        head.removeprefix(codecs.BOM_UTF8).lstrip(),
    )
    name = declared[1].decode() if declared else "utf-8"
    return "" if re.fullmatch(r"utf-?8|us-ascii|ascii", name, re.I) else name


def describe_kind(head: bytes) -> str:
    """Describe for the user the kind of file by its first bytes."""
    if not head.strip(b"\0"):
        return "a file of zero bytes" if head else "an empty file"
    for pattern, phrase in _STRANGERS:
        if pattern.match(head.removeprefix(codecs.BOM_UTF8)):
            return phrase
    try:
        head[: max(1, len(head) - 4)].decode("utf-8")
    except UnicodeDecodeError:
        return "binary data"
    return "plain text" if b"\0" not in head else "binary data"


def ends_early(path: Place | str) -> DataError:
    """Make the error for a truncated packed file."""
    return DataError("the file is cut off within its compressed data", path=path, remedy=AGAIN)


def unreadable(path: Place | str, before: int, error: Exception) -> DataError:
    """Make the error for a packed file damaged before byte `before`."""
    return DataError(
        f"the file's compressed data is unreadable before byte {before} ({error})",
        path=path,
        remedy=AGAIN,
    )


class Reader(Protocol):
    """An open decompressor: bytes piece by piece, b"" at the end."""

    def read1(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class PackedFile(io.RawIOBase):
    """A file or standard input before it is decompressed; `head` is a copy of its first bytes."""

    def __init__(self, path: Place | str) -> None:
        """Raises `DataError` for a file that cannot be opened or is empty."""
        path = path if path == STDIN else place(path)
        self.path = path
        try:
            if path == STDIN:
                if sys.stdin is None:
                    raise OSError(errno.EBADF, "it is closed")
                self._raw = cast(BinaryIO, os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0))
            else:
                self._raw = cast(BinaryIO, place(path).open("rb", buffering=0))
        except OSError as error:
            raise DataError(
                f"the file cannot be opened: {error.strerror}",
                path=path,
                remedy="give the path of a dump, `sample`, `latest`, or `-` for standard input",
            ) from error
        self.rereadable = self._raw.seekable()
        self._start = self._raw.tell() if self.rereadable else 0
        self.remote = isinstance(path, RemoteFile)
        """Whether the file has no descriptor by which other programs could read it."""
        if isinstance(path, RemoteFile):
            self.total: int | None = path.size
        else:
            status = os.fstat(self._raw.fileno())
            self.total = status.st_size if stat.S_ISREG(status.st_mode) else None
        self._counted = 0
        # The function that tells the position in a library that does not move the descriptor.
        self.measure: Callable[[], int] | None = None
        head = b""
        while len(head) < HEAD_BYTES and (piece := self._raw.read(HEAD_BYTES)):
            head += piece
        self.head = head
        self._pending = b"" if self.rereadable else head
        if self.rereadable:
            self.rewind()
        if not head:
            self.close()
            raise DataError("the file is empty", path=path, remedy="download it again")

    def rewind(self) -> None:
        """Return to the first byte; only for a `rereadable` file."""
        self.measure = None
        self._raw.seek(self._start)

    def fileno(self) -> int:
        """The file's descriptor."""
        return self._raw.fileno()

    def position(self) -> int:
        """Compressed bytes read so far."""
        if self.measure is not None:
            return self.measure()
        if self._raw.closed or not self.rereadable:
            return self._counted
        return self._raw.tell()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if self._pending:
            piece = self._pending[: len(buffer)]
            self._pending = self._pending[len(piece) :]
        else:
            piece = self._raw.read(len(buffer)) or b""
        buffer[: len(piece)] = piece
        self._counted += len(piece)
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self.measure = None
            self._counted = self.position()
            self._raw.close()
        super().close()


class _Frames:
    """Streams of xz or frames of zstd one after the other, with padding zeros between them.

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

    def __init__(self, source: PackedFile, packing: Packing) -> None:
        self._source = source
        self._damage: tuple[type[Exception], ...] = (EOFError, OSError, lzma.LZMAError, zlib.error)
        self._reader: Reader
        match packing:
            case Packing.BZ2:
                self._reader = bz2.BZ2File(cast(BinaryIO, source))
            case Packing.GZ:
                self._reader = gzip.GzipFile(fileobj=cast(BinaryIO, source), mode="rb")
            case Packing.XZ:
                self._reader = _Frames(source, lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY))
            case Packing.ZST:
                import zstandard

                self._damage = (*self._damage, zstandard.ZstdError)
                whole = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
                self._reader = _Frames(source, whole.decompressobj)
            case Packing.NONE:
                self._reader = io.BufferedReader(source)

    def read1(self, size: int) -> bytes:
        try:
            return self._reader.read1(max(size, _PIECE))
        except self._damage as error:
            path = self._source.path
            if isinstance(error, EOFError):
                raise ends_early(path) from error
            if isinstance(error, OSError) and error.errno is not None:  # the disk's, not bz2's
                raise DataError(f"the file cannot be read: {error.strerror}", path=path) from error
            raise unreadable(path, self._source.position(), error) from error

    def close(self) -> None:
        self._reader.close()


class _ParallelBzip2:
    """indexed_bzip2 until it fails, then Python's decompressor from the same byte on."""

    def __init__(self, source: PackedFile, library: Any, threads: int) -> None:
        self._source = source
        fast = library.open(source.fileno(), parallelization=threads)
        source.measure = lambda: int(fast.tell_compressed()) // 8  # the library counts bits
        self._fast: Any = fast
        self._serial: _Serial | None = None
        self._delivered = 0

    def read1(self, size: int) -> bytes:
        if self._serial is None:
            try:
                piece = bytes(self._fast.read(size))
            except (RuntimeError, ValueError, OSError):
                self._fast.close()
            else:
                self._delivered += len(piece)
                return piece
            # Python's decompressor starts over and skips what was delivered already.
            self._source.rewind()
            self._serial = _Serial(self._source, Packing.BZ2)
            known = self._delivered
            while piece := self._serial.read1(_PIECE):
                if len(piece) > known:
                    return piece[known:]
                known -= len(piece)
        return self._serial.read1(size)

    def close(self) -> None:
        self._source.measure = None
        self._fast.close()
        if self._serial is not None:
            self._serial.close()


def _decompress(source: PackedFile, threads: int | None) -> Reader:
    """Open the fastest installed decompressor for a file."""
    packing = detect_packing(source.head)
    if packing is Packing.BZ2 and source.rereadable and not source.remote:
        try:
            import indexed_bzip2
        except ImportError:
            pass
        else:
            cores = threads or min(os.cpu_count() or 1, _CORES)
            return _ParallelBzip2(source, indexed_bzip2, cores)
    return _Serial(source, packing)


class DumpStream(io.RawIOBase):
    """The unpacked content of one file; `head` is its beginning.

    `total` is the file's compressed size in bytes, None if unknown.
    """

    def __init__(self, source: PackedFile, reader: Reader) -> None:
        self.path = source.path
        self.total = source.total
        self.source = source
        self._reader = reader
        # The first pieces are read at once, for `head`; a fault there is raised with the rest.
        self._error: DataError | None = None
        pieces: list[bytes] = []
        try:
            while sum(map(len, pieces)) < HEAD_BYTES and (piece := reader.read1(_PIECE)):
                pieces.append(piece)
        except DataError as error:
            self._error = error
        self.head = b"".join(pieces)[:HEAD_BYTES]
        self._held: bytes | memoryview = b"".join(pieces)

    def read_piece(self) -> bytes:
        """Read some two megabytes, b"" at the end.

        Raises DataError for a damaged or cut-off file, after all readable bytes.
        """
        if self._held:
            held, self._held = bytes(self._held), b""
            return held
        if self._error is not None:
            raise self._error
        try:
            return self._reader.read1(_PIECE)
        except DataError as error:
            self._error = error
            raise

    def position(self) -> int:
        """Compressed bytes read so far, for a progress bar."""
        return self.source.position()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._held = memoryview(self._held or self.read_piece())
        size = min(len(buffer), len(piece))
        buffer[:size] = piece[:size]
        self._held = piece[size:]
        return size

    def close(self) -> None:
        """End the decompressor, finished or not, and close the file."""
        if not self.closed:
            self._reader.close()
            self.source.close()
        super().close()


def open_stream(path: Place | str, *, threads: int | None = None) -> DumpStream:
    """Open any file, "-" for standard input: plain, or as bz2, gz, xz or zst.

    The first bytes decide, not the name; every stream or frame of the file is read. indexed_bzip2,
    if installed, unpacks bz2 with `threads`, by default every core up to eight. Python unpacks a
    pipe, which cannot be read twice.

    Raises DataError for a file that cannot be opened or is empty.
    """
    source = PackedFile(path)
    try:
        return DumpStream(source, _decompress(source, threads))
    except BaseException:
        source.close()
        raise


def open_lines(path: Place | str) -> io.BufferedReader:
    """Open any file, as `open_stream` does, to read it line by line."""
    return io.BufferedReader(open_stream(path), 1 << 16)
