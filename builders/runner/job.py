"""A build before and after it runs: its description (`Job`) and its records (`RunResult`).

Builders make a Job, `run.run` or a cluster does it, and the assembly of the corpus reads the
RunResult.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
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
from corefmill.builders.runner.stages import Setup, UnitSource
from corefmill.builders.runner.workers import Plan
from corefmill.corpora import manifest
from corefmill.corpora.errors import DataError
from corefmill.corpora.ownership import private
from corefmill.corpora.remote_file import Place, RemoteFile

CONTENTS = "sha256"
"""The key of a manifest's build record for the sums over its whole inputs."""

# Raised by one whenever the same shards would be written in another way.
_FORMAT = 3


@dataclass(frozen=True, slots=True)
class Limit:
    """Stop after the first units that together hold `records` records of `channel`."""

    channel: str
    records: int


@dataclass(frozen=True, kw_only=True)
class Job:
    """A build, whole: where records come from, what is done to them, where they go.

    `options` (anything JSON can hold), `code` (see `code.code_of`) and `seed` decide the bytes, as
    do the source's files and shard size; all of them enter the fingerprint, and so does
    `keep_rejects`, by which rejected records are written too. `limit` does not: a corpus may grow.
    `channels` are the names under which the last stage yields records. `files` are all that may be
    written into `out_dir` of the records, relative to it; unfinished work lies in its `.corefmill`.
    """

    name: str
    source: UnitSource
    setup: Setup
    out_dir: Path
    channels: tuple[str, ...]
    options: Mapping[str, Any]
    code: Mapping[str, str]
    seed: int = 0
    limit: Limit | None = None
    keep_rejects: bool = False
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit.channel not in self.channels:
            known = ", ".join(self.channels)
            raise ValueError(f"no channel {self.limit.channel!r}; there are {known}")
        for channel in self.channels:
            if not channel.isidentifier() or channel == REJECTS:
                raise ValueError(f"{channel!r} cannot name a channel")

    @property
    def most_records(self) -> int | None:
        """The records to stop at, None where there is no limit."""
        return None if self.limit is None else self.limit.records

    @property
    def work_dir(self) -> Path:
        """The folder with one folder of shards per fingerprint."""
        return private(self.out_dir) / "work"

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """What this build is, taken once: it reads samples of all inputs.

        A copy by `dataclasses.replace` takes its own. Raises DataError if an input file cannot be
        read.
        """
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
                "keep_rejects": self.keep_rejects,
            }
        )

    def plan(self, folder: Path) -> Plan:
        """What the workers must know of this job."""
        return Plan(self.setup, folder, self.channels, self.seed, self.keep_rejects)


def _is_here(folder: Path, receipt: Receipt, channel: str | None) -> None:
    pass


@dataclass(frozen=True, slots=True)
class RunResult:
    """The finished units of a build, from the first without gaps, to be read as often as need be.

    `source_error` is what of the input could not be read, if anything; all else is here then.
    `fetch` is called before a file of a unit is read: the shard of a channel, or, for None, what
    its stages took.
    """

    job: Job
    folder: Path
    receipts: tuple[Receipt, ...]
    source_error: DataError | None = None
    fetch: Callable[[Path, Receipt, str | None], None] = _is_here

    def records(self, channel: str) -> Iterator[dict[str, Any]]:
        """The records of a channel in the order of the input, one file open at a time."""
        for path in self.files(channel):
            yield from read_shard(path)

    def files(self, channel: str) -> Iterator[Path]:
        """The JSON Lines files of a channel in the order of the input, for DuckDB for instance.

        Raises ValueError for a channel that the job does not have. "rejects" holds the rejected
        records as {"reason", "record"} if they were kept.
        """
        channels = [*self.job.channels, REJECTS]
        if channel not in channels:
            raise ValueError(f"no channel {channel!r}; there are {', '.join(channels)}")
        for receipt in self.receipts:
            if channel in receipt.files:
                self.fetch(self.folder, receipt, channel)
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
    def broke_off(self) -> str | None:
        """What the input broke off with, without the folders of the file, for whoever reads it."""
        error = self.source_error
        if error is None:
            return None
        name = error.path and Path(error.path).name
        return str(DataError(error.message, path=name, line=error.line, remedy=error.remedy))

    @property
    def clock(self) -> clock.Clock:
        """What the stages took, summed over all units, whichever run did them."""
        total = clock.Clock()
        for receipt in self.receipts:
            self.fetch(self.folder, receipt, None)
            total.add(clock.read(clock_path(self.folder, receipt.unit)))
        return total

    def build_record(self) -> dict[str, Any]:
        """What the builder writes into manifest.json under `build`, by which a
        later run into the same folder knows what it would replace."""
        return {
            "fingerprint": self.job.fingerprint.digest,
            "parts": self.job.fingerprint.parts,
            "limit": self.job.most_records,
            "units": len(self.receipts),
            "truncated": self.broke_off,
            # With a limit what lies behind it was never looked at.
            CONTENTS: None if self.job.limit else contents(self.job.source.paths),
        }


def contents(paths: Iterable[Place]) -> list[str]:
    """The SHA-256 of whole input files, each read once a process; of remote ones their state."""
    return [
        path.state
        if isinstance(path, RemoteFile)
        else _sum(path, (stat := path.stat()).st_size, stat.st_ctime_ns)
        for path in paths
    ]


@lru_cache(maxsize=1 << 16)
def _sum(path: Path, size: int, changed: int) -> str:
    return manifest.sha256(path)


def _total(parts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total
