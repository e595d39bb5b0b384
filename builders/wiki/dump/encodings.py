"""XML in any encoding as UTF-8 bytes."""

from __future__ import annotations

import codecs

from corefmill.builders.wiki.dump import sniff
from corefmill.builders.wiki.dump.packed_file import Reader
from corefmill.corpora.errors import DataError
from corefmill.corpora.remote import Place


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
