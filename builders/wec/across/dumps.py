"""The dumps of several Wikipedias as one input, and the stages of each for its own pages."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from corefmill.builders.run.stages import Context, Progress, Setup, Stage, Unit, chained
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.windows import DumpWindow
from corefmill.corpora.errors import DataError


@dataclass(frozen=True, slots=True)
class WikiChunk:
    """Some pages of the Wikipedia in `lang`, perhaps yet to be read."""

    lang: str
    chunk: Chunk | DumpWindow


class DumpsInTurn:
    """Units of `WikiChunk`: the dumps of several languages, one after the other.

    `besides` are files that the corpus depends on as it does on the dumps.
    """

    shard_size = DumpSource.shard_size

    def __init__(self, dumps: Mapping[str, DumpSource], besides: Sequence[Path] = ()) -> None:
        self._dumps = dumps
        own = (path for dump in dumps.values() for path in dump.paths)
        self.paths = [*own, *besides]

    @property
    def most_workers(self) -> int:
        """As many as the dumps together are worth."""
        return 1 + sum(dump.most_workers - 1 for dump in self._dumps.values())

    def progress(self) -> Progress | None:
        """Compressed bytes of all dumps together."""
        found = [dump.progress() for dump in self._dumps.values()]
        known = [one for one in found if one is not None]
        totals = [one.total for one in known]
        total = None if None in totals else sum(cast(list[int], totals))
        return Progress(sum(one.done for one in known), total, "B")

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """All chunks; raises what the dumps do.

        A dump that breaks off does not keep the others from being read: the first that did is
        raised at the end.
        """
        number = 0
        broke_off: DataError | None = None
        for lang, dump in self._dumps.items():
            before = number
            try:
                for unit in dump.units(_Behind(skip, before)):
                    number = before + unit.index + 1
                    payload = unit.payload and WikiChunk(lang, unit.payload)
                    yield replace(unit, index=number - 1, payload=payload)
            except DataError as error:
                broke_off = broke_off or error
        if broke_off is not None:
            raise broke_off


@dataclass(frozen=True, slots=True)
class _Behind(Container[int]):
    """What `skip` says of units, for a dump whose first has the number `first`."""

    skip: Container[int]
    first: int

    def __contains__(self, unit: object) -> bool:
        return cast(int, unit) + self.first in self.skip


@dataclass
class StagesByLanguage:
    """The stage that sends each language's pages through its own stages.

    It holds those of one language at a time: dumps come one after the other, and a worker needs
    memory for one pipeline, however many languages there are.
    """

    setups: Mapping[str, Setup]
    _now: tuple[str, Sequence[Stage]] = field(default=("", ()), init=False, repr=False)

    def __call__(self, payloads: Iterator[WikiChunk], context: Context) -> Iterator[Any]:
        for payload in payloads:
            if payload.lang != self._now[0]:
                self._now = ("", ())  # before the next is loaded
                self._now = (payload.lang, self.setups[payload.lang]())
            yield from chained(self._now[1], payload.chunk, context)


def setup(setups: Mapping[str, Setup]) -> Sequence[Stage]:
    """The stages for one worker process; loads no pipeline yet."""
    return [StagesByLanguage(setups)]
