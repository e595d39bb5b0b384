"""Interface of builders and runner: units of input, stages over records, and their context.

A builder is a list of stages. Each takes the records of one unit, one after the other, and yields
those of the next stage; the first is given the unit's payload, the last yields `Out`:

    def length(articles: Iterator[Article], context: Context) -> Iterator[Out]:
        for article in articles:
            yield Out("lengths", {"title": article.title, "paragraphs": len(article.paragraphs)})

It knows nothing of processes, shards or files. What it leaves out it gives to `context.reject`
with a reason, what is for another channel than the last stage's to `context.write`. It keeps
nothing between two calls.

A unit that is too large to be held at once is `SplitPayload`: all stages are called for each of its
parts, one after the other, so that a stage may hold what it is given.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.remote import Place


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the input for one worker, for instance 2 MiB of a dump.

    `index` counts from 0 without gaps. `payload` is what the first stage gets; it must pickle,
    since it goes to another process, and may be None for a unit that is done already. `digest`
    depends on the input alone: a resumed run compares it with the one recorded, to see that the
    input is still the same. A source that cuts without reading gives what computes it, which must
    pickle. `rejects` is what the source itself left out while it cut this
    unit, by reason; it belongs to the unit, not to the source, so that a run that stops early
    counts the same with any number of workers.
    """

    index: int
    payload: Any
    digest: str | Callable[[], str]
    rejects: Mapping[str, int] = field(default_factory=dict)

    def summed(self) -> str:
        """The digest, computed now where that takes reading the input."""
        return self.digest if isinstance(self.digest, str) else self.digest()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a source has been read: `done` of `total` (None if unknown), both in `unit`."""

    done: int
    total: int | None
    unit: str


class UnitSource(Protocol):
    """Input cut into units, one after the other, in the process that starts the workers."""

    @property
    def paths(self) -> Sequence[Place]:
        """The files read; none for standard input."""

    @property
    def shard_size(self) -> int:
        """About how much goes into a unit, in the source's own measure; another cut is other
        work, so it enters the fingerprint."""

    @property
    def most_workers(self) -> int:
        """More processes than so many would wait, or take longer to start than they save."""

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """All units from the first; nobody looks at the payload of those in `skip`.

        Raises DataError where the input breaks off; every unit before that is still used.
        """

    def progress(self) -> Progress | None:
        """How far `units` has come, or None to have units counted instead."""


class Out(NamedTuple):
    """Output of the last stage: a record (anything JSON can hold) for one of the channels."""

    channel: str
    record: Mapping[str, Any]


def seeded(seed: int, *keys: str | int) -> random.Random:
    """Make a random generator from the seed and the keys (a record's id, a unit's index).

    Drawing from one generator across records would make a record depend on those before it, and
    so on where the input was cut.
    """
    text = json.dumps([seed, *keys])
    return random.Random(hashlib.blake2b(text.encode(), digest_size=16).digest())


class Context:
    """A stage's output about one unit besides its records.

    That is, rejects, other counts, records for channels of their own (`outs`, which the runner
    takes), and what of it cannot be read (`damage`).
    """

    __slots__ = ("_keep", "counts", "damage", "outs", "rejects", "seed", "unit")

    def __init__(
        self, unit: int, seed: int, keep: Callable[[Mapping[str, Any]], None] | None = None
    ) -> None:
        self.unit = unit
        self.seed = seed
        self.counts: Counter[str] = Counter()
        self.rejects: Counter[str] = Counter()
        self.outs: list[Out] = []
        self.damage: DataError | None = None
        self._keep = keep

    def write(self, channel: str, record: Mapping[str, Any]) -> None:
        """Write a record to a channel, past the later stages."""
        self.outs.append(Out(channel, record))

    def damaged(self, error: DataError) -> None:
        """Report an unreadable part of the unit; of several places the first is told."""
        self.damage = self.damage or error

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


class SplitPayload(ABC):
    """A payload given to the stages in parts."""

    __slots__ = ()

    @abstractmethod
    def parts(self, context: Context) -> Iterator[Any]:
        """The payloads in its place, which do not depend on how many units there are; what is
        wrong with them the context is told."""


def parts(payload: Any, context: Context) -> Iterator[Any]:
    """Iterate over the payloads for the first stage, one at a call."""
    return payload.parts(context) if isinstance(payload, SplitPayload) else iter((payload,))


# Each call is one unit or a part of one, in whichever process is free. The types of the records
# stand in a stage's own signature: a list of stages has as many as it is long.
Stage: TypeAlias = Callable[[Iterator[Any], Context], Iterator[Any]]
# Called once in each worker process, so that a language pipeline is loaded once. It must pickle:
# a function of a module, or functools.partial of one.
Setup: TypeAlias = Callable[[], Sequence[Stage]]


def chained(stages: Sequence[Stage], payload: Any, context: Context) -> Iterator[Any]:
    """Send a payload, part by part, through all stages."""
    for part in parts(payload, context):
        records: Iterator[Any] = iter((part,))
        for stage in stages:
            records = stage(records, context)
        yield from records


K = TypeVar("K", int, str)
V = TypeVar("V")


class HashSample(Generic[K, V]):
    """A random sample in one pass and flat memory, whatever order and number the values come in.

    It holds the `size` keys with the lowest hashes so far, each with the value first offered with
    it, so that the same corpus gives the same sample however its input was cut or sorted.

    draws = HashSample[str, Example](12)
    for example in examples:
        draws.offer(seeded(seed, "sample", example.id).random(), example.id, example)
    samples = list(draws.values())
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[K, V] = {}
        self._heap: list[tuple[float, K]] = []
        """Hashes negated: the highest is on top and leaves first."""

    def offer(self, hashed: float, key: K, value: V) -> V | None:
        """Return the sampled value of the key, None where its hash is too high.

        A key must always come with the same hash. Of equal hashes the higher key counts as lower.
        """
        if key not in self._values:
            self._values[key] = value
            heapq.heappush(self._heap, (-hashed, key))
            if len(self._heap) > self._size:
                del self._values[heapq.heappop(self._heap)[1]]
        return self._values.get(key)

    def values(self) -> Iterator[V]:
        """The sample, the lowest hash first."""
        return (self._values[key] for _, key in sorted(self._heap, reverse=True))
