"""Define the interface of builders and runner: units of input, stages over records, context.

A builder is a list of stages. A stage takes an iterator over the records of one unit, and yields
the records for the next stage. The first stage takes the unit's payload, the last one yields `Out`:

    def length(articles: Iterator[Article], context: Context) -> Iterator[Out]:
        for article in articles:
            yield Out("lengths", {"title": article.title, "paragraphs": len(article.paragraphs)})

A stage knows nothing of processes, shards or files. It passes rejected records to `context.reject`
with a reason, and records for other channels than the last stage's to `context.write`. It keeps no
state between two calls.

A unit too large for memory is a `SplitPayload`: all stages are called for each of its parts, one
after the other, so that a stage may hold all records of a part.
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

    `index` counts from 0 without gaps. `payload` goes to the first stage, possibly in another
    process, and so must pickle; None for a unit that is done already. `digest` depends on the input
    alone: a resumed run compares it with the recorded one, to notice a changed input. A source that
    makes units without reading gives a function for the digest, which must pickle. `rejects` counts
    the records that the source left out of this unit, by reason; counted by unit, they are the same
    with any number of workers.
    """

    index: int
    payload: Any
    digest: str | Callable[[], str]
    rejects: Mapping[str, int] = field(default_factory=dict)

    def compute_digest(self) -> str:
        """Return the digest; read the unit's input if the source has not."""
        return self.digest if isinstance(self.digest, str) else self.digest()


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress in reading a source: `done` of `total` (None if unknown), both in `unit`."""

    done: int
    total: int | None
    unit: str


class UnitSource(Protocol):
    """An input cut into units, one after the other, in the process that starts the workers."""

    @property
    def paths(self) -> Sequence[Place]:
        """The input files; none for standard input."""

    @property
    def shard_size(self) -> int:
        """The approximate size of a unit, in the source's own measure; part of the fingerprint,
        since other units make other shards."""

    @property
    def most_workers(self) -> int:
        """The largest useful number of processes: more would wait, or cost more than they save."""

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """Yield all units from the first; the payload of units in `skip` is not used.

        Raises DataError if the input breaks off; the units before that are still used.
        """

    def progress(self) -> Progress | None:
        """Return the progress of `units`, or None to show the number of units instead."""


UNANSWERED = "unanswered"
"""The counter of questions that a service left without an answer. A unit with such questions does
not count as done, so that the same command asks them again."""


class Out(NamedTuple):
    """An output of the last stage: a record (as JSON) for one of the channels."""

    channel: str
    record: Mapping[str, Any]


def make_random(seed: int, *keys: str | int) -> random.Random:
    """Make a random generator from the seed and the keys (a record's id, a unit's index).

    With one generator for all records, a draw would depend on the records before, and so on the cut
    of the input into units.
    """
    text = json.dumps([seed, *keys])
    return random.Random(hashlib.blake2b(text.encode(), digest_size=16).digest())


class Context:
    """Collects a stage's output on one unit besides the records for the next stage.

    These are rejects, counts, records for other channels (`outs`), and the error of an unreadable
    part of the unit (`damage`).
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

    def report_damage(self, error: DataError) -> None:
        """Report an unreadable part of the unit; of several errors the first is kept."""
        self.damage = self.damage or error

    def count(self, name: str, number: int = 1) -> None:
        """Add `number` to the counter `name`."""
        self.counts[name] += number

    def reject(self, reason: str, record: Any = None) -> None:
        """Count a record left out for `reason`; with --keep-rejects the record is written too.

        `record` is JSON or a dataclass of JSON values; it is converted only if written.
        """
        self.rejects[reason] += 1
        if self._keep is not None:
            self._keep({"reason": reason, "record": record})


class SplitPayload(ABC):
    """A payload of a large unit, passed to the stages in parts."""

    __slots__ = ()

    @abstractmethod
    def parts(self, context: Context) -> Iterator[Any]:
        """Yield the payloads of the parts; errors in the input are reported to the context."""


def split_payload(payload: Any, context: Context) -> Iterator[Any]:
    """Yield the payloads for the first stage: the parts of a `SplitPayload`, or the one payload."""
    return payload.parts(context) if isinstance(payload, SplitPayload) else iter((payload,))


# Called once for each unit or part of a unit, in any process. The types of the records are in the
# stage's own signature.
Stage: TypeAlias = Callable[[Iterator[Any], Context], Iterator[Any]]
# Called once in each worker process, to load a language pipeline once. It must pickle:
# a function of a module, or functools.partial of one.
Setup: TypeAlias = Callable[[], Sequence[Stage]]


def run_stages(stages: Sequence[Stage], payload: Any, context: Context) -> Iterator[Any]:
    """Pass a payload, part by part, through all stages; yield the records of the last one."""
    for part in split_payload(payload, context):
        records: Iterator[Any] = iter((part,))
        for stage in stages:
            records = stage(records, context)
        yield from records


K = TypeVar("K", int, str)
V = TypeVar("V")


class HashSample(Generic[K, V]):
    """A random sample in one pass and constant memory, the same for any order of the values.

    The sample holds the `size` keys with the lowest hashes so far, each with the first value
    offered for the key.

    draws = HashSample[str, Example](12)
    for example in examples:
        draws.offer(make_random(seed, "sample", example.id).random(), example.id, example)
    samples = list(draws.values())
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[K, V] = {}
        self._heap: list[tuple[float, K]] = []
        """Negated hashes: the highest hash is on top and is removed first."""

    def offer(self, hashed: float, key: K, value: V) -> V | None:
        """Add a value to the sample; return the sampled value of the key, None for a high hash.

        A key always comes with the same hash. Of equal hashes the higher key counts as lower.
        """
        if key not in self._values:
            self._values[key] = value
            heapq.heappush(self._heap, (-hashed, key))
            if len(self._heap) > self._size:
                del self._values[heapq.heappop(self._heap)[1]]
        return self._values.get(key)

    def values(self) -> Iterator[V]:
        """Yield the sampled values, the lowest hash first."""
        return (self._values[key] for _, key in sorted(self._heap, reverse=True))
