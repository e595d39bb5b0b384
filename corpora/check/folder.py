"""Compares a corpus directory with its manifest: files, checksums, counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from corefmill.corpora import manifest
from corefmill.corpora.check.finding import Finding
from corefmill.corpora.manifest import Manifest


def files(folder: Path, made: Manifest) -> Iterator[Finding]:
    """The findings E701, E703 and W705."""
    where = folder / manifest.NAME
    named = {*made.files, *(f"{split}.jsonl" for split in made.splits)}
    for name in sorted(named):
        path = folder / name
        if not path.is_file():
            yield Finding("E703", where, None, f"{name} is not there")
        elif name in made.files and manifest.sha256(path) != made.files[name]:
            code = "W705" if name == manifest.CARD else "E701"
            yield Finding(code, where, None, f"{name} has another SHA-256")


def counts(folder: Path, made: Manifest, found: Mapping[str, int]) -> Iterator[Finding]:
    """The findings E702; `found` maps the name of each file that was read to its records."""
    for split, count in made.splits.items():
        there = found.get(f"{split}.jsonl")
        if there is not None and there != count:
            yield Finding(
                "E702",
                folder / manifest.NAME,
                None,
                f"{split}.jsonl has {there:,} records, the manifest says {count:,}",
            )
