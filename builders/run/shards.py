"""Write and read the files of a unit: JSON Lines by channel, and a receipt for whole files."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import write_whole

# The channel of rejected records; no builder may declare it itself.
REJECTS = "rejects"

_TEMPORARY = ".tmp"
END = "end.json"
_BUFFER = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class ShardFile:
    """A finished file of a unit: number of records (lines), size in bytes, and checksum."""

    records: int
    size: int
    blake2b: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The proof that a unit is done: the last file written, when the unit's other files are whole.

    `input` is the digest of the unit's input; `files` has no entry for a channel without records;
    `damage` is the error of a part of the input that could not be read.
    """

    unit: int
    input: str
    files: Mapping[str, ShardFile]
    counts: Mapping[str, int]
    rejects: Mapping[str, int]
    damage: DataError | None = None

    def to_json(self) -> str:
        """Write the receipt as one line of JSON, the same for equal receipts."""
        files = {name: dataclasses.asdict(file) for name, file in self.files.items()}
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        raw = {**own, "files": files, "damage": _error_to_json(self.damage)}
        return json.dumps(raw, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Receipt:
        """Read a receipt written by `to_json`; raises ValueError for any other text."""
        try:
            raw = json.loads(text)
            files = {name: ShardFile(**file) for name, file in raw.pop("files").items()}
            return cls(files=files, damage=_error_from_json(raw.pop("damage")), **raw)
        except (TypeError, AttributeError, KeyError, RecursionError) as error:
            raise ValueError(f"not the record of a finished part of the input: {error}") from error


@dataclass(frozen=True, slots=True)
class SourceEnd:
    """How the reading of a source ended: its number of units, and the error of a broken input.

    A later run need not read input files with the same `mtimes` (nanoseconds) again.
    """

    units: int
    mtimes: tuple[int, ...]
    error: DataError | None

    def write(self, folder: Path) -> None:
        """Write the record to the folder of the shards."""
        raw = {"units": self.units, "mtimes": self.mtimes, "error": _error_to_json(self.error)}
        write_whole(folder / END, json.dumps(raw, ensure_ascii=False))

    @classmethod
    def read(cls, folder: Path) -> SourceEnd | None:
        """Read the folder's record; None if it is missing or unreadable."""
        try:
            raw = disk.read_record(folder / END)
            return cls(raw["units"], tuple(raw["mtimes"]), _error_from_json(raw["error"]))
        except (FileNotFoundError, DataError, KeyError, TypeError):
            return None


def _error_to_json(error: DataError | None) -> dict[str, Any] | None:
    """Convert an error of the input to JSON."""
    if error is None:
        return None
    return {name: getattr(error, name) for name in ("message", "path", "line", "remedy")}


def _error_from_json(raw: dict[str, Any] | None) -> DataError | None:
    return None if raw is None else DataError(**raw)


def shard_path(folder: Path, unit: int, channel: str) -> Path:
    """Return the path of the file with a unit's records of a channel."""
    return folder / f"{unit:05d}.{channel}.jsonl"


def receipt_path(folder: Path, unit: int) -> Path:
    """Return the path of a unit's receipt."""
    return folder / f"{unit:05d}.json"


def remove_temporaries(folder: Path) -> None:
    """Remove the temporary files of stopped or killed writers."""
    for path in sorted(folder.glob(f"*{_TEMPORARY}")):
        path.unlink(missing_ok=True)


def read_receipts(folder: Path) -> dict[int, Receipt]:
    """Read the receipts of the units whose files are whole; all other units are to be redone."""
    names = (path.stem for path in sorted(folder.glob("*.json")))
    found = ((int(name), read_receipt(folder, int(name))) for name in names if name.isdigit())
    return {unit: receipt for unit, receipt in found if receipt is not None}


def read_receipt(folder: Path, unit: int) -> Receipt | None:
    """Read the receipt of a unit; None if there is none or a file of the unit is not whole."""
    try:
        receipt = Receipt.from_json(disk.read_plain(receipt_path(folder, unit)))
    except (FileNotFoundError, DataError, ValueError):
        return None
    whole = receipt.unit == unit and all(
        _is_whole(shard_path(folder, unit, channel), file)
        for channel, file in receipt.files.items()
    )
    return receipt if whole else None


def read_shard(path: Path) -> Iterator[dict[str, Any]]:
    """Read the records of a finished file, in order."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


class ShardWriter:
    """Writes the records of one unit; without `commit` no file stays on the disk.

    Used in a `with` statement. Memory does not grow with the number of records.
    """

    def __init__(self, folder: Path, unit: int) -> None:
        self._folder = folder
        self._unit = unit
        self._open: dict[str, _OpenShard] = {}
        self._done: dict[str, ShardFile] = {}

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, *error: object) -> None:
        for shard in self._open.values():
            shard.discard()

    def write(self, channel: str, record: Mapping[str, Any]) -> None:
        """Write a record to a channel; raises TypeError or ValueError for what JSON cannot hold."""
        shard = self._open.get(channel)
        if shard is None:
            path = shard_path(self._folder, self._unit, channel)
            shard = self._open[channel] = _OpenShard(path)
        shard.write(record)

    def commit(
        self,
        digest: str,
        *,
        counts: Mapping[str, int],
        rejects: Mapping[str, int],
        damage: DataError | None = None,
    ) -> Receipt:
        """Give the files their final names, then write and return the receipt."""
        for channel, shard in sorted(self._open.items()):
            self._done[channel] = shard.finish()
        self._open.clear()
        # Sorted as when read back, so that a resumed run sums counts in the same order.
        counts, rejects = dict(sorted(counts.items())), dict(sorted(rejects.items()))
        receipt = Receipt(self._unit, digest, self._done, counts, rejects, damage)
        write_whole(receipt_path(self._folder, self._unit), receipt.to_json())
        return receipt


class _OpenShard:
    """A file of records being written under a temporary name."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # In the same folder, since a rename across file systems is a copy; random, since the
        # worker of a killed run may still be writing the same unit for a moment.
        self._temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}{_TEMPORARY}")
        self._file = self._temporary.open("wb", buffering=_BUFFER)
        self._sum = _hash()
        self._records = 0
        self._size = 0

    def write(self, record: Mapping[str, Any]) -> None:
        """Write a record as a line of JSON."""
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, default=_encode_dataclass)
        line = text.encode() + b"\n"
        self._file.write(line)
        self._sum.update(line)
        self._records += 1
        self._size += len(line)

    def finish(self) -> ShardFile:
        """Give the file its final name once its bytes are on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._temporary.replace(self._path)
        return ShardFile(self._records, self._size, self._sum.hexdigest())

    def discard(self) -> None:
        """Remove the file of an unfinished unit."""
        self._temporary.unlink(missing_ok=True)
        # Closing flushes, which fails again on a full disk, but frees the descriptor.
        with suppress(OSError):
            self._file.close()


def _hash() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)


def _is_whole(path: Path, expected: ShardFile) -> bool:
    """Tell whether a file still has the size and checksum of its receipt."""
    try:
        if path.stat().st_size != expected.size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, _hash).hexdigest() == expected.blake2b
    except FileNotFoundError:
        return False


def _encode_dataclass(value: object) -> dict[str, Any]:
    """Convert a dataclass to JSON, so that stages can reject records as they are."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError(f"a record has a {type(value).__name__}, which JSON cannot hold")
