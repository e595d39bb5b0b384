"""Write files whole or not at all, and make their folders."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from corefmill.corpora.files.errors import UsageError

# What fsync of a folder says on file systems that know no such thing.
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EACCES)
# A path has one slash where a URL has two; no folder that is there has such a name.
_URL = re.compile(r"(^|/)(s3|gs|az|hf|https?):(/|$)")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file beside `path`, moved to `path` if the block ends without error.

    The bytes are on the disk before the name is, and the name before this returns: a crash or a
    power cut leaves the old file or the new one.
    """
    # No process's number: on a cluster two may have the same, and write the same file.
    temporary = path.with_name(f".{path.name}.{secrets.randbelow(10**12)}.tmp")
    try:
        with temporary.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        error.filename = error.filename or str(path)  # write and fsync do not name it
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a small file, text as UTF-8, by `replacing`."""
    with replacing(path) as out:
        out.write(content.encode() if isinstance(content, str) else content)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder outlast a power cut, where the file system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def sync_files(folder: Path) -> None:
    """Sync all files in a folder to the disk, as a library left them."""
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            os.fsync(file.fileno())
    sync_folder(folder)


def ensure_folder(path: Path) -> None:
    """Make a folder and those above it, durably. Raises `OSError`."""
    new = [one for one in (path, *path.parents) if not one.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for one in new:
        with suppress(FileNotFoundError):  # another process has no use for it any more
            sync_folder(one.parent)


def make_folder(path: Path) -> None:
    """Make a folder named by the user. Raises `UsageError` where it cannot be made."""
    refuse_url(path)
    try:
        ensure_folder(path)
    except OSError as error:
        raise UsageError(
            f"cannot be written to: {error.strerror}",
            path=path,
            remedy="name another folder with --out",
        ) from None


def was_url(path: str | Path) -> bool:
    """Tell whether a name, or a path made of a name, is a URL or lies below one."""
    return _URL.search(str(path)) is not None


def refuse_url_read(path: str | Path) -> None:
    """Raise `UsageError` for a URL in place of a local file to read."""
    if was_url(path):
        raise UsageError(
            "a URL cannot be read here: only --text and --dump of builds and of overlap take one",
            path=path,
            remedy="download the file",
        )


def refuse_url(path: Path) -> None:
    """Raise `UsageError` for a URL in place of a local file or folder to write."""
    if was_url(path):
        raise UsageError(
            "a URL cannot be written to here: only --out of builds takes one",
            path=path,
            remedy="name a file or folder of this machine",
        )


def refuse_taken(*paths: Path, overwrite: bool) -> None:
    """Raise `UsageError` for the first taken name, and write nothing.

    Every command that writes to names of the user's asks here before its work, and with
    `make_way` after it, so that none replaces a file that it did not make. With `overwrite` files
    are free to be replaced, but never a folder or a device.
    """
    for path in paths:
        refuse_url(path)
        if str(path) == "-":  # what others call standard output became a file of that name
            raise UsageError("the output cannot be standard output", remedy="name a file")
        if path.is_dir():
            raise UsageError("this is a folder", path=path, remedy="name a file")
        if path.exists() and not path.is_file():
            raise UsageError("this is not a file and cannot be replaced", path=path)
        if os.path.lexists(path) and not overwrite:
            raise UsageError("is there already", path=path, remedy="--overwrite replaces it")


def make_way(*paths: Path, overwrite: bool = False) -> None:
    """Make the folders of output files. Raises `UsageError` like `refuse_taken`, `make_folder`."""
    refuse_taken(*paths, overwrite=overwrite)
    for folder in {path.parent: None for path in paths}:
        make_folder(folder)


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """Yield a draft folder, renamed to `out` when the block ends without error.

    Raises `UsageError` where `out` is a file, or a folder that holds something.
    """
    if os.path.lexists(out) and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError("is there already", path=out, remedy="name a new folder")
    make_folder(out.parent)
    draft = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    make_folder(draft)
    try:
        yield draft
        if out.is_dir():
            out.rmdir()
        draft.replace(out)
        sync_folder(out.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
