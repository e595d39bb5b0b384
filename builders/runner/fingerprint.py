"""What makes two builds the same build: all that decides the bytes, and where two differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.corpora import disk
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import DataError
from corefmill.corpora.remote_file import Place, read_ranges

PARTS = "fingerprint.json"
_END_BYTES = 1 << 20
_BLOCKS, _BLOCK_BYTES = 128, 1 << 14
_NAMED = 3
"""Entries of a list that a difference names."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The parts that decide a build's bytes, as JSON holds them, and their digest (16 hex)."""

    parts: Mapping[str, Any]
    digest: str

    @classmethod
    def of(cls, parts: Mapping[str, Any]) -> Fingerprint:
        """Raises TypeError if a part is not what JSON can hold."""
        canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
        digest = hashlib.blake2b(canonical.encode(), digest_size=8).hexdigest()
        return cls(json.loads(canonical), digest)

    def write(self, folder: Path) -> None:
        """Put the parts beside the work, so that a refusal can say what differs."""
        write_whole(folder / PARTS, json.dumps(self.parts, indent=1, sort_keys=True))


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
            for part in read_ranges(path, _sampled(size)):
                sample.update(part)
        except OSError as error:
            raise DataError(
                f"cannot be read: {error.strerror}", path=path, remedy="check the path"
            ) from error
        name = disk.shown(path.name)
        described.append({"name": name, "size": size, "sample": sample.hexdigest()})
    return described


def _sampled(size: int) -> list[tuple[int, int]]:
    """Where what is summed of a file of so many bytes begins, and its length."""
    blocks = range(1, _BLOCKS + 1) if size > 2 * _END_BYTES else ()
    between = [(size * block // (_BLOCKS + 1), _BLOCK_BYTES) for block in blocks]
    return [(0, _END_BYTES), *between, (max(0, size - _END_BYTES), _END_BYTES)]


def differences(there: Any, here: Any, name: str = "") -> Iterator[str]:
    """One short phrase for each leaf in which two JSON values differ."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in sorted(there.keys() | here.keys()):
            inner = f"{name}.{key}" if name else key
            yield from differences(there.get(key), here.get(key), inner)
    elif isinstance(there, list) and isinstance(here, list):
        old, new = (
            list(dict.fromkeys(_called(one) for one in own if one not in other))
            for own, other in ((there, here), (here, there))
        )
        changed = [one for one in old if one in new] or ([] if old or new else ["order"])
        for how, which in (
            ("changed", changed),
            ("left out", [one for one in old if one not in changed]),
            ("added", [one for one in new if one not in changed]),
        ):
            if which and there != here:
                more = f" and {len(which) - _NAMED} more" if len(which) > _NAMED else ""
                yield f"{name}: {', '.join(which[:_NAMED])}{more} {how}"
    elif there != here and name == "code.source":  # of a checkout
        yield "the code of corefmill changed"
    elif there != here:
        yield f"{name} was {json.dumps(there)}, is {json.dumps(here)}"


def _called(entry: Any) -> str:
    """An input by its file's name, anything else as JSON without the marks of a text."""
    named = entry["name"] if isinstance(entry, dict) and "name" in entry else entry
    return named if isinstance(named, str) else json.dumps(named)
