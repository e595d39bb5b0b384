"""The manifest of a corpus directory (manifest.json): its contents, its origin, its options.

Names from data are checked here before any becomes a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.ownership import MANIFEST
from corefmill.corpora.files.writing import write_whole
from corefmill.corpora.records import SCHEMAS, Record

_PLAIN = re.compile(r"\w[\w.-]{0,99}")
_LONGEST = 1000
"""Characters of a relative path."""


def is_plain(name: str) -> bool:
    """Tell whether a name is like an identifier: letters, digits, _, and inside it - and . too.

    At most 100 characters, so that with an ending it is a file's name everywhere. Names of
    splits must be plain.
    """
    return _PLAIN.fullmatch(name) is not None


def is_below(name: str) -> bool:
    """Tell whether a name is a path within a folder, without `..`.

    Links are not looked at: whoever laid out the folder made them, and not who wrote the name.
    """
    parts = PurePosixPath(name).parts
    return (
        len(name) <= _LONGEST
        and name.isprintable()
        and name == "/".join(parts)
        and bool(parts)
        and not {"..", "/"} & set(parts)
        and all(len(part.encode()) <= 255 for part in parts)
    )


NAME = MANIFEST
sha256 = disk.sha256
CARD = "README.md"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description beside a corpus; it carries no clock time, so equal builds are equal bytes.

    `schema` is a key of `records.SCHEMAS`; `splits` maps a split's name, which becomes that
    of its files, to its number of records; `build` is the runner's account (fingerprint, inputs,
    options); `files` maps each file of the corpus to its SHA-256.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    name: str
    schema: str
    lang: str
    mode: str
    splits: dict[str, int]
    counts: dict[str, Any]
    seed: int
    versions: dict[str, str]
    build: dict[str, Any]
    licence: str
    attribution: str
    files: dict[str, str]
    warnings: list[str] = field(default_factory=list)


_adapter: TypeAdapter[Manifest] = TypeAdapter(Manifest)


def find_damaged(directory: Path, manifest: Manifest) -> list[str]:
    """List missing files, and files with another sum than in the manifest.

    A card may be another: its readers add to it.
    """
    return [
        name
        for name, digest in manifest.files.items()
        if not (directory / name).is_file() or (name != CARD and sha256(directory / name) != digest)
    ]


def write(directory: Path, manifest: Manifest) -> None:
    """Write the manifest; it comes last, so a corpus with a manifest is a whole corpus."""
    write_whole(directory / NAME, _adapter.dump_json(manifest, indent=2) + b"\n")


def read(directory: Path) -> Manifest:
    """Read the manifest of a corpus directory.

    Raises `DataError` where it is missing or broken, or names what lies outside of the directory.
    """
    path = directory / NAME
    if not path.exists():
        raise DataError(
            "manifest.json is missing: not a finished corpus",
            path=directory,
            remedy="run the same build command again; it resumes",
        )
    content = disk.read_bytes(path)
    try:
        manifest = _adapter.validate_json(content)
    except ValidationError as error:
        raise DataError(jsonl.first_fault(error), path=path) from None
    if manifest.schema not in SCHEMAS:
        raise DataError(
            f"unknown schema {manifest.schema!r}, known are {', '.join(SCHEMAS)}",
            path=path,
            remedy="update corefmill: a newer version may have written the file",
        )
    for kind, named, allowed in (
        ("split", manifest.splits, is_plain),
        ("file", manifest.files, is_below),
    ):
        if (bad := next((name for name in named if not allowed(name)), None)) is not None:
            raise DataError(
                f"{bad[:100]!r} is not allowed as the name of a {kind}",
                path=path,
                remedy="build or download the corpus again",
            )
    return manifest


def records(directory: Path, split: str) -> Iterator[Record]:
    """Stream one split of a corpus; raises `DataError` for a missing one."""
    manifest = read(directory)
    if split not in manifest.splits:
        raise DataError(
            f"the corpus has no split {split!r}, only {', '.join(manifest.splits)}", path=directory
        )
    yield from jsonl.read(directory / f"{split}.jsonl", SCHEMAS[manifest.schema])
