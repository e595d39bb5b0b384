"""Locks: one process at a time works in an output folder, or downloads a file."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from corefmill.corpora.atomic import ensure_folder, refuse_url
from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import LOCK, private, refuse_file


@contextmanager
def locked(out_dir: Path) -> Iterator[None]:
    """Hold a folder for as long as the block runs; make it if need be.

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
    """Hold the lock file `path`, which is made for it and removed at the end.

    The kernel drops the lock when its holder dies, so none is ever stale. Raises UsageError, whose
    words are "process N `busy`", if another process has it, or if the file cannot be made.
    """
    from filelock import FileLock, Timeout

    # The folder that the user named: the one whose lock it is, or the locked file's.
    folder = path.parent.parent if path.parent == private(path.parent.parent) else path.parent
    # A moment's wait spans a holder who is just removing the file.
    lock = FileLock(path, timeout=0.1, poll_interval=0.02, is_singleton=True)
    try:
        ensure_folder(path.parent)
        lock.acquire()
    except Timeout:
        holder = path.read_text(errors="replace")[:200] if path.exists() else ""
        raise UsageError(
            f"{holder or 'another process'} {busy}",
            path=folder,
            remedy=f"wait for it, or {remedy}",
        ) from None
    except OSError as error:
        raise UsageError(
            f"cannot be written to: {error.strerror}", path=folder, remedy=remedy
        ) from error
    try:
        with suppress(OSError):  # a full disk keeps nobody from working on
            path.write_text(f"process {os.getpid()} on {socket.gethostname()}")
        yield
    finally:
        if lock.lock_counter == 1:
            path.unlink(missing_ok=True)
        lock.release()
