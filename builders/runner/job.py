"""What is to be built, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from corefmill.builders.runner import clock
from corefmill.builders.runner.fingerprint import Fingerprint, describe_inputs
from corefmill.builders.runner.shards import (
    REJECTS,
    Receipt,
    clock_path,
    read_shard,
    shard_path,
)
from corefmill.builders.runner.stages import Setup, Source
from corefmill.builders.runner.workers import Plan
from corefmill.corpora import manifest
from corefmill.corpora.errors import DataError
from corefmill.corpora.ownership import private

CONTENTS = "sha256"
"""The key of a manifest's build record for the sums over its whole inputs."""

# Raised by one whenever the same shards would be written in another way.
_FORMAT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A build, whole: where records come from, what is done to them, where they go.

    `options` (anything JSON can hold), `code` (see `code_version`) and `seed` decide the bytes, as
    do the source's files and shard size; all of them enter the fingerprint. `channels` are the
    names under which the last stage yields records. `files` are all that may be written into
    `out_dir` of the records, relative to it; unfinished work lies in its `.corefmill`.
    """

    name: str
    source: Source
    setup: Setup
    out_dir: Path
    channels: tuple[str, ...]
    options: Mapping[str, Any]
    code: Mapping[str, str]
    seed: int = 0
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for channel in self.channels:
            if not channel.isidentifier() or channel == REJECTS:
                raise ValueError(f"{channel!r} cannot name a channel")

    @property
    def work_dir(self) -> Path:
        """The folder with one folder of shards per fingerprint."""
        return private(self.out_dir) / "work"

    def fingerprint(self, *, keep_rejects: bool = False) -> Fingerprint:
        """What this build is. Raises DataError if an input file cannot be read."""
        return Fingerprint.of(
            {
                "builder": self.name,
                "format": _FORMAT,
                "options": self.options,
                "code": self.code,
                "inputs": describe_inputs(self.source.paths),
                "shard_size": self.source.shard_size,
                "channels": self.channels,
                "seed": self.seed,
                "keep_rejects": keep_rejects,
            }
        )

    def plan(self, folder: Path, *, keep_rejects: bool) -> Plan:
        """What the workers must know of this job."""
        return Plan(self.setup, folder, self.channels, self.seed, keep_rejects)


@dataclass(frozen=True, slots=True)
class Limit:
    """Stop after the first units that together hold `records` records of `channel`."""

    channel: str
    records: int


@dataclass(frozen=True, slots=True)
class RunResult:
    """The finished units of a build, from the first without gaps, to be read as often as need be.

    `source_error` is what the input broke off with, if it did; all whole units are here then.
    `sources` are the files of the input.
    """

    folder: Path
    fingerprint: Fingerprint
    receipts: tuple[Receipt, ...]
    limit: Limit | None = None
    source_error: DataError | None = None
    sources: tuple[Path, ...] = ()

    def records(self, channel: str) -> Iterator[dict[str, Any]]:
        """The records of a channel in the order of the input, one file open at a time."""
        for path in self.files(channel):
            yield from read_shard(path)

    def files(self, channel: str) -> Iterator[Path]:
        """The JSON Lines files of a channel in the order of the input, for DuckDB for instance.

        Raises ValueError for a channel that the job does not have. "rejects" holds the rejected
        records as {"reason", "record"} if they were kept.
        """
        channels = [*self.fingerprint.parts["channels"], REJECTS]
        if channel not in channels:
            raise ValueError(f"no channel {channel!r}; there are {', '.join(channels)}")
        for receipt in self.receipts:
            if channel in receipt.files:
                yield shard_path(self.folder, receipt.unit, channel)

    @property
    def written(self) -> Counter[str]:
        """Records by channel."""
        return _total(
            {channel: file.records for channel, file in receipt.files.items()}
            for receipt in self.receipts
        )

    @property
    def counts(self) -> Counter[str]:
        """The stages' own counters, summed over all units."""
        return _total(receipt.counts for receipt in self.receipts)

    @property
    def rejects(self) -> Counter[str]:
        """Rejected records by reason, those of the source included."""
        return _total(receipt.rejects for receipt in self.receipts)

    @property
    def clock(self) -> clock.Clock:
        """What the stages took, summed over all units, whichever run did them."""
        total = clock.Clock()
        for receipt in self.receipts:
            total.add(clock.read(clock_path(self.folder, receipt.unit)))
        return total

    def build_record(self) -> dict[str, Any]:
        """What the builder writes into manifest.json under `fingerprint.BUILD_KEY`, so that a
        later run into the same folder can tell what it would replace."""
        return {
            "fingerprint": self.fingerprint.digest,
            "parts": self.fingerprint.parts,
            "limit": self.limit and self.limit.records,
            "units": len(self.receipts),
            "truncated": self.source_error and str(self.source_error),
            # With a limit what lies behind it was never looked at.
            CONTENTS: None if self.limit else contents(self.sources),
        }


def contents(paths: Iterable[Path]) -> list[str]:
    """The SHA-256 of whole input files, each read once a process."""
    return [_sum(path, (stat := path.stat()).st_size, stat.st_ctime_ns) for path in paths]


@lru_cache(maxsize=1 << 16)
def _sum(path: Path, size: int, changed: int) -> str:
    return manifest.sha256(path)


def _total(parts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total
