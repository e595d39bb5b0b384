"""The files of one unit: JSON Lines by channel, and the receipt that makes them count as whole."""

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

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import write_whole

# The channel of rejected records; no builder may declare it itself.
REJECTS = "rejects"

_TEMPORARY = ".tmp"
END = "end.json"
_BUFFER = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class ShardFile:
    """One finished file: its records (lines), its size in bytes, and the sum over its bytes."""

    records: int
    size: int
    blake2b: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """Written last, when the files of a unit are whole; without it the unit was never done.

    `input` is the digest of the unit; `files` has no entry for a channel without records; `damage`
    is what of the unit could not be read.
    """

    unit: int
    input: str
    files: Mapping[str, ShardFile]
    counts: Mapping[str, int]
    rejects: Mapping[str, int]
    damage: DataError | None = None

    def to_json(self) -> str:
        """One line of JSON, the same for equal receipts."""
        files = {name: dataclasses.asdict(file) for name, file in self.files.items()}
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        raw = {**own, "files": files, "damage": _as_json(self.damage)}
        return json.dumps(raw, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Receipt:
        """Read the receipt of `to_json`. Raises ValueError for anything else."""
        try:
            raw = json.loads(text)
            files = {name: ShardFile(**file) for name, file in raw.pop("files").items()}
            return cls(files=files, damage=_from_json(raw.pop("damage")), **raw)
        except (TypeError, AttributeError, KeyError) as error:
            raise ValueError(f"not a receipt: {error}") from error


@dataclass(frozen=True, slots=True)
class End:
    """The end of a source: its number of units, and the error of a broken input.

    A later run with the same `mtimes` (nanoseconds, one per input file) need not read it again.
    """

    units: int
    mtimes: tuple[int, ...]
    error: DataError | None

    def write(self, folder: Path) -> None:
        """Put it beside the shards."""
        raw = {"units": self.units, "mtimes": self.mtimes, "error": _as_json(self.error)}
        write_whole(folder / END, json.dumps(raw, ensure_ascii=False))

    @classmethod
    def read(cls, folder: Path) -> End | None:
        """Read the end in the folder; None if there is none, or an illegible one."""
        try:
            raw = json.loads((folder / END).read_bytes())
            return cls(raw["units"], tuple(raw["mtimes"]), _from_json(raw["error"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None


def _as_json(error: DataError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {name: getattr(error, name) for name in ("message", "path", "line", "remedy")}


def _from_json(raw: dict[str, Any] | None) -> DataError | None:
    return None if raw is None else DataError(**raw)


def shard_path(folder: Path, unit: int, channel: str) -> Path:
    """Return the path of a unit's records for a channel."""
    return folder / f"{unit:05d}.{channel}.jsonl"


def receipt_path(folder: Path, unit: int) -> Path:
    """Return the path of a unit's receipt."""
    return folder / f"{unit:05d}.json"


def remove_temporaries(folder: Path) -> None:
    """Remove the temporary files of a killed writer."""
    for path in sorted(folder.glob(f"*{_TEMPORARY}")):
        path.unlink(missing_ok=True)


def finished_units(folder: Path) -> dict[int, Receipt]:
    """Read the receipts of units with all files whole.

    A unit that fails this is left out, so it is done again and its files are replaced.
    """
    names = (path.stem for path in sorted(folder.glob("*.json")))
    found = ((int(name), finished_unit(folder, int(name))) for name in names if name.isdigit())
    return {unit: receipt for unit, receipt in found if receipt is not None}


def finished_unit(folder: Path, unit: int) -> Receipt | None:
    """Read the receipt of one unit; None unless its files are whole."""
    try:
        receipt = Receipt.from_json(receipt_path(folder, unit).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    whole = receipt.unit == unit and all(
        _is_whole(shard_path(folder, unit, channel), file)
        for channel, file in receipt.files.items()
    )
    return receipt if whole else None


def read_shard(path: Path) -> Iterator[dict[str, Any]]:
    """The records of one finished file, in order."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


class ShardWriter:
    """Takes the records of one unit; nothing of it stays on disk unless `commit` was reached.

    Use it in a `with` statement. Memory does not grow with the number of records.
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
        """Add a record to a channel. Raises TypeError or ValueError if JSON cannot hold it."""
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
        """Make the files final, then write and return the receipt."""
        for channel, shard in sorted(self._open.items()):
            self._done[channel] = shard.finish()
        self._open.clear()
        # Sorted, as they are when read back, so that a resumed run sums them in the same order.
        counts, rejects = dict(sorted(counts.items())), dict(sorted(rejects.items()))
        receipt = Receipt(self._unit, digest, self._done, counts, rejects, damage)
        write_whole(receipt_path(self._folder, self._unit), receipt.to_json())
        return receipt


class _OpenShard:
    """One file being written under its temporary name."""

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
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, default=_encode)
        line = text.encode() + b"\n"
        self._file.write(line)
        self._sum.update(line)
        self._records += 1
        self._size += len(line)

    def finish(self) -> ShardFile:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._temporary.replace(self._path)
        return ShardFile(self._records, self._size, self._sum.hexdigest())

    def discard(self) -> None:
        self._temporary.unlink(missing_ok=True)
        # Closing flushes, which fails again on a full disk; the descriptor is freed all the same.
        with suppress(OSError):
            self._file.close()


def _hash() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)


def _is_whole(path: Path, expected: ShardFile) -> bool:
    """Whether a file is there with the bytes it was written with."""
    try:
        if path.stat().st_size != expected.size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, _hash).hexdigest() == expected.blake2b
    except FileNotFoundError:
        return False


def _encode(value: object) -> dict[str, Any]:
    """Lets a stage reject its own dataclass records without turning them into dicts first."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")
