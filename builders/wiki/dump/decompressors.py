"""Decompressors: Python's own, which find the exact place of a fault, and the parallel ones.

lbzip2 and indexed_bzip2 withhold the last blocks before a fault, so when one fails
Python's own decompressor goes over the file again, past what was delivered: the user waits once
more on a broken file, and gets the same bytes whichever decompressor the machine has.
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
from collections.abc import Callable
from typing import BinaryIO, Protocol, cast

from corefmill.builders.wiki.dump.packed_file import PackedFile, Reader
from corefmill.corpora.errors import DataError
from corefmill.corpora.packing import Packing, packing
from corefmill.corpora.remote_file import Place

# Larger than a bz2 block of text, so that a block whose checksum fails is dropped whole.
PIECE = 2 << 20
# Four bytes of zstd may stand for 128 KiB of output, and its decoder knows no limit on output.
SIP = 2048
_CORES = 8  # feed one reader faster than it can cut pages; each takes some ten megabytes
_XZ_MEMORY = 256 << 20  # xz -9 needs 65 MiB; a crafted header may ask for 4 GiB

# Reddit's monthly files are packed with zstd --long=31.
_ZSTD_WINDOW = 1 << 31

_DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)
AGAIN = "download the file again, or go on with what was read"


def ends_early(path: Place | str) -> DataError:
    """What is said of a packed file that is cut off."""
    return DataError("cut off within its compressed data", path=path, remedy=AGAIN)


def unreadable(path: Place | str, before: int, error: Exception) -> DataError:
    """What is said of a packed file that is damaged before this byte of it."""
    return DataError(
        f"its compressed data is unreadable before byte {before} ({error})", path=path, remedy=AGAIN
    )


class FrameDecoder(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def _xz_decoder() -> FrameDecoder:
    return lzma.LZMADecompressor(memlimit=_XZ_MEMORY)


def zstd_decoder() -> FrameDecoder:
    import zstandard

    whole = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    return cast(FrameDecoder, whole.decompressobj())


class _Frames:
    """Streams of xz or frames of zstd one after the other, with the zeros that may pad them.

    Python's LZMAFile ends silently at such padding, and zstandard's reader at a cut-off frame.
    """

    def __init__(self, source: PackedFile, make: Callable[[], FrameDecoder]) -> None:
        self._source = source
        self._make = make
        self._decoder: FrameDecoder | None = None  # None between two frames
        self._input = b""

    def read1(self, size: int) -> bytes:
        while data := self._input or self._source.read(SIP) or b"":
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


class _Serial:
    """Python's own decompressors: one thread, every stream, and the exact place of a fault."""

    def __init__(self, source: PackedFile, packed: Packing) -> None:
        self._source = source
        self._reader = _unpacked(source, packed)
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
            self._error = self._explain(error)
            raise self._error from error

    def _explain(self, error: Exception) -> DataError:
        if isinstance(error, EOFError):
            return ends_early(self._source.path)
        if isinstance(error, OSError) and error.errno is not None:
            return DataError(f"cannot be read: {error.strerror}", path=self._source.path)
        return unreadable(self._source.path, self._source.position(), error)

    def close(self) -> None:
        self._reader.close()


def _unpacked(source: PackedFile, packed: Packing) -> Reader:
    binary = cast(BinaryIO, source)
    match packed:
        case Packing.BZ2:
            return bz2.BZ2File(binary)
        case Packing.GZ:
            return gzip.GzipFile(fileobj=binary, mode="rb")
        case Packing.XZ:
            return _Frames(source, _xz_decoder)
        case Packing.ZST:
            return _Frames(source, zstd_decoder)
        case Packing.NONE:
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
                return self._release()
        if self._serial is None:
            return self._go_over_again()
        return self._serial.read1(size)

    def _release(self) -> bytes:
        piece = self._held.popleft() if self._held else b""
        self._held_bytes -= len(piece)
        self._delivered += len(piece)
        return piece

    def _go_over_again(self) -> bytes:
        self._held.clear()
        self._source.rewind()
        self._serial = _Serial(self._source, Packing.BZ2)
        known = self._delivered
        while piece := self._serial.read1(PIECE):
            if len(piece) > known:
                return piece[known:]
            known -= len(piece)
        return b""

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


class _BitCounting(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def tell_compressed(self) -> int: ...

    def close(self) -> None: ...


class _Library:
    """A file opened by indexed_bzip2."""

    def __init__(self, source: PackedFile, opened: _BitCounting) -> None:
        self._source = source
        self._opened = opened
        source.measure = lambda: opened.tell_compressed() // 8

    def read1(self, size: int) -> bytes:
        return self._opened.read(size)

    def close(self) -> None:
        self._source.measure = None
        self._opened.close()


def decompressor(source: PackedFile, threads: int | None) -> Reader:
    """The best decompressor there is for a file."""
    packed = packing(source.head)
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
