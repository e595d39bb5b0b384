"""Decompresses a bz2 file from anywhere: by its streams, or by blocks, which begin at any bit.

A block says where it begins by 48 bits and holds its own checksum, so that it can be made a stream
of its own (as bzip2recover does). Streams that were put end to end begin at whole bytes.
"""

from __future__ import annotations

import bz2
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from corefmill.corpora.errors import DataError

Segment = tuple[int, Iterator[bytes]]
"""Where a part of a file begins, in bytes, and its content, decompressed as it is asked for."""

HEADER = re.compile(rb"BZh[1-9]1AY&SY")

_BLOCK, _END = 0x314159265359, 0x177245385090
_MAGIC_BITS, _SUM_BITS = 48, 32
_MOST_BITS = 8 << 21  # of a block, which holds 900 kB, at most somewhat longer when it is packed
_OVERLAP = 16  # bytes; what says where something begins is shorter
_SLAB = 1 << 20  # bytes that are searched at a time
_FEED = 1 << 18  # bytes that are given to the decompressor at a time
_PIECE = 2 << 20  # bytes of content at a time
AGAIN = "download the file again, or go on with what was read"


class _Mark(NamedTuple):
    """Where a block begins, or the end of a stream's blocks, in bits."""

    bit: int
    is_block: bool


def next_header(file: BinaryIO, position: int, stop: int | None = None) -> int | None:
    """Where the first stream with a block begins at `position` or behind it, and before `stop`."""
    file.seek(position)
    if (stop is None or position < stop) and HEADER.match(file.read(_OVERLAP)):
        return position  # as it mostly is
    while stop is None or position < stop:
        file.seek(position)
        data = file.read(_SLAB + _OVERLAP)
        if found := HEADER.search(data):
            there = position + found.start()
            return there if stop is None or there < stop else None
        if len(data) <= _SLAB:
            return None
        position += _SLAB
    return None


def streams(file: BinaryIO, begin: int, own: int) -> Iterator[Segment]:
    """The streams from the first on that begins between `begin` and `own`; none without such."""
    position = next_header(file, begin, own)
    while position is not None:
        decoder = bz2.BZ2Decompressor()
        yield position, _content(file, position, decoder)
        position = next_header(file, file.tell() - len(decoder.unused_data))


def _content(file: BinaryIO, position: int, decoder: bz2.BZ2Decompressor) -> Iterator[bytes]:
    """What a stream holds; the file is left behind what was given to its decoder."""
    file.seek(position)
    while not decoder.eof:
        data = file.read(_FEED) if decoder.needs_input else b""
        if decoder.needs_input and not data:
            raise cut_off_within(file)
        before = file.tell()
        try:
            piece = decoder.decompress(data, _PIECE)
        except OSError as error:
            raise unreadable(file, before, error) from error
        if piece:
            yield piece


def blocks(file: BinaryIO, begin: int, own: int) -> Iterator[Segment]:
    """The blocks from the first on that begins between `begin` and `own`; none without such."""
    marks = _marks(file, begin)
    mark = next(marks, None)
    if mark is not None and mark.bit // 8 >= own:
        return
    while mark is not None:
        after = next(marks, None)
        if mark.is_block:
            yield mark.bit // 8, _block(file, mark.bit, None if after is None else after.bit)
        mark = after


def _block(file: BinaryIO, begin: int, end: int | None) -> Iterator[bytes]:
    """The content of the block between two bits."""
    if end is None:
        raise cut_off_within(file)
    if end - begin > _MOST_BITS:
        raise unreadable(file, end // 8, ValueError("no block is so long"))
    file.seek(begin // 8)
    raw = file.read(end // 8 - begin // 8 + 1)
    bits = end - begin
    block = int.from_bytes(raw) >> (8 * len(raw) - begin % 8 - bits) & ((1 << bits) - 1)
    # The sum of a stream is made of its blocks' sums; of one block it is that block's.
    own_sum = block >> (bits - _MAGIC_BITS - _SUM_BITS) & ((1 << _SUM_BITS) - 1)
    stream = (block << _MAGIC_BITS | _END) << _SUM_BITS | own_sum
    bits += _MAGIC_BITS + _SUM_BITS
    padding = -bits % 8
    try:
        yield bz2.decompress(b"BZh9" + (stream << padding).to_bytes((bits + padding) // 8))
    except (OSError, ValueError) as error:
        raise unreadable(file, end // 8, error) from error


def _marks(file: BinaryIO, begin: int) -> Iterator[_Mark]:
    """All marks whose first bit lies behind `begin`, in order."""
    position = begin
    while True:
        file.seek(position)
        data = file.read(_SLAB + _OVERLAP)
        found = [
            _Mark(8 * position + bit, magic == _BLOCK)
            for magic in (_BLOCK, _END)
            for bit in _found(data, magic)
            if bit < 8 * _SLAB
        ]
        yield from sorted(found)
        if len(data) <= _SLAB:
            return
        position += _SLAB


def _found(data: bytes, magic: int) -> Iterator[int]:
    """The bits at which 48 bits stand in `data`."""
    for shift in range(8):
        first, *_, last = whole = (magic << (8 - shift)).to_bytes(7)
        inner = whole[1:6]
        place = data.find(inner, 1)
        while place >= 0:
            behind = data[place + 5] if place + 5 < len(data) else 0
            if (
                data[place - 1] & (0xFF >> shift) == first
                and behind >> (8 - shift) << (8 - shift) == last
            ):
                yield 8 * (place - 1) + shift
            place = data.find(inner, place + 1)


def is_cut_off(file: BinaryIO, size: int) -> bool:
    """Whether the file does not end as a stream does."""
    file.seek(max(0, size - _SLAB))
    tail = file.read().rstrip(b"\0")  # with which some tapes and tools fill a file up
    return not any(True for _ in _found(tail[-_OVERLAP:] + b"\0", _END))


def cut_off_within(file: BinaryIO) -> DataError:
    return DataError("cut off within its compressed data", path=file.name, remedy=AGAIN)


def unreadable(file: BinaryIO, before: int, error: Exception) -> DataError:
    return DataError(
        f"its compressed data is unreadable before byte {before} ({error})",
        path=file.name,
        remedy=AGAIN,
    )
