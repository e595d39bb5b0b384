"""What a builder hands to the runner: units of input, stages over records, and their context."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from corefmill.builders.runner.clock import Clock, Spent


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the input that one worker takes whole, for instance 8 MiB of a dump.

    `index` counts from 0 without gaps. `payload` must pickle, and is None where the caller said
    that it will not look. `digest` depends on the input alone and is always given, so that a
    resumed run can tell whether the input is still the same. `rejects` is what the source itself
    left out while it cut this unit, by reason; it belongs to the unit, not to the source, so that
    a run that stops early counts the same with any number of workers; `spent`, likewise, is what
    it cost.
    """

    index: int
    payload: Any
    digest: str
    rejects: Mapping[str, int] = field(default_factory=dict)
    spent: Mapping[str, Spent] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a source has been read: `done` of `total` (None if unknown), both in `unit`."""

    done: int
    total: int | None
    unit: str


class Source(Protocol):
    """Input cut into units, one after the other, in the process that runs the builder."""

    @property
    def paths(self) -> Sequence[Path]:
        """The files read; none for standard input."""

    @property
    def shard_size(self) -> int:
        """About how much goes into a unit, in the source's own measure; another cut is other
        work, so it enters the fingerprint."""

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """All units from the first; the payload is None for those whose index is in `skip`.

        Raises DataError where the input breaks off; every unit before that is still used.
        """

    def progress(self) -> Progress | None:
        """How far `units` has come, or None to have units counted instead."""


class Out(NamedTuple):
    """What the last stage yields: a record (anything JSON can hold) for one of the channels."""

    channel: str
    record: Mapping[str, Any]


def seeded(seed: int, *keys: str | int) -> random.Random:
    """A generator that depends on the seed and the keys alone (a record's id, a unit's index).

    Drawing from one generator across records would make a record depend on those before it, and
    so on where the input was cut.
    """
    text = json.dumps([seed, *keys])
    return random.Random(hashlib.blake2b(text.encode(), digest_size=16).digest())


class Context:
    """What a stage may say about one unit besides its records: rejects, other counts, and by
    `clock` what it took, which never decides anything."""

    __slots__ = ("_keep", "clock", "counts", "rejects", "seed", "unit")

    def __init__(
        self, unit: int, seed: int, keep: Callable[[Mapping[str, Any]], None] | None = None
    ) -> None:
        self.unit = unit
        self.seed = seed
        self.clock = Clock()
        self.counts: Counter[str] = Counter()
        self.rejects: Counter[str] = Counter()
        self._keep = keep

    def count(self, name: str, number: int = 1) -> None:
        """Add `number` to the counter `name`."""
        self.counts[name] += number

    def reject(self, reason: str, record: Any = None) -> None:
        """Count a record left out for `reason`; with --keep-rejects the record is written too.

        `record` is anything JSON can hold, or a dataclass of such; it costs nothing when unkept.
        """
        self.rejects[reason] += 1
        if self._keep is not None:
            self._keep({"reason": reason, "record": record})

    def rng(self) -> random.Random:
        """A generator for this unit; `seeded(context.seed, record.id)` gives one for a record."""
        return seeded(self.seed, self.unit)


# A stage keeps nothing between two calls: each call is one unit, in whichever process is free.
Stage: TypeAlias = Callable[[Iterator[Any], Context], Iterator[Any]]
# Called once in each worker process, so that a language pipeline is loaded once. It must pickle:
# a function of a module, or functools.partial of one.
Setup: TypeAlias = Callable[[], Sequence[Stage]]
