"""What makes two builds the same build, and the refusal to mix two that are not."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefmill.builders.runner.shards import END, write_whole
from corefmill.corpora import disk
from corefmill.corpora.atomic import ensure_folder
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.ownership import claim_folder

MANIFEST = "manifest.json"
# The key under which a builder puts RunResult.build_record() into its manifest.
BUILD_KEY = "build"

_PARTS = "fingerprint.json"
_END_BYTES = 1 << 20
_BLOCKS, _BLOCK_BYTES = 128, 1 << 14
_SHOWN_DIFFERENCES = 4


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
        write_whole(folder / _PARTS, json.dumps(self.parts, indent=1, sort_keys=True))


def describe_inputs(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Name, size in bytes and a digest over some of the bytes of each input file.

    Some alone, since a dump has tens of gigabytes: the first and the last MiB, and between them
    128 blocks of 16 KiB at equal distances; all is checked unit by unit while it is read. Raises
    DataError for a file that cannot be read.
    """
    described = []
    for path in paths:
        sample = hashlib.blake2b(digest_size=8)
        try:
            with path.open("rb") as file:
                size = path.stat().st_size
                sample.update(file.read(_END_BYTES))
                if size > 2 * _END_BYTES:
                    for block in range(1, _BLOCKS + 1):
                        file.seek(size * block // (_BLOCKS + 1))
                        sample.update(file.read(_BLOCK_BYTES))
                file.seek(max(0, size - _END_BYTES))
                sample.update(file.read(_END_BYTES))
        except OSError as error:
            raise DataError(
                f"cannot be read: {error.strerror}", path=path, remedy="check the path"
            ) from error
        name = disk.shown(path.name)
        described.append({"name": name, "size": size, "sample": sample.hexdigest()})
    return described


def differences(there: Any, here: Any, name: str = "") -> Iterator[str]:
    """One short phrase for each leaf in which two JSON values differ."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in sorted(there.keys() | here.keys()):
            inner = f"{name}.{key}" if name else key
            yield from differences(there.get(key), here.get(key), inner)
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for place, (old, new) in enumerate(zip(there, here, strict=True)):
            yield from differences(old, new, f"{name}[{place}]")
    elif there != here:
        yield f"{name} was {json.dumps(there)}, is {json.dumps(here)}"


def claim(
    out_dir: Path,
    work_dir: Path,
    own: Fingerprint,
    *,
    files: Collection[str] = (),
    limit: int | None,
    overwrite: bool,
) -> Path:
    """The folder for this build's shards, made if need be, after a look at what is there.

    `files` are what the build may write into `out_dir`. Raises UsageError if `out_dir` holds a
    corpus made otherwise, one made with a wider limit, unfinished work of another build, or files
    that no build made. With `overwrite` all work is removed, and the manifest too, so that a
    corpus half replaced cannot be taken for a finished one.
    """
    manifest = out_dir / MANIFEST
    if not overwrite:
        _refuse_corpus(manifest, own, limit)
    claim_folder(out_dir, files, overwrite=overwrite)
    if overwrite:
        manifest.unlink(missing_ok=True)
        shutil.rmtree(work_dir, ignore_errors=True)
    for path, parts in _works(work_dir):
        if path.name != own.digest:
            raise _refusal("unfinished work of another build", path, differences(parts, own.parts))
    folder = work_dir / own.digest
    ensure_folder(folder)
    own.write(folder)
    return folder


def _works(work_dir: Path) -> Iterator[tuple[Path, Any]]:
    for path in sorted(work_dir.glob(f"*/{_PARTS}")):
        if {file.name for file in path.parent.iterdir()} <= {_PARTS, END}:
            continue  # an input that was refused at once left nothing worth keeping
        try:
            yield path.parent, json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            yield path.parent, {}


def _refuse_corpus(manifest: Path, own: Fingerprint, limit: int | None) -> None:
    try:
        build = json.loads(manifest.read_text(encoding="utf-8"))[BUILD_KEY]
        parts, there = build["parts"], build["limit"]
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):
        raise _refusal("a corpus that no builder made", manifest, ()) from None
    if parts != own.parts:
        raise _refusal("a finished corpus", manifest, differences(parts, own.parts))
    if limit is not None and (there is None or there > limit):
        wider = "no limit" if there is None else f"--limit {there}"
        raise _refusal("a finished corpus", manifest, [f"it was built with {wider}"])


def _refusal(what: str, path: Path, reasons: Iterable[str]) -> UsageError:
    reasons = list(reasons)
    shown = "; ".join(reasons[:_SHOWN_DIFFERENCES])
    if len(reasons) > _SHOWN_DIFFERENCES:
        shown += f"; and {len(reasons) - _SHOWN_DIFFERENCES} more"
    return UsageError(
        f"the output folder holds {what}" + (f": {shown}" if shown else ""),
        path=path,
        remedy="--overwrite replaces it, --out names another folder",
    )
