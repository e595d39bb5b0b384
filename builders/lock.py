"""One build at a time in an output folder."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builders.workers import is_disk_full
from corpora.errors import UsageError

_NAME = ".corefmill.lock"
# What flock says on file systems mounted without it, as some of a cluster's are.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


@contextmanager
def locked(out_dir: Path) -> Iterator[None]:
    """Hold the folder, which is made if need be, for as long as the block runs.

    The kernel drops the lock when its holder dies, however it dies, so none is ever stale; a file
    left by a dead process is simply taken over. Raises UsageError if another process holds it, or
    if the folder cannot be written to.
    """
    path = out_dir / _NAME
    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        descriptor = _acquire(path)
    except OSError as error:
        if is_disk_full(error):
            raise
        raise UsageError(
            f"cannot be written to: {error.strerror}",
            path=out_dir,
            remedy="name another folder with --out",
        ) from error
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed the file between our open and our lock.
            if path.exists() and os.fstat(descriptor).st_ino == path.stat().st_ino:
                return descriptor
        except BlockingIOError:
            holder = os.read(descriptor, 200).decode(errors="replace") or "another process"
            os.close(descriptor)
            raise UsageError(
                f"{holder} is building into this folder",
                path=path.parent,
                remedy="wait for it, or name another folder with --out",
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            warnings.warn(f"{path.parent}: this file system has no locks", stacklevel=2)
            return descriptor
        os.close(descriptor)
