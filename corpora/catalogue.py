"""The known corpora (catalogue.toml): their kinds, sources, and their files in a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corefmill.corpora import manifest, splits
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError, did_you_mean
from corefmill.corpora.manifest import Manifest

SPLITS = (*splits.SPLITS, "all")
"""`all` where the corpus comes unsplit."""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A corpus of the catalogue; `files` are the ways it may lie on a disk, patterns by split."""

    name: str
    title: str
    kind: str
    format: str
    lang: str
    licence: str
    citation: str
    url: str
    get: str
    files: list[dict[str, list[str]]]


@cache
def entries() -> dict[str, CatalogueEntry]:
    """Read every entry by its name, in the catalogue's order."""
    table = disk.read_package_table(__file__, "catalogue")
    return {name: CatalogueEntry(name=name, **row) for name, row in table.items()}


def entry(name: str) -> CatalogueEntry:
    """Return the entry of a name. Raises `UsageError` with all names."""
    if name in entries():
        return entries()[name]
    guess = did_you_mean(name, entries())
    raise UsageError(f"no corpus {name!r}{guess}", remedy=f"there are {', '.join(entries())}")


def entry_of(paths: Sequence[Path]) -> CatalogueEntry | None:
    """Return the entry with a pattern for all these files, or None."""
    for one in entries().values():
        for pattern in (pattern for way in one.files for own in way.values() for pattern in own):
            whole = _compile_pattern(pattern)
            if all(whole.fullmatch(path.resolve().as_posix().lstrip("/")) for path in paths):
                return one
    return None


class DataDir:
    """A folder of corpora, looked through once. Raises `DataError` where it cannot be read."""

    def __init__(self, top: Path) -> None:
        if not top.is_dir():
            raise DataError("there is no such folder", path=top)
        self.top = top
        found = []
        for _, folders, inner in disk.walk(top, strict=False):
            folders[:] = [path for path in folders if path.name[0] != "."]
            there = (path for path in (*folders, *inner) if path.name[0] != ".")
            found += [path.relative_to(top).as_posix() for path in there]
        self._paths = sorted(found)

    def find(self, wanted: CatalogueEntry) -> dict[str, list[Path]]:
        """Find the files of each split, by the way with the most splits."""
        ways = [
            {split: found for split, patterns in way.items() if (found := self._first(patterns))}
            for way in wanted.files
        ]
        return max(ways, key=len, default={})

    def _first(self, patterns: Sequence[str]) -> list[Path]:
        """Return the matches of the first pattern with any."""
        for pattern in patterns:
            whole = _compile_pattern(pattern)
            found = [self.top / path for path in self._paths if whole.fullmatch(path)]
            if found:
                return found
        return []

    def list_built(self) -> list[tuple[Path, Manifest]]:
        """List the corpora made by builders, without those of broken manifests."""
        made = []
        for path in self._paths:
            if path.rpartition("/")[2] == manifest.NAME:
                folder = (self.top / path).parent
                try:
                    made.append((folder, manifest.read(folder)))
                except DataError:
                    continue
        return made


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern: **/ is any folders or none, * any part of a name."""
    pieces = re.split(r"(\*\*/|\*|\[[^\]]+\])", pattern)
    known = {"**/": "(?:.*/)?", "*": "[^/]*"}
    return re.compile(
        "".join(
            known.get(piece) or (piece if piece.startswith("[") else re.escape(piece))
            for piece in pieces
        )
    )
