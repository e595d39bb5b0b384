"""Files that appear whole or not at all, and the folders that they lie in."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from corpora.errors import UsageError

# What fsync of a folder says on file systems that know no such thing.
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EACCES)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Opens a temporary beside `path`, which takes its place when the block ends without error.

    The bytes are on the disk before the name is, and the name before this returns: a crash or a
    power cut leaves the old file or the new one.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Makes renames in a folder outlast a power cut; a file system that cannot is left alone."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
    finally:
        os.close(descriptor)


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
