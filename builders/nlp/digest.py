"""A fingerprint of a pipeline's files: two trainings share a version, but not their weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from corefmill.corpora.files import disk


def of_folder(folder: Path) -> str:
    """Hash all files below a folder, but for code caches and cards."""
    return of_files(
        (disk.show_name(path.relative_to(folder)), path)
        for path in disk.list_below(folder)
        if path.suffix not in (".pyc", ".md")
    )


def of_files(named: Iterable[tuple[str, Path]]) -> str:
    """Hash files under the given names."""
    total = hashlib.blake2b(digest_size=8)
    for name, path in named:
        total.update(name.encode() + b"\0")
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "blake2b").digest())
    return total.hexdigest()
