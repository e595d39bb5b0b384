"""A dump read again for some of its pages alone, which a list names by unit and number."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.builders.runner.shards import write_whole
from corefmill.builders.runner.stages import Progress, Unit
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.chunks import Chunk, chunk_of
from corefmill.corpora.errors import DataError

KIB = 1 << 10


def write(path: Path, pages: Iterable[tuple[int, Sequence[int]]], digests: Sequence[str]) -> int:
    """Write the list that `NeededSource` reads, whole or not at all; returns how many pages.

    `pages` are units of the dump, rising, and the numbers of pages in them, rising; `digests` are
    those of all units.
    """
    total = 0
    lines = []
    for unit, numbers in pages:
        total += len(numbers)
        line = {"unit": unit, "digest": digests[unit], "pages": list(numbers)}
        lines.append(json.dumps(line) + "\n")
    write_whole(path, "".join(lines))
    return total


@dataclass(frozen=True, slots=True)
class _Wanted(Container[int]):
    """What need not be handed over: the units without a page of the list."""

    units: Mapping[int, Sequence[int]]

    def __contains__(self, unit: object) -> bool:
        return unit not in self.units


class NeededSource:
    """The pages of a list, gathered into chunks of 512 KiB; it must have been written by then.

    The dump is decompressed and cut as in the first pass, and all but these pages dropped at once.
    """

    shard_size = 512 * KIB

    def __init__(self, dump: DumpSource, needed: Path) -> None:
        self._dump = dump
        self._needed = needed
        self.paths = dump.paths

    def progress(self) -> Progress | None:
        """That of the dump."""
        return self._dump.progress()

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """Units of chunks; raises DataError as the dump does, and where it is not what it was."""
        for index, (like, pages) in enumerate(self._groups()):
            chunk = chunk_of(index, like.path, like.site, pages)
            yield Unit(index, None if index in skip else chunk, chunk.digest)

    def _groups(self) -> Iterator[tuple[Chunk, list[bytes]]]:
        """Pages that go together, and a chunk of the file that they are from."""
        like: Chunk | None = None
        pages: list[bytes] = []
        size = 0
        fault: DataError | None = None
        try:
            for chunk, numbers in self._chunks():
                if like is not None and pages and chunk.path != like.path:
                    yield like, pages
                    pages, size = [], 0
                like = chunk
                for number in numbers:
                    page = chunk.page(number)
                    pages.append(page)
                    size += len(page)
                    if size >= self.shard_size:
                        yield like, pages
                        pages, size = [], 0
        except DataError as error:
            fault = error
        if like is not None and pages:
            yield like, pages
        if fault is not None:
            raise fault

    def _chunks(self) -> Iterator[tuple[Chunk, Sequence[int]]]:
        """The units of the dump in which there is something, with the numbers of its pages."""
        with self._needed.open(encoding="utf-8") as lines:
            wanted = {record["unit"]: record for record in map(json.loads, lines)}
        if not wanted:
            return
        last = max(wanted)
        for unit in self._dump.units(skip=_Wanted(wanted)):
            if unit.index in wanted:
                record = wanted[unit.index]
                if unit.digest != record["digest"]:
                    raise DataError(
                        "is not what it was when it was read first",
                        path=unit.payload.path,
                        remedy="--overwrite starts anew",
                    )
                yield unit.payload, record["pages"]
            if unit.index == last:
                return
