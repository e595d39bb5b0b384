"""A file or standard input before it is decompressed: its first bytes, and how far it is read."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable
from typing import BinaryIO, Protocol, cast

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.remote import Place, RemoteFile, place

# Tells from its first bytes what a file is, so that an error can name it.


HEAD_BYTES = 4096
"""How much of a file the functions here want to see."""

_DECLARATION = re.compile(rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
# UTF-32 stands first: its little-endian mark begins with that of UTF-16.
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
# Encodings of natural text only: the codec registry also holds compressors and escapes.
_TEXT_ENCODING = re.compile(
    r"utf[-_]?(16|32)|iso[-_]?8859|latin|windows|cp\d|koi8|gb|big5|euc|shift_?jis|sjis|tis", re.I
)
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


def declared_encoding(head: bytes) -> str | None:
    """Read the encoding of XML from its `head`; None for UTF-8.

    Raises LookupError, naming the encoding, where Python has none of that name.
    """
    for mark, name in _WIDE:
        if head.startswith(mark):
            return name
    declared = _DECLARATION.match(head.removeprefix(codecs.BOM_UTF8).lstrip())
    if declared is None:
        return None
    name = declared[1].decode("ascii")
    if re.fullmatch(r"utf-?8|us-ascii|ascii", name, re.I):
        return None
    if not _TEXT_ENCODING.match(name):
        raise LookupError(name)
    # A declaration that could be read as single bytes is not written in UTF-16, whatever it says.
    if re.match(r"utf[-_]?(16|32)", name, re.I):
        return None
    codecs.lookup(name)
    return name


def might_be_dump(head: bytes) -> bool:
    """Check whether `head`, unpacked, can begin a MediaWiki export in any encoding."""
    bare = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")
    return re.match(rb"<(\?xml|!--|mediawiki|!DOCTYPE\s+mediawiki)", bare) is not None


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


STDIN = "-"


class Reader(Protocol):
    def read1(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class PackedFile(io.RawIOBase):
    """A compressed file or standard input, of whose first bytes `head` is a copy."""

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
        head = b""
        while len(head) < HEAD_BYTES and (piece := self._raw.read(HEAD_BYTES)):
            head += piece
        self.head = head
        self._pending = b"" if self.rereadable else self.head
        if self.rereadable:
            self.rewind()
        if not self.head:
            self.close()
            raise DataError("the file is empty", path=path, remedy="download it again")

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


# XML in any encoding as UTF-8 bytes.


class Utf8:
    """Turns a stream in another encoding into UTF-8; UTF-8 itself passes unlooked at."""

    def __init__(self, reader: Reader, path: Place | str) -> None:
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
        """The first piece must be long enough to tell the encoding by."""
        self._begun = True
        head = self._reader.read1(size)
        if head.startswith(codecs.BOM_UTF8):
            return head.removeprefix(codecs.BOM_UTF8) or self.read1(size)
        try:
            name = declared_encoding(head)
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
