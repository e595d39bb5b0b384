"""Locks: one process at a time works in an output folder, or downloads a file."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from corefmill.corpora.atomic import ensure_folder, refuse_url
from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import LOCK, private, refuse_file

# What flock says on file systems mounted without it, as some of a cluster's are.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_held: dict[Path, int] = {}
"""The locks of this process, and the thread that has each."""


@contextmanager
def locked(out_dir: Path) -> Iterator[None]:
    """Hold the folder, which is made if need be, for as long as the block runs.

    Within the block the same thread may hold it again. Raises UsageError if anybody else holds
    it, or if the folder cannot be written to, or is a file, or was a URL.
    """
    refuse_url(out_dir)
    refuse_file(out_dir)
    made = not out_dir.exists()
    path = private(out_dir) / LOCK
    try:
        with alone(path, busy="is at work in this folder", remedy="name another folder with --out"):
            yield
    finally:
        with suppress(OSError):  # what was refused leaves nothing; rmdir takes empty folders only
            path.parent.rmdir()
            if made:
                out_dir.rmdir()


@contextmanager
def alone(path: Path, *, busy: str, remedy: str) -> Iterator[None]:
    """Hold the lock `path`, a file that is made for it and removed at the end.

    The kernel drops the lock when its holder dies, however it dies, so none is ever stale; a file
    left by a dead process is simply taken over. Raises UsageError, whose words are "process N
    `busy`", if another process has it, or if the file cannot be made.
    """
    key = Path(os.path.abspath(path))  # noqa: PTH100 - a link may lead elsewhere by then
    if _held.get(key) == threading.get_ident():
        yield
        return
    try:
        descriptor = _acquire(path, busy, remedy)
    except OSError as error:
        if error.errno in _FULL:
            raise
        raise UsageError(
            f"cannot be written to: {error.strerror}", path=_shown(path), remedy=remedy
        ) from error
    _held[key] = threading.get_ident()
    try:
        # Who holds it, for whoever is refused; a full disk keeps nobody from working on.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
        yield
    finally:
        del _held[key]
        with suppress(OSError):
            path.unlink(missing_ok=True)
        os.close(descriptor)


def _shown(path: Path) -> Path:
    """What the user named: the folder whose lock it is, or the locked file's folder."""
    return path.parent.parent if path.parent.name == private(Path()).name else path.parent


def _acquire(path: Path, busy: str, remedy: str) -> int:
    while True:
        ensure_folder(path.parent)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        except FileNotFoundError:  # its last holder removed the folder
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed the file between our open and our lock.
            if path.exists() and os.fstat(descriptor).st_ino == path.stat().st_ino:
                return descriptor
        except BlockingIOError:
            holder = os.read(descriptor, 200).decode(errors="replace") or "another process"
            os.close(descriptor)
            raise UsageError(
                f"{holder} {busy}", path=_shown(path), remedy=f"wait for it, or {remedy}"
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                os.close(descriptor)
                raise
            warnings.warn(f"{path.parent}: this file system has no locks", stacklevel=2)
            return descriptor
        os.close(descriptor)
