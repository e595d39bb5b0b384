"""Decompresses a zstd file from any of its frames on, which begin at whole bytes.

A frame's four magic bytes may stand within another, once in 4 GB. But a frame tells of each of its
blocks how long it is (RFC 8878, 3.1.1), so that a false one is known without decompressing it: its
blocks do not lead to where another frame, or the end of the file, is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from corefmill.builders.wiki.dump.bz2_blocks import Segment
from corefmill.builders.wiki.dump.decompressors import (
    SIP,
    FrameDecoder,
    ends_early,
    unreadable,
    zstd_decoder,
)

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")  # holds what its writer likes, and no content
_LONGEST_HEADER = 18
_LENGTH = 4  # bytes, of a magic, of a skipped frame's length and of a checksum
_REPEATED, _RESERVED = 1, 3  # types of blocks
_LARGEST_BLOCK = 128 << 10
_ENOUGH = 4  # blocks in order, behind which a wrong one is damage and no sign of a false frame
_SLAB = 1 << 20  # bytes that are searched at a time
_TAIL = 16 << 20  # in which the last frame is looked for


class _Extent(NamedTuple):
    """What the blocks of a frame tell of it."""

    blocks: int
    """How many were in order."""
    end: int | None
    """Where it ends, behind the file's own end where it is cut off; None behind a wrong block."""


def next_frame(file: BinaryIO, position: int, stop: int | None = None) -> int | None:
    """Where the first frame begins at `position` or behind it, and before `stop`."""
    while stop is None or position < stop:
        file.seek(position)
        data = file.read(_SLAB + len(_MAGIC) - 1)
        place = data.find(_MAGIC)
        while place >= 0 and (stop is None or position + place < stop):
            if _is_frame(file, position + place):
                return position + place
            place = data.find(_MAGIC, place + 1)
        if len(data) < _SLAB:
            return None
        position += _SLAB
    return None


def frames(file: BinaryIO, begin: int, own: int) -> Iterator[Segment]:
    """The frames from the first on that begins between `begin` and `own`; none without such."""
    position = next_frame(file, begin, own) if begin else _following(file, 0)
    while position is not None:
        decoder = zstd_decoder()
        yield position, _content(file, position, decoder)
        position = _following(file, file.tell() - len(decoder.unused_data))


def _content(file: BinaryIO, position: int, decoder: FrameDecoder) -> Iterator[bytes]:
    """What a frame holds; the file is left behind what was given to its decoder."""
    import zstandard

    file.seek(position)
    while not decoder.eof:
        data = file.read(SIP)
        if not data:
            raise ends_early(file.name)
        try:
            piece = decoder.decompress(data)
        except zstandard.ZstdError as error:
            raise unreadable(file.name, file.tell(), error) from error
        if piece:
            yield piece


def is_cut_off(file: BinaryIO, size: int) -> bool:
    """Whether the file ends within a frame that begins in its last 16 MiB."""
    position = next_frame(file, max(0, size - _TAIL))
    while position is not None:
        end = _extent(file, position).end
        if end is None:
            return False  # damaged, which whoever reads it will say
        if end > size:
            return True
        position = _following(file, end)
    return False


def _following(file: BinaryIO, position: int) -> int | None:
    """Where something begins behind the end of a frame, past what holds no content."""
    file.seek(position)
    while data := file.read(2 * _LENGTH):
        if _SKIPPED.match(data):
            position += 2 * _LENGTH + int.from_bytes(data[_LENGTH:], "little")
        elif data[0]:
            return position
        else:  # with zeros some tapes and tools fill a file up
            data += file.read(_SLAB)
            position += len(data) - len(data.lstrip(b"\0"))
        file.seek(position)
    return None


def _is_frame(file: BinaryIO, begin: int) -> bool:
    blocks, end = _extent(file, begin)
    if end is None:
        return blocks >= _ENOUGH
    file.seek(end)
    behind = file.read(_LENGTH)
    return (
        len(behind) < _LENGTH
        or behind in (_MAGIC, bytes(_LENGTH))
        or _SKIPPED.match(behind) is not None
    )


def _extent(file: BinaryIO, begin: int) -> _Extent:
    """Goes over a frame from block to block."""
    import zstandard

    file.seek(begin)
    header = file.read(_LONGEST_HEADER)
    try:
        position = begin + zstandard.frame_header_size(header)
        has_sum = zstandard.get_frame_parameters(header).has_checksum
    except zstandard.ZstdError:
        # One that ends before its header does is cut off; it must have been a frame's.
        short = len(header) < _LONGEST_HEADER and header.startswith(_MAGIC)
        return _Extent(0, begin + _LONGEST_HEADER if short else None)
    blocks, is_last = 0, False
    while not is_last:
        file.seek(position)
        if len(raw := file.read(3)) < 3:
            return _Extent(blocks, position + 3)
        block = int.from_bytes(raw, "little")
        is_last, kind, length = bool(block & 1), block >> 1 & 3, block >> 3
        if kind == _RESERVED or length > _LARGEST_BLOCK:
            return _Extent(blocks, None)
        position += 3 + (1 if kind == _REPEATED else length)
        blocks += 1
    return _Extent(blocks, position + has_sum * _LENGTH)
