"""A file or standard input before it is decompressed: its first bytes, and how far it is read."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable
from typing import BinaryIO, Protocol, cast

from corefmill.builders.wiki.dump import sniff
from corefmill.corpora.errors import DataError
from corefmill.corpora.remote import Place, RemoteFile, place

STDIN = "-"


class Reader(Protocol):
    def read1(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class PackedFile(io.RawIOBase):
    """The compressed file or standard input; what was read to sniff is read again."""

    def __init__(self, path: Place | str) -> None:
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
                f"cannot be opened: {error.strerror}",
                path=path,
                remedy="give the path of a dump, `sample`, `latest`, or `-` for standard input",
            ) from error
        self.rereadable = self._raw.seekable()
        self._start = self._raw.tell() if self.rereadable else 0
        self.remote = isinstance(path, RemoteFile)
        """Whether it has no descriptor, which other programs could read it by."""
        if isinstance(path, RemoteFile):
            self.total: int | None = path.size
        else:
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
        return self._raw.tell() if self.remote else os.lseek(self._raw.fileno(), 0, os.SEEK_CUR)

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
