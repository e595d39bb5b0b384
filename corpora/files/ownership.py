"""Mark our files in an output folder, and lock folders and files.

A folder that a command fills holds `.corefmill/`, and in it the marker `owner.json` and whatever is
needed only until the work is done: the lock, shards, the passes over a dump. A file outside of
`.corefmill/` is ours only if the marker names it, and only such files are ever replaced or removed;
no file is recognised by a name that others may use, too ("work", "*.tmp").

A folder may come from anybody. Its records are read by `disk.read_record`, and no name in them, and
no link in the folder, leads out of it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import (
    ensure_folder,
    make_folder,
    refuse_taken,
    refuse_url,
    sync_folder,
    write_whole,
)

PRIVATE = ".corefmill"
MARKER = "owner.json"
LOCK = "lock"
MANIFEST = "manifest.json"
"""Of a finished corpus; it is written last."""
BEGUN = "begun.json"
WORK = ("work", "passes", "translations")
"""Folders in `.corefmill/` of what is of use until a corpus is whole."""

_REMEDY = "name another folder with --out; with --overwrite files of the same names are replaced"
_SHOWN = 3
_MOST_MARKER = 1 << 20
"""Bytes of a marker: a corpus has some dozen files."""
_DRAFT = re.compile(r"\.(.+)\.\d+\.tmp")
"""What a killed `replacing` leaves."""
_NOBODYS = ("lost+found",)


def private(folder: Path) -> Path:
    """Return the path of corefmill's own folder, `.corefmill`, in a folder."""
    return folder / PRIVATE


def refuse_file(folder: Path) -> None:
    """Raise `UsageError` for a file where a folder of results is named."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("this is a file", path=folder, remedy="name a folder with --out")


def refuse_foreign(folder: Path, names: Collection[str], *, overwrite: bool) -> None:
    """Raise `UsageError` where `folder` is a file, or holds files of others; write nothing.

    A folder without our marker may hold only hidden files. In a folder with one, no file in
    `names` may exist unless the marker lists it. `overwrite` skips both checks. Links that lead
    out of the folder are always refused.
    """
    refuse_file(folder)
    _refuse_link(private(folder))
    ours = read_marker(folder)
    _refuse_links_between(folder, (*names, *(ours or ())))
    if overwrite or not folder.is_dir():
        return
    if ours is None:
        entries = (path.name for path in sorted(folder.iterdir()))
        others = [name for name in entries if not name.startswith(".") and name not in _NOBODYS]
    else:
        foreign = sorted(set(names) - set(ours))
        others = [name for name in foreign if os.path.lexists(folder / name)]
    if others:
        shown = ", ".join(sorted(others)[:_SHOWN]) + ("..." if len(others) > _SHOWN else "")
        raise UsageError(
            f"the folder holds files that this command did not make: {shown}",
            path=folder,
            remedy=_REMEDY,
        )


def claim_folder(folder: Path, names: Collection[str], *, overwrite: bool) -> None:
    """Mark `folder` and its files `names` (relative, with /) as ours, before any is written.

    Raises `UsageError` as `refuse_foreign` does. Whatever an earlier marker named stays ours.
    """
    refuse_foreign(folder, names, overwrite=overwrite)
    before = read_marker(folder)
    if before is None or not set(names) <= set(before):
        ensure_folder(private(folder))
        _write_names(private(folder) / MARKER, {*names, *(before or ())})


def settle(folder: Path, names: Collection[str], *, keep_work: bool = False) -> None:
    """End the work on a folder: remove our files but `names`.

    That is, files that an earlier corpus had here, what a kill left beside a file of ours, and the
    work in `.corefmill/`, whose marker names the rest from now on. `keep_work` leaves that work for
    the same command to go on from.
    """
    ours = read_marker(folder) or []
    _refuse_links_between(folder, ours)
    _remove_drafts(folder / name for name in ours)
    for name in ours:
        if name not in names:
            (folder / name).unlink(missing_ok=True)
            with suppress(OSError):  # of its folders those that are empty now
                for parent in [*PurePosixPath(name).parents][:-1]:
                    (folder / parent).rmdir()
    if set(ours) != set(names):
        ensure_folder(private(folder))
        _write_names(private(folder) / MARKER, names)
    _remove_drafts([private(folder) / MARKER])
    for path in () if keep_work else (private(folder) / name for name in WORK):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def discard(folder: Path) -> None:
    """Remove our files in a folder, and the folder if it is empty then."""
    settle(folder, ())
    (private(folder) / MARKER).unlink()
    with suppress(OSError):
        private(folder).rmdir()
        folder.rmdir()


def is_unsettled(folder: Path) -> bool:
    """Tell whether a folder still holds work, since `settle` was not run to its end."""
    return any((private(folder) / name).exists() for name in WORK)


def refuse_finished(folder: Path, names: Collection[str], *, overwrite: bool) -> None:
    """Raise `UsageError` as `refuse_taken`, but not for files of an unfinished `together`."""
    _refuse_link(private(folder))
    _refuse_links_between(folder, names)
    begun = _read_names(private(folder) / BEGUN) or ()
    refuse_taken(*(folder / name for name in names if name in begun), overwrite=True)
    refuse_taken(*(folder / name for name in names if name not in begun), overwrite=overwrite)


@contextmanager
def together(folder: Path, names: Collection[str], *, overwrite: bool) -> Iterator[None]:
    """Guard the writing of all files `names` of a folder, beside others, within the block.

    They are the user's once it ends well, and are never replaced then. Where it does not, a note
    in `.corefmill/` names them, so that the same command writes them again unasked. Raises
    `UsageError` as `refuse_finished` does.
    """
    refuse_finished(folder, names, overwrite=overwrite)
    own = private(folder)
    make_folder(own)
    _write_names(own / BEGUN, {*names, *(_read_names(own / BEGUN) or ())})
    yield
    _remove_drafts(folder / name for name in names)
    (own / BEGUN).unlink()
    sync_folder(own)
    with suppress(OSError):  # a build's own things may be in it
        own.rmdir()


def read_marker(folder: Path) -> list[str] | None:
    """Read the files of the marker, None where there is no valid marker."""
    return _read_names(private(folder) / MARKER)


def _read_names(marker: Path) -> list[str] | None:
    """Read the file names of a marker; None where it is missing, broken, or leads elsewhere."""
    try:
        names = disk.read_record(marker, _MOST_MARKER)["files"]
    except (FileNotFoundError, DataError, KeyError, TypeError):
        return None
    if not isinstance(names, list):
        return None
    for name in names:  # anybody may have written the marker: no name leads out of the folder
        if not isinstance(name, str) or not name or "\0" in name:
            return None
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts or parts[:1] == (PRIVATE,):
            return None
        try:
            os.fsencode(name)
        except UnicodeEncodeError:  # half a pair, of which no name can be made
            return None
    return names


def _write_names(path: Path, names: Collection[str]) -> None:
    write_whole(path, json.dumps({"files": sorted(names)}, indent=1) + "\n")


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise UsageError("this is a link, not a folder", path=path, remedy="remove it")


def _refuse_links_between(folder: Path, names: Iterable[str]) -> None:
    """Raise `UsageError` where a folder on the way to a file of `folder` is a link."""
    own = [PurePosixPath(name) for name in names]
    for path in sorted({*own, *(above for name in own for above in name.parents)}):
        if path.name and (folder / path).is_dir():
            _refuse_link(folder / path)


def refuse_links_out(own: Path) -> None:
    """Raise `UsageError` for a link below a folder that leads out of it, into which we would write.

    Links within it are submitit's, from a task of Slurm to its call.
    """
    _refuse_link(own)
    waiting = [own] if own.is_dir() else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:  # order: all are looked at
            for entry in entries:
                if entry.is_symlink():
                    if not Path(entry.path).resolve().is_relative_to(own.resolve()):
                        raise UsageError(
                            "this is a link that leads out of the folder",
                            path=entry.path,
                            remedy="remove it",
                        )
                elif entry.is_dir():
                    waiting.append(Path(entry.path))


def _remove_drafts(paths: Iterable[Path]) -> None:
    """Remove the drafts of these files that a killed `replacing` left."""
    names = defaultdict(set)
    for path in paths:
        names[path.parent].add(path.name)
    for parent, own in names.items():
        for other in sorted(parent.iterdir()) if parent.is_dir() else ():
            if (draft := _DRAFT.fullmatch(other.name)) and draft[1] in own:
                other.unlink(missing_ok=True)


@contextmanager
def lock_folder(out_dir: Path) -> Iterator[None]:
    """Lock a folder while the block runs; make the folder if need be.

    Within the block the same thread may hold it again. Raises UsageError if anybody else holds
    it, or if the folder cannot be written to, or is a file, or was a URL.
    """
    refuse_url(out_dir)
    refuse_file(out_dir)
    refuse_links_out(private(out_dir))
    made = not out_dir.exists()
    path = private(out_dir) / LOCK
    try:
        with lock_file(
            path, busy="is at work in this folder", remedy="name another folder with --out"
        ):
            yield
    finally:
        with suppress(OSError):  # what was refused leaves nothing; rmdir takes empty folders only
            path.parent.rmdir()
            if made:
                out_dir.rmdir()


@contextmanager
def lock_file(path: Path, *, busy: str, remedy: str) -> Iterator[None]:
    """Hold the lock file `path` while the block runs, and remove it at the end.

    The kernel drops the lock when its holder dies, so none is ever stale. Raises UsageError, whose
    words are "process N `busy`", if another process has it, or if the file cannot be made.
    """
    from filelock import FileLock, Timeout

    # The folder that the user named: the one whose lock it is, or the locked file's.
    folder = path.parent.parent if path.parent == private(path.parent.parent) else path.parent
    _refuse_link(path)
    # A moment's wait spans a holder who is just removing the file.
    lock = FileLock(path, timeout=0.1, poll_interval=0.02, is_singleton=True)
    try:
        ensure_folder(path.parent)
        lock.acquire()
    except Timeout:
        holder = disk.read_head(path, 200) if path.exists() else ""
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
