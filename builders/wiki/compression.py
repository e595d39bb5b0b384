"""Opens a dump, however it is compressed and encoded, as one stream of UTF-8 bytes.

What a damaged or cut-off file still holds is delivered before the error is raised. lbzip2 and the
parallel libraries withhold the last blocks before a fault, so when one fails Python's own
decompressor goes over the file again, past what was delivered: the user waits once more on a
broken file, and gets the same bytes whichever decompressor the machine has. Of a damaged bz2 no
wrong byte is delivered; gz, zst and xz state their sums late, so there the error may come after
some wrong text.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import importlib
import io
import lzma
import os
import shutil
import stat
import subprocess
import sys
import zlib
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Literal, Protocol, Self, cast

import zstandard

from builders.wiki import sniff
from builders.wiki.sniff import Packing
from corpora.errors import DataError, UsageError

Bz2Tool = Literal["auto", "lbzip2", "indexed_bzip2", "rapidgzip", "python"]
STDIN = "-"

# Larger than a bz2 block of text, so that a block whose checksum fails is dropped whole.
_PIECE = 2 << 20
# Four bytes of zstd may stand for 128 KiB of output, and its decoder knows no limit on output.
_SIP = 2048
_CORES = 8  # feed one reader faster than it can cut pages; each takes some ten megabytes
_XZ_MEMORY = 256 << 20  # xz -9 needs 65 MiB; a crafted header may ask for 4 GiB

_DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
_AGAIN = "download the file again, or go on with what was read"


class _Reader(Protocol):
    def read1(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class DumpStream:
    """The content of one file. `total` is its compressed size in bytes, None where nobody knows."""

    def __init__(self, source: _Source, reader: _Reader) -> None:
        self.path = source.path
        self.total = source.total
        self._source = source
        self._reader = reader

    def read(self, size: int = _PIECE) -> bytes:
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_dump(
    path: Path | str, *, bz2_tool: Bz2Tool = "auto", threads: int | None = None
) -> DumpStream:
    """The dump at `path`, "-" for standard input: XML, plain or as bz2, gz, xz or zst.

    The first bytes decide, not the name; every stream or frame of the file is read. UTF-16 and
    other declared encodings become UTF-8. `bz2_tool` forces a decompressor; "auto" takes the first
    at hand of lbzip2, indexed_bzip2, rapidgzip and Python's. A pipe cannot be read twice, so
    Python's serves there. `threads` is what the parallel ones may use, by default every core
    up to eight.

    Raises DataError for a file that cannot be opened, is empty or is plainly something else;
    UsageError for a `bz2_tool` that is not installed.
    """
    source = _Source(path)
    try:
        if sniff.packing(source.head) is Packing.NONE and not sniff.might_be_dump(source.head):
            raise not_a_dump(path, source.head)
        return DumpStream(source, _Utf8(_reader(source, bz2_tool, threads), path))
    except BaseException:
        source.close()
        raise


def open_packed(path: Path | str) -> DumpStream:
    """The bytes of any file, plain or as bz2, gz, xz or zst, whatever they may be.

    Raises DataError for a file that cannot be opened or is empty.
    """
    source = _Source(path)
    return DumpStream(source, _reader(source, "auto", None))


def not_a_dump(path: Path | str, head: bytes) -> DataError:
    """The error for a file whose uncompressed first bytes, `head`, begin no MediaWiki export."""
    return DataError(
        f"not a MediaWiki dump: it looks like {sniff.kind(head)}",
        path=path,
        remedy="a dump is an XML export such as enwiki-...-pages-articles-multistream.xml.bz2",
    )


class _Source(io.RawIOBase):
    """The compressed file or standard input; what was read to sniff is read again."""

    def __init__(self, path: Path | str) -> None:
        self.path = path
        try:
            if path == STDIN:
                self._raw = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
            else:
                self._raw = Path(path).open("rb", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise DataError(
                f"cannot be opened: {error.strerror}",
                path=path,
                remedy="give the path of a dump, `sample`, `latest`, or `-` for standard input",
            ) from error
        self.rereadable = self._raw.seekable()
        self._start = self._raw.tell() if self.rereadable else 0
        status = os.fstat(self._raw.fileno())
        self.total = status.st_size if stat.S_ISREG(status.st_mode) else None
        self._counted = 0
        # How to learn the position from a library that reads without moving the descriptor.
        self.measure: Callable[[], int] | None = None
        self.head = self._sniff()
        self._pending = b"" if self.rereadable else self.head
        if self.rereadable:
            self.rewind()
        if not self.head:
            self.close()
            raise DataError("the file is empty", path=path, remedy="download it again")

    def _sniff(self) -> bytes:
        head = b""
        while len(head) < sniff.HEAD_BYTES and (piece := self._raw.read(sniff.HEAD_BYTES)):
            head += piece
        return head

    def rewind(self) -> None:
        """Back to the first byte; only where `rereadable`."""
        self.measure = None
        self._raw.seek(self._start)

    def fileno(self) -> int:
        """The descriptor; a child process that inherits it moves our position with its own."""
        return self._raw.fileno()

    def position(self) -> int:
        """Compressed bytes read so far."""
        if self.measure is not None:
            return self.measure()
        if self._raw.closed or not self.rereadable:
            return self._counted
        return os.lseek(self._raw.fileno(), 0, os.SEEK_CUR)

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


class _FrameDecoder(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def _xz_decoder() -> _FrameDecoder:
    return lzma.LZMADecompressor(memlimit=_XZ_MEMORY)


def _zstd_decoder() -> _FrameDecoder:
    return cast(_FrameDecoder, zstandard.ZstdDecompressor().decompressobj())


class _Frames:
    """Streams of xz or frames of zstd one after the other, with the zeros that may pad them.

    Python's LZMAFile ends silently at such padding, and zstandard's reader at a cut-off frame.
    """

    def __init__(self, source: _Source, make: Callable[[], _FrameDecoder]) -> None:
        self._source = source
        self._make = make
        self._decoder: _FrameDecoder | None = None  # None between two frames
        self._input = b""

    def read1(self, size: int) -> bytes:
        while data := self._input or self._source.read(_SIP) or b"":
            self._input = b""
            if self._decoder is None:
                data = data.lstrip(b"\0")
                if not data:
                    continue
                self._decoder = self._make()
            output = self._decoder.decompress(data)
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


class _Patient:
    """Python's own decompressors: one thread, every stream, and the exact place of a fault."""

    def __init__(self, source: _Source, packed: Packing) -> None:
        self._source = source
        self._reader = _serial(source, packed)
        self._error: DataError | None = None

    def read1(self, size: int) -> bytes:
        if self._error is not None:
            raise self._error
        try:
            return self._reader.read1(max(size, _PIECE))
        except _DAMAGE as error:
            self._error = self._explain(error)
            raise self._error from error

    def _explain(self, error: Exception) -> DataError:
        if isinstance(error, EOFError):
            return DataError(
                "cut off within its compressed data", path=self._source.path, remedy=_AGAIN
            )
        if isinstance(error, OSError) and error.errno is not None:
            return DataError(f"cannot be read: {error.strerror}", path=self._source.path)
        return DataError(
            f"its compressed data is unreadable before byte {self._source.position()} ({error})",
            path=self._source.path,
            remedy=_AGAIN,
        )

    def close(self) -> None:
        self._reader.close()


def _serial(source: _Source, packed: Packing) -> _Reader:
    binary = cast(BinaryIO, source)
    match packed:
        case Packing.BZ2:
            return bz2.BZ2File(binary)
        case Packing.GZ:
            return gzip.GzipFile(fileobj=binary, mode="rb")
        case Packing.XZ:
            return _Frames(source, _xz_decoder)
        case Packing.ZST:
            return _Frames(source, _zstd_decoder)
        case Packing.NONE:
            return io.BufferedReader(source)


class _Hasty:
    """A parallel decompressor until it fails, then Python's from the same byte on.

    lbzip2 writes a block before it knows whether its checksum is right, so what it gave last
    waits here until more has come.
    """

    def __init__(self, source: _Source, quick: _Reader) -> None:
        self._source = source
        self._quick: _Reader | None = quick
        self._patient: _Patient | None = None
        self._held: deque[bytes] = deque()
        self._held_bytes = 0
        self._delivered = 0

    def read1(self, size: int) -> bytes:
        if self._quick is not None:
            try:
                while self._held_bytes <= _PIECE and (piece := self._quick.read1(size)):
                    self._held.append(piece)
                    self._held_bytes += len(piece)
            except (_ToolFailed, RuntimeError, ValueError, OSError):
                self._quick.close()
                self._quick = None
            else:
                return self._release()
        if self._patient is None:
            return self._go_over_again()
        return self._patient.read1(size)

    def _release(self) -> bytes:
        piece = self._held.popleft() if self._held else b""
        self._held_bytes -= len(piece)
        self._delivered += len(piece)
        return piece

    def _go_over_again(self) -> bytes:
        self._held.clear()
        self._source.rewind()
        self._patient = _Patient(self._source, Packing.BZ2)
        known = self._delivered
        while piece := self._patient.read1(_PIECE):
            if len(piece) > known:
                return piece[known:]
            known -= len(piece)
        return b""

    def close(self) -> None:
        for reader in (self._quick, self._patient):
            if reader is not None:
                reader.close()


class _ToolFailed(Exception):
    """lbzip2 ended with an error, which Python's decompressor will put into words."""


class _Lbzip2:
    """The lbzip2 program, reading the file by the descriptor it shares with us."""

    def __init__(self, program: str, source: _Source, threads: int) -> None:
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


class _BitCounting(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def tell_compressed(self) -> int: ...

    def close(self) -> None: ...


class _Library:
    """A file opened by indexed_bzip2 or rapidgzip."""

    def __init__(self, source: _Source, opened: _BitCounting) -> None:
        self._source = source
        self._opened = opened
        source.measure = lambda: opened.tell_compressed() // 8

    def read1(self, size: int) -> bytes:
        return self._opened.read(size)

    def close(self) -> None:
        self._source.measure = None
        self._opened.close()


def _reader(source: _Source, tool: Bz2Tool, threads: int | None) -> _Reader:
    """The decompressor asked for, or the best there is."""
    packed = sniff.packing(source.head)
    if packed is not Packing.BZ2:
        return _Patient(source, packed)
    if tool == "python" or not source.rereadable:
        return _Patient(source, Packing.BZ2)
    makers: dict[str, Callable[[_Source, int], _Reader | None]] = {
        "lbzip2": _lbzip2,
        "indexed_bzip2": _indexed_bzip2,
        "rapidgzip": _rapidgzip,
    }
    cores = threads or min(os.cpu_count() or 1, _CORES)
    for name, maker in makers.items():
        if tool in ("auto", name) and (quick := maker(source, cores)) is not None:
            return _Hasty(source, quick)
    if tool == "auto":
        return _Patient(source, Packing.BZ2)
    raise UsageError(f"{tool} is not installed", remedy="install it, or leave the choice to us")


def _lbzip2(source: _Source, threads: int) -> _Reader | None:
    program = shutil.which("lbzip2")
    return None if program is None else _Lbzip2(program, source, threads)


def _indexed_bzip2(source: _Source, threads: int) -> _Reader | None:
    return _library("indexed_bzip2", "open", source, threads)


def _rapidgzip(source: _Source, threads: int) -> _Reader | None:
    return _library("rapidgzip", "IndexedBzip2File", source, threads)


def _library(module: str, opener: str, source: _Source, threads: int) -> _Reader | None:
    try:
        loaded = importlib.import_module(module)
    except ImportError:
        return None
    return _Library(source, getattr(loaded, opener)(source.fileno(), parallelization=threads))


class _Utf8:
    """Turns a stream in another encoding into UTF-8; UTF-8 itself passes unlooked at."""

    def __init__(self, reader: _Reader, path: Path | str) -> None:
        self._reader = reader
        self._path = path
        self._decoder: codecs.IncrementalDecoder | None = None
        self._begun = False
        self._offset = 0  # bytes given to the decoder so far
        self._error: DataError | None = None

    def read1(self, size: int) -> bytes:
        if self._error is not None:
            raise self._error
        if not self._begun:
            return self._begin(size)
        if self._decoder is None:
            return self._reader.read1(size)
        while piece := self._reader.read1(size):
            if text := self._decode(piece):
                return text
            if self._error is not None:
                raise self._error
        return b""

    def _begin(self, size: int) -> bytes:
        """Reads enough to tell the encoding; the first pieces may be shorter than its mark."""
        self._begun = True
        head = b""
        while len(head) < sniff.HEAD_BYTES:
            try:
                piece = self._reader.read1(size)
            except DataError as error:
                if not head:
                    raise
                self._error = error
                break
            if not piece:
                break
            head += piece
        if head.startswith(codecs.BOM_UTF8):
            return head.removeprefix(codecs.BOM_UTF8) or self.read1(size)
        try:
            name = sniff.encoding(head)
        except LookupError as error:
            raise DataError(
                f"declares the encoding {error.args[0]}, which cannot be read",
                path=self._path,
                remedy="convert the file to UTF-8",
            ) from error
        if name is None:
            return head
        self._decoder = codecs.getincrementaldecoder(name)()
        return self._decode(head) or self.read1(size)

    def _decode(self, piece: bytes) -> bytes:
        """`piece` in UTF-8; what stands before an undecodable byte now, the error next time."""
        assert self._decoder is not None
        state = self._decoder.getstate()
        held = len(state[0])
        try:
            text = self._decoder.decode(piece)
        except UnicodeDecodeError as error:
            self._error = DataError(
                f"byte {self._offset - held + error.start} of the XML is no {error.encoding}",
                path=self._path,
                remedy="the declared encoding is wrong or the file is damaged",
            )
            self._decoder.setstate(state)
            text = self._decoder.decode(piece[: max(0, error.start - held)])
        self._offset += len(piece)
        return text.encode("utf-8", errors="replace")

    def close(self) -> None:
        self._reader.close()
