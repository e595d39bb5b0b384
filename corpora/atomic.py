"""Files that appear whole or not at all, and the folders that they lie in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from corpora.errors import UsageError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Opens a temporary beside `path`, which takes its place when the block ends without error.

    The bytes are on the disk before the name is: a crash leaves the old file or the new one.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Makes a folder and those above it; raises `UsageError` where it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot be written to: {error.strerror}",
            path=path,
            remedy="name another folder with --out",
        ) from None


def make_way(path: Path) -> None:
    """Makes the folder of a file; raises `UsageError` as above, and where the file is a folder."""
    make_folder(path.parent)
    if path.is_dir():
        raise UsageError("this is a folder", path=path, remedy="name a file with --out")
