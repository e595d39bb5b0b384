"""Reads the index that Wikimedia publishes beside a multistream dump."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corefmill.builders.wiki.dump.compression import open_packed
from corefmill.corpora.errors import DataError

_DUMP_NAME = re.compile(r"(.*-multistream)(\d*)\.xml(.*)\.bz2")
_LINE = re.compile(rb"(\d{1,18}):(\d{1,18}):(.+)")
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class Stream:
    """One bz2 stream of a multistream dump: usually a hundred pages."""

    offset: int
    """Compressed bytes before it."""
    pages: int
    """How many pages it holds."""


def index_beside(dump: Path | str) -> Path | None:
    """The index file that belongs to `dump`, if it lies in the same folder."""
    match = _DUMP_NAME.fullmatch(Path(dump).name)
    if match is None:
        return None
    for ending in (".bz2", ""):
        index = Path(dump).with_name(f"{match[1]}-index{match[2]}.txt{match[3]}{ending}")
        if index.is_file():
            return index
    return None


def stream_offsets(index: Path) -> Iterator[Stream]:
    """The streams that `index` lists, its lines being `offset:page id:title`, compressed or not.

    The last stream of a dump, which only closes the XML, is not listed.
    Raises DataError, naming the line, for a line of another form or an offset out of order.
    """
    offset, pages = -1, 0
    for number, line in enumerate(_lines(index), start=1):
        match = _LINE.fullmatch(line)
        if match is None or int(match[1]) < offset:
            raise DataError(
                "not a line `offset:page id:title` with offsets that rise",
                path=index,
                line=number,
                remedy="download the index again, or delete it: it is not needed",
            )
        if int(match[1]) > offset:
            if pages:
                yield Stream(offset, pages)
            offset, pages = int(match[1]), 0
        pages += 1
    if pages:
        yield Stream(offset, pages)


def _lines(index: Path) -> Iterator[bytes]:
    with open_packed(index) as stream:
        rest = b""
        while piece := stream.read():
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole
            if len(rest) > _LONGEST_LINE:
                break
        if rest:
            yield rest
