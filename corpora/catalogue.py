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
    """Read all entries of the catalogue of corpora, by name and in the file's order."""
    table = disk.read_package_table(__file__, "catalogue")
    return {name: CatalogueEntry(name=name, **row) for name, row in table.items()}


def entry(name: str) -> CatalogueEntry:
    """Return the catalogue's entry of a corpus. Raises `UsageError` listing all names."""
    if name in entries():
        return entries()[name]
    guess = did_you_mean(name, entries())
    raise UsageError(f"no corpus {name!r}{guess}", remedy=f"known are {', '.join(entries())}")


def find_entry(paths: Sequence[Path]) -> CatalogueEntry | None:
    """Find the catalogue entry with a pattern matching all the given files, or None."""
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
        """Find the files of a catalogue entry by split, by the layout with the most splits here."""
        ways = [
            {split: found for split, patterns in way.items() if (found := self._match(patterns))}
            for way in wanted.files
        ]
        return max(ways, key=len, default={})

    def _match(self, patterns: Sequence[str]) -> list[Path]:
        """Return the paths matching the first pattern with any match."""
        for pattern in patterns:
            whole = _compile_pattern(pattern)
            found = [self.top / path for path in self._paths if whole.fullmatch(path)]
            if found:
                return found
        return []

    def list_built(self) -> list[tuple[Path, Manifest]]:
        """List the corpora in this folder made by builders, without those of broken manifests."""
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
    """Compile a path pattern: `**/` matches any folders or none, `*` any part of a name."""
    pieces = re.split(r"(\*\*/|\*|\[[^\]]+\])", pattern)
    known = {"**/": "(?:.*/)?", "*": "[^/]*"}
    return re.compile(
        "".join(
            known.get(piece) or (piece if piece.startswith("[") else re.escape(piece))
            for piece in pieces
        )
    )
