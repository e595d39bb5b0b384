"""What the stages of a build cost: how much each was given, and the seconds it took.

The runner times each stage between its generator and the next one's; see `Clock.each`. Figures
differ from run to run and decide nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

from corefmill.corpora.atomic import write_whole

T = TypeVar("T")

FILE = "seconds.json"
"""The figures of a finished corpus. Its manifest holds no sum of it: it differs from run to run."""


@dataclass(slots=True)
class Spent:
    """What a stage was given (`items`) and took: `seconds` of wall-clock time, and seconds of the
    `processor` in this process alone (a translator's own programs are others)."""

    items: int = 0
    seconds: float = 0.0
    processor: float = 0.0

    def add(self, other: Spent) -> None:
        """Adds another's."""
        self.items += other.items
        self.seconds += other.seconds
        self.processor += other.processor


class Clock:
    """Times stages; one within another stops the outer one, so that no second counts twice."""

    __slots__ = ("_open", "_processor", "_wall", "spent")

    def __init__(self) -> None:
        self.spent: dict[str, Spent] = {}
        self._open = [Spent()]  # the innermost last; the first takes what is outside of all
        self._wall = self._processor = 0.0

    def given(self, name: str, items: int) -> Spent:
        """Counts `items` as given to the stage, and returns what it has spent so far."""
        spent = self.spent.setdefault(name, Spent())
        spent.items += items
        return spent

    @contextmanager
    def stage(self, name: str, items: int = 0) -> Iterator[None]:
        """Counts the block as `name`'s. A generator must not yield inside one: see `each`."""
        spent = self.given(name, items)
        self._turn()
        self._open.append(spent)
        try:
            yield
        finally:
            self._turn()
            self._open.pop()

    def each(self, name: str, items: Iterable[T], taker: str) -> Iterator[T]:
        """Passes items on; making each is `name`'s work, and it is counted as given to `taker`.

        Costs about 2 us an item.
        """
        spent = self.given(name, 0)
        taken = self.given(taker, 0)
        iterator = iter(items)
        while True:
            self._turn()
            self._open.append(spent)
            try:
                item = next(iterator)
            except StopIteration:
                return
            finally:
                self._turn()
                self._open.pop()
            taken.items += 1
            yield item

    def add(self, spent: Mapping[str, Spent]) -> None:
        """Adds what was spent elsewhere."""
        for name, own in spent.items():
            self.spent.setdefault(name, Spent()).add(own)

    def _turn(self) -> None:
        wall, processor = perf_counter(), process_time()
        spent = self._open[-1]
        spent.seconds += wall - self._wall
        spent.processor += processor - self._processor
        self._wall, self._processor = wall, processor


def shown(spent: Mapping[str, Spent]) -> Iterator[str]:
    """A table for the eye, a line a stage."""
    wide = max(map(len, spent), default=0)
    yield f"{'':{wide}} {'given':>9} {'seconds':>9} {'processor':>9} {'a second':>9}"
    for name, own in spent.items():
        rate = f"{own.items / own.seconds:,.0f}" if own.items and own.seconds else "-"
        line = f"{name:{wide}} {own.items:9,} {own.seconds:9.1f} {own.processor:9.1f} {rate:>9}"
        yield line


def write(path: Path, spent: Mapping[str, Spent]) -> None:
    """Writes what `read` reads."""
    write_whole(path, dumps(spent) + "\n")


def dumps(spent: Mapping[str, Spent]) -> str:
    """As JSON, in the order of the stages, to milliseconds."""
    return json.dumps(
        {
            name: {key: round(value, 3) for key, value in asdict(own).items()}
            for name, own in spent.items()
        },
        indent=1,
    )


def read(path: Path) -> dict[str, Spent]:
    """What `dumps` wrote; nothing where a kill left no file, or no whole one."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return {name: Spent(**own) for name, own in raw.items()}
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        return {}
