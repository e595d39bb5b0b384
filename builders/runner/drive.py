"""Leads the units of a source through a pool of workers, up to the end or to a limit."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from tqdm import tqdm

from corefmill.builders.runner.job import Job, Limit, RunResult
from corefmill.builders.runner.shards import End, Receipt
from corefmill.builders.runner.stages import Unit, UnitSource
from corefmill.builders.runner.workers import Pool
from corefmill.corpora.errors import DataError

T = TypeVar("T")

_NONE: Mapping[int, Receipt] = {}

_TICK = 2.0
"""Seconds between two looks at what the workers have read."""

_log = logging.getLogger(__name__)


def work_through(
    source: UnitSource,
    folder: Path,
    pool: Pool,
    known: Mapping[int, Receipt],
    *,
    owned: Callable[[int], bool] = lambda unit: True,
    finished: Callable[[int], Receipt | None] = lambda unit: None,
    read_again: bool = True,
    limit: Limit | None = None,
    bar: tqdm[Any] | None = None,
) -> tuple[Tally, End | None]:
    """Read the source from its start and do those units that are `owned` and not yet `known`.

    Whether a unit is owned is asked once, when it comes by: on a cluster that is when it is taken.
    `finished` gives the receipts of units that others did meanwhile. The end is None if the limit
    came first; otherwise it is also written beside the shards. Raises DataError if a known unit was
    made from other input; where that is told by reading it, it is read if `read_again`.
    """
    tally = Tally(limit)
    broke_off: list[DataError] = []
    seen = 0
    try:
        skip = _Skip(known, owned)
        units = source.units(skip)
        with _ticking(bar, pool), closing(until_broken(units, broke_off)) as whole:
            for seen, unit in enumerate(_in_order(whole), 1):
                _show(bar, source, seen)
                if not skip.passes(unit.index):
                    pool.submit(unit)
                elif unit.index in known:
                    if read_again or isinstance(unit.digest, str):
                        _compare(known[unit.index], unit, folder)
                    tally.add(known[unit.index])
                while pool.full and not tally.reached:
                    tally.add(pool.receive())
                if limit is not None:
                    tally.follow(finished)
                if tally.reached:
                    break
            while pool.in_flight and not tally.reached:
                tally.add(pool.receive())
    finally:
        pool.close()
    if tally.reached:
        return tally, None
    end = End(seen, mtimes(source), broke_off[0] if broke_off else None)
    end.write(folder)
    return tally, end


class Tally:
    """Receipts by unit, and how far they reach from the first without a gap.

    Only that prefix is ever a result: with several workers a later unit may be done before an
    earlier one, and a limit must not depend on which was faster.
    """

    def __init__(
        self, limit: Limit | None, receipts: Mapping[int, Receipt] = _NONE, units: int = 0
    ) -> None:
        """Begin with the receipts of the first `units` units."""
        self._limit = limit
        self._receipts: dict[int, Receipt] = {}
        self._prefix = 0
        self._records = 0
        for unit in range(units):
            self.add(receipts[unit])

    @property
    def reached(self) -> bool:
        """Whether the prefix holds as many records as were asked for."""
        return self._limit is not None and self._records >= self._limit.records

    @property
    def units(self) -> int:
        """How many units the prefix has."""
        return self._prefix

    def follow(self, finished: Callable[[int], Receipt | None]) -> None:
        """Take the receipts that follow on the prefix, as far as there are any."""
        while not self.reached and (receipt := finished(self._prefix)) is not None:
            self.add(receipt)

    def add(self, receipt: Receipt | None) -> None:
        """Take a receipt, in any order; None is no news."""
        if receipt is None:
            return
        self._receipts[receipt.unit] = receipt
        _log.info("unit %d is done", receipt.unit)
        while not self.reached and self._prefix in self._receipts:
            if self._limit is not None:
                file = self._receipts[self._prefix].files.get(self._limit.channel)
                self._records += 0 if file is None else file.records
            self._prefix += 1

    def result(self, job: Job, folder: Path, end: End | None) -> RunResult:
        """The prefix, and what of it could not be read, or what the source broke off with."""
        receipts = tuple(self._receipts[unit] for unit in range(self._prefix))
        damage = next((receipt.damage for receipt in receipts if receipt.damage), None)
        # With more workers the source is read further before the limit shows; what it broke off
        # with behind the limit is not part of this result.
        error = None if end is None or self.reached else end.error
        return RunResult(job, folder, receipts, damage or error)


def mtimes(source: UnitSource) -> tuple[int, ...]:
    """When the files of a source were last written, in nanoseconds."""
    return tuple(path.stat().st_mtime_ns for path in source.paths)


@dataclass(frozen=True, slots=True)
class _Skip(Container[int]):
    """The units whose payload nobody will look at.

    The answer to the source holds until the unit is here: what is somebody else's at the one moment
    may be nobody's at the next, but then its payload has been passed over.
    """

    known: Container[int]
    owned: Callable[[int], bool]
    _said: dict[int, bool] = field(default_factory=dict)

    def __contains__(self, unit: object) -> bool:
        number = cast(int, unit)
        if number not in self._said:
            self._said[number] = number in self.known or not self.owned(number)
        return self._said[number]

    def passes(self, unit: int) -> bool:
        """Whether the unit that the source has given now is none of ours."""
        passed = unit in self
        del self._said[unit]
        return passed


def until_broken(units: Iterator[T], broke_off: list[DataError]) -> Generator[T]:
    """The units, or pages, up to where the input breaks off; the error goes into the list.

    A generator of its own, so that an error from a stage is never taken for one of the source.
    """
    try:
        yield from units
    except DataError as error:
        broke_off.append(error)


def _in_order(units: Iterable[Unit]) -> Iterator[Unit]:
    """The units. Raises `ValueError` for one that does not follow on the last."""
    for number, unit in enumerate(units):
        if unit.index != number:
            raise ValueError(f"the source gave unit {unit.index} after {number - 1}")
        yield unit


def _compare(receipt: Receipt, unit: Unit, folder: Path) -> None:
    if receipt.input != unit.summed():
        raise DataError(
            f"the input changed since unit {unit.index} was done",
            path=folder,
            remedy="--overwrite starts anew, --out names another folder",
        )


@contextmanager
def _ticking(bar: tqdm[Any] | None, pool: Pool) -> Iterator[None]:
    """Says on the bar, while units take their time, how much was read of them."""
    if bar is None or bar.disable:
        yield
        return
    over = threading.Event()

    def tick() -> None:
        while not over.wait(_TICK):
            if time.time() > bar.start_t + (bar.delay or 0):
                bar.set_postfix_str(f"{pool.made:,} read")

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _show(bar: tqdm[Any] | None, source: UnitSource, seen: int) -> None:
    if bar is None or bar.disable:
        return
    state = source.progress()
    if state is None:
        bar.unit, done = " units", seen
    else:
        bar.unit, bar.total, done = state.unit, state.total, state.done
    bar.update(done - bar.n)
