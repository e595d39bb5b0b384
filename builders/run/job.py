"""A build before and after it runs: its description (`Job`) and its records (`RunResult`).

Builders make a Job, `run.run` does it, and the assembly of the corpus reads the RunResult. Two
builds are the same if their fingerprints are: options, inputs, seed and the version of corefmill.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
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
"""The key of a manifest's build record for the sums over its whole inputs."""

PARTS = "fingerprint.json"
# Raised by one whenever the same shards would be written in another way.
_FORMAT = 3
_END_BYTES = 1 << 20
_BLOCKS, _BLOCK_BYTES = 128, 1 << 14
_NAMED = 3
"""Entries of a list that a difference names."""
_SOURCES = (".py", ".toml", ".txt", ".tsv", ".csv", ".json")


@dataclass(frozen=True, slots=True)
class Limit:
    """Stop after the first units with `records` records of `channel` together."""

    channel: str
    records: int


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The parts with an influence on a build's bytes, as JSON, and their digest (16 hex)."""

    parts: Mapping[str, Any]
    digest: str

    @classmethod
    def of(cls, parts: Mapping[str, Any]) -> Fingerprint:
        """Raises TypeError if a part is not what JSON can hold."""
        canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
        digest = hashlib.blake2b(canonical.encode(), digest_size=8).hexdigest()
        return cls(json.loads(canonical), digest)

    def write(self, folder: Path) -> None:
        """Write the parts beside the work, for the message of a later refusal."""
        write_whole(folder / PARTS, json.dumps(self.parts, indent=1, sort_keys=True))


@dataclass(frozen=True, kw_only=True)
class Job:
    """A build, whole: where records come from, what is done to them, where they go.

    `options` (anything JSON can hold) and `seed` decide the bytes, as do the source's files and
    shard size; all of them enter the fingerprint, and so do the version of corefmill and
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
    seed: int = 0
    limit: Limit | None = None
    keep_rejects: bool = False
    files: tuple[str, ...] = ()

    @property
    def most_records(self) -> int | None:
        """The records to stop at, None for no limit."""
        return None if self.limit is None else self.limit.records

    @property
    def work_dir(self) -> Path:
        """The folder with one folder of shards per fingerprint."""
        return private(self.out_dir) / "work"

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """The build's identity, taken once: it reads samples of all inputs.

        A copy by `dataclasses.replace` takes its own. Raises DataError if an input file cannot be
        read.
        """
        return Fingerprint.of(
            {
                "builder": self.name,
                "format": _FORMAT,
                "options": self.options,
                "code": _code_version(),
                "inputs": describe_inputs(self.source.paths),
                "shard_size": self.source.shard_size,
                "channels": self.channels,
                "seed": self.seed,
                "keep_rejects": self.keep_rejects,
            }
        )


def folder_of(out_dir: Path) -> Path:
    """Return the folder for the passes before the build of a corpus."""
    return private(out_dir) / "passes"


@dataclass(frozen=True, slots=True)
class RunResult:
    """The finished units of a build, from the first without gaps, to be read as often as need be.

    `source_error` is what of the input could not be read, if anything; all else is here then.
    """

    job: Job
    folder: Path
    receipts: tuple[Receipt, ...]
    source_error: DataError | None = None

    def records(self, channel: str) -> Iterator[dict[str, Any]]:
        """The records of a channel in the order of the input, one file open at a time."""
        for path in self.files(channel):
            yield from read_shard(path)

    def files(self, channel: str) -> Iterator[Path]:
        """Yield the JSON Lines files of a channel in the order of the input.

        "rejects" holds the rejected records as {"reason", "record"} if they were kept.
        """
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
    def broke_off(self) -> str | None:
        """The error at the end of a broken input, without the folders of the file."""
        error = self.source_error
        if error is None:
            return None
        name = error.path and Path(error.path).name
        return str(DataError(error.message, path=name, line=error.line, remedy=error.remedy))

    def build_record(self) -> dict[str, Any]:
        """Return manifest.json's entry `build`: the difference to a later run into this folder."""
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


@cache
def _code_version() -> dict[str, str]:
    """The version of corefmill; of a checkout also the SHA-256 of all that decides bytes."""
    version = importlib.metadata.version("corefmill")
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return {"version": version}
    total = hashlib.sha256()
    for room in ("builders", "corpora", "rules"):
        for path in sorted((root / room).rglob("*")):
            if path.suffix in _SOURCES:
                total.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return {"version": version, "source": total.hexdigest()}


def describe_inputs(paths: Sequence[Place]) -> list[dict[str, Any]]:
    """Name, size in bytes and a digest over some of the bytes of each input file.

    Some alone, since a dump has tens of gigabytes: the first and the last MiB, and between them
    128 blocks of 16 KiB at equal distances; all is checked unit by unit while it is read. Raises
    DataError for a file that cannot be read.
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
                f"cannot be read: {error.strerror}", path=path, remedy="check the path"
            ) from error
        name = disk.show_name(path.name)
        described.append({"name": name, "size": size, "sample": sample.hexdigest()})
    return described


def differences(there: Any, here: Any, name: str = "") -> Iterator[str]:
    """Yield a short phrase for each different leaf of two JSON values."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in sorted(there.keys() | here.keys()):
            inner = f"{name}.{key}" if name else key
            yield from differences(there.get(key), here.get(key), inner)
    elif there == here:
        return
    elif isinstance(there, list) and isinstance(here, list):
        # An entry whose name stands in both lists was changed, one in a single list left or came.
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
    elif name == "code.source":  # of a checkout
        yield "the code of corefmill changed"
    else:
        yield f"{name} was {json.dumps(there)}, is {json.dumps(here)}"


def _name_entry(entry: Any) -> str:
    """An input by its file's name, anything else as JSON without the marks of a text."""
    named = entry["name"] if isinstance(entry, dict) and "name" in entry else entry
    return named if isinstance(named, str) else json.dumps(named)
