"""Cuts dumps into chunks of whole pages without parsing them, for worker processes to parse.

Where a chunk ends depends on the pages alone, never on how the bytes arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from corefmill.builders.wiki.dump.compression import open_dump
from corefmill.builders.wiki.dump.page_scanner import MIB, Bytes, Oversized, PageScanner
from corefmill.builders.wiki.dump.siteinfo import SiteInfo
from corefmill.corpora.errors import DataError
from corefmill.corpora.remote import Place


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some pages of a dump in the order in which they stand there."""

    index: int
    """Number of the chunk, from 0, over all the files of a run."""
    path: str
    site: SiteInfo
    data: bytes
    """UTF-8 XML of the pages, `<page>...</page>` each, a line feed between; b"" where skipped."""
    starts: tuple[int, ...]
    """Offset in bytes at which each page begins in `data`."""
    digest: str
    """CRC-32 of `data` and its length, in hexadecimal: a hash that stands up to an attack would
    take a third of the time of all the cutting."""
    oversized: tuple[str, ...]
    """Titles of the pages that were left out as larger than 16 MiB."""

    @property
    def pages(self) -> int:
        """How many pages `data` holds."""
        return len(self.starts)

    def page(self, number: int) -> bytes:
        """The XML of one page, `number` from 0."""
        return self.data[self.starts[number] : self.end(number)]

    def end(self, number: int) -> int:
        """Offset in bytes at which that page ends in `data`."""
        return self.starts[number + 1] - 1 if number + 1 < self.pages else len(self.data)


def chunks(
    paths: Sequence[Place | str],
    *,
    target_bytes: int = 8 * MIB,
    threads: int | None = None,
    skip: Container[int] = (),
    first: int = 0,
    progress: Callable[[Place | str, int, int | None], None] | None = None,
) -> Iterator[Chunk]:
    """The pages of the dumps at `paths` ("-" is standard input), in chunks.

    A chunk ends with the page that brings it to `target_bytes`, and with its file. A page larger
    than 16 MiB is named and left out, unbuffered; so is one whose comment never closes. A broken
    page (no end tag before the next page begins) is passed on, for the parser to reject.

    `skip` holds the indexes of chunks already done: they come with their digest and without data.
    The dump is read from its first byte all the same: where a chunk begins depends on all pages
    before it (see `windows` for what can be read from anywhere). The first chunk is number `first`.

    `progress` gets the file, compressed bytes read, and their total (None where unknown) after
    every chunk.

    Raises DataError for a file that is no MediaWiki export or declares a DOCTYPE, and, after the
    chunks of all its whole pages, for one that is damaged or cut off.
    """
    index = first
    for path in paths:
        with open_dump(path, threads=threads) as stream:
            for group in grouped(PageScanner(stream).items(), target_bytes):
                yield group.chunk(index, str(path), bare=index in skip)
                index += 1
                if progress is not None:
                    progress(path, stream.position(), stream.total)


class ChunkPages:
    """The pages of a chunk while they are gathered."""

    def __init__(self, site: SiteInfo) -> None:
        self.site = site
        self.pages: list[Bytes] = []
        self.oversized: list[str] = []
        self.size = 0

    @property
    def filled(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.pages or self.oversized)

    def add(self, page: Bytes) -> None:
        """Takes the XML of a page."""
        self.pages.append(page)
        self.size += len(page) + 1

    def chunk(self, index: int, path: str, *, bare: bool = False) -> Chunk:
        """The chunk of what was gathered, `bare` of its data."""
        chunk = chunk_of(index, path, self.site, self.pages, oversized=tuple(self.oversized))
        return replace(chunk, data=b"") if bare else chunk


def chunk_of(
    index: int,
    path: str,
    site: SiteInfo,
    pages: Sequence[Bytes],
    *,
    oversized: tuple[str, ...] = (),
) -> Chunk:
    """A chunk of the XML of these pages."""
    starts, offset = [], 0
    for page in pages:
        starts.append(offset)
        offset += len(page) + 1
    data = b"\n".join(pages)
    return Chunk(
        index=index,
        path=path,
        site=site,
        data=data,
        starts=tuple(starts),
        digest=f"{crc32(data):08x}-{len(data):x}",
        oversized=oversized,
    )


def grouped(items: Iterable[SiteInfo | Bytes | Oversized], target: int) -> Iterator[ChunkPages]:
    """Gathers what a scanner finds to chunks of `target` bytes.

    The scanner's error comes after the chunk of what preceded it.
    """
    group: ChunkPages | None = None
    try:
        for item in items:
            if isinstance(item, SiteInfo):
                if group is not None and group.filled:
                    yield group
                group = ChunkPages(item)
                continue
            assert group is not None, "a scanner names the site before its first page"
            if isinstance(item, Oversized):
                group.oversized.append(item.title)
            else:
                group.add(item)
            if group.size >= target:
                yield group
                group = ChunkPages(group.site)
    except DataError:
        if group is not None and group.filled:
            yield group
        raise
    if group is not None and group.filled:
        yield group
