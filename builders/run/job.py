"""Describe a build (`Job`), identify it (`Fingerprint`), and read its records (`RunResult`).

Builders make a Job, `run.run` runs it, and the assembly of the corpus reads the RunResult. Builds
are the same if their fingerprints are equal: options, inputs, seed and version of corefmill.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from corefmill.builders.run.shards import Receipt, read_shard, shard_path
from corefmill.builders.run.stages import Setup, UnitSource
from corefmill.corpora import manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.ownership import private
from corefmill.corpora.files.remote import Place, RemoteFile, read_ranges
from corefmill.corpora.files.writing import write_whole

CONTENTS = "sha256"
"""Key of a manifest's build record: checksums of the whole inputs."""

PARTS = "fingerprint.json"
# Add one whenever the format of shards changes.
_FORMAT = 3
_END_BYTES = 1 << 20
_BLOCKS, _BLOCK_BYTES = 128, 1 << 14
_NAMED = 3
"""Most entries of a list named in a difference."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit: stop after the first units with `records` records of `channel` together."""

    channel: str
    records: int


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The settings and inputs of a build with influence on its bytes, as JSON, and a digest."""

    parts: Mapping[str, Any]
    digest: str

    @classmethod
    def compute(cls, parts: Mapping[str, Any]) -> Fingerprint:
        """Compute the fingerprint of a build's parts; TypeError for a part other than JSON."""
        canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
        digest = hashlib.blake2b(canonical.encode(), digest_size=8).hexdigest()
        return cls(json.loads(canonical), digest)

    def write(self, folder: Path) -> None:
        """Write the parts to the work folder, to name the differences to another build later."""
        write_whole(folder / PARTS, json.dumps(self.parts, indent=1, sort_keys=True))


@dataclass(frozen=True, kw_only=True)
class Job:
    """The description of a build: source of the records, stages (`setup`), and output folder.

    `options` (as JSON), `seed`, the source's files and shard size, the version of corefmill and
    `keep_rejects` (write rejected records too) make the fingerprint. `limit` does not: a corpus may
    grow. `channels` are the channels of the last stage. `files` are the names of all files of the
    corpus, relative to `out_dir`; unfinished work is in the folder `.corefmill` there.
    """

    name: str
    source: UnitSource
    setup: Setup
    out_dir: Path
    channels: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int = 0
    limit: Limit | None = None
    keep_rejects: bool = False
    files: tuple[str, ...] = ()

    @property
    def most_records(self) -> int | None:
        """The number of records to stop at, None for no limit."""
        return None if self.limit is None else self.limit.records

    @property
    def work_dir(self) -> Path:
        """The folder of unfinished work, with a folder of shards for each fingerprint."""
        return private(self.out_dir) / "work"

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """The build's identity, computed once from the settings and samples of all input files.

        Raises DataError if an input file cannot be read.
        """
        return Fingerprint.compute(
            {
                "builder": self.name,
                "format": _FORMAT,
                "options": self.options,
                "code": disk.code_version("builders", "corpora", "rules"),
                "inputs": describe_inputs(self.source.paths),
                "shard_size": self.source.shard_size,
                "channels": self.channels,
                "seed": self.seed,
                "keep_rejects": self.keep_rejects,
            }
        )


def passes_folder(out_dir: Path) -> Path:
    """Return the folder for the passes before the build of a corpus."""
    return private(out_dir) / "passes"


@dataclass(frozen=True, slots=True)
class RunResult:
    """The records of a build's finished units, from the first without gaps, in order.

    `source_error` is the error of a part of the input that could not be read; other parts are here.
    """

    job: Job
    folder: Path
    receipts: tuple[Receipt, ...]
    source_error: DataError | None = None

    def records(self, channel: str) -> Iterator[dict[str, Any]]:
        """Read the records of a channel in the order of the input, one file open at a time."""
        for path in self.files(channel):
            yield from read_shard(path)

    def files(self, channel: str) -> Iterator[Path]:
        """Yield the JSON Lines files of a channel in the order of the input.

        The channel "rejects" has the rejected records as {"reason", "record"} if they were kept.
        """
        for receipt in self.receipts:
            if channel in receipt.files:
                yield shard_path(self.folder, receipt.unit, channel)

    @property
    def written(self) -> Counter[str]:
        """Numbers of records by channel."""
        return _add_counts(
            {channel: file.records for channel, file in receipt.files.items()}
            for receipt in self.receipts
        )

    @property
    def counts(self) -> Counter[str]:
        """The stages' counters, summed over all units."""
        return _add_counts(receipt.counts for receipt in self.receipts)

    @property
    def rejects(self) -> Counter[str]:
        """Numbers of rejected records by reason, those of the source included."""
        return _add_counts(receipt.rejects for receipt in self.receipts)

    @property
    def broke_off(self) -> str | None:
        """The message for a broken input, without the file's folders; None for a whole input."""
        error = self.source_error
        if error is None:
            return None
        name = error.path and Path(error.path).name
        return str(DataError(error.message, path=name, line=error.line, remedy=error.remedy))

    def build_record(self) -> dict[str, Any]:
        """Make manifest.json's entry `build`, for comparison with a later run into the folder."""
        return {
            "fingerprint": self.job.fingerprint.digest,
            "parts": self.job.fingerprint.parts,
            "limit": self.job.most_records,
            "units": len(self.receipts),
            "truncated": self.broke_off,
            # With a limit the input is not read to its end.
            CONTENTS: None if self.job.limit else hash_inputs(self.job.source.paths),
        }


def hash_inputs(paths: Iterable[Place]) -> list[str]:
    """Compute the SHA-256 of whole input files, once a process; remote files give their state."""
    return [
        path.state
        if isinstance(path, RemoteFile)
        else _hash_file(path, (stat := path.stat()).st_size, stat.st_ctime_ns)
        for path in paths
    ]


@lru_cache(maxsize=1 << 16)
def _hash_file(path: Path, size: int, changed: int) -> str:
    """Hash a file; cached as long as size and time of change stay the same."""
    return manifest.sha256(path)


def _add_counts(parts: Iterable[Mapping[str, int]]) -> Counter[str]:
    """Sum counts by name."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total


def describe_inputs(paths: Sequence[Place]) -> list[dict[str, Any]]:
    """Describe each input file by name, size in bytes and a digest of a sample of its bytes.

    The sample, since a dump has tens of gigabytes, is the first and the last MiB, and 128 blocks of
    16 KiB at equal distances between them. Units are checked whole while they are read.
    Raises DataError for a file that cannot be read.
    """
    described = []
    for path in paths:
        sample = hashlib.blake2b(digest_size=8)
        try:
            size = path.stat().st_size
            blocks = range(1, _BLOCKS + 1) if size > 2 * _END_BYTES else ()
            between = ((size * block // (_BLOCKS + 1), _BLOCK_BYTES) for block in blocks)
            ends = (0, _END_BYTES), (max(0, size - _END_BYTES), _END_BYTES)
            for part in read_ranges(path, [ends[0], *between, ends[1]]):
                sample.update(part)
        except OSError as error:
            raise DataError(
                f"the input file cannot be read: {error.strerror}",
                path=path,
                remedy="check the path and its permissions",
            ) from error
        name = disk.show_name(path.name)
        described.append({"name": name, "size": size, "sample": sample.hexdigest()})
    return described


def describe_differences(there: Any, here: Any, name: str = "") -> Iterator[str]:
    """Yield a short phrase for each difference of two JSON values, such as "seed was 7, is 8"."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in sorted(there.keys() | here.keys()):
            inner = f"{name}.{key}" if name else key
            yield from describe_differences(there.get(key), here.get(key), inner)
    elif there == here:
        return
    elif isinstance(there, list) and isinstance(here, list):
        # An entry whose name is in both lists was changed, others were left out or added.
        old = dict.fromkeys(_name_entry(one) for one in there if one not in here)
        new = dict.fromkeys(_name_entry(one) for one in here if one not in there)
        phrases = {
            "changed": [one for one in old if one in new] if old or new else ["order"],
            "left out": [one for one in old if one not in new],
            "added": [one for one in new if one not in old],
        }
        for how, names in phrases.items():
            if names:
                more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
                yield f"{name}: {', '.join(names[:_NAMED])}{more} {how}"
    elif name == "code.source":  # a digest, for a checkout
        yield "the code of corefmill changed"
    else:
        yield f"{name} was {json.dumps(there)}, is {json.dumps(here)}"


def _name_entry(entry: Any) -> str:
    """Name an entry of a list: an input by its file's name, a text as it is, others as JSON."""
    named = entry["name"] if isinstance(entry, dict) and "name" in entry else entry
    return named if isinstance(named, str) else json.dumps(named)
