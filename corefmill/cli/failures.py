"""What went wrong outside of the program: the disk, the memory, the rights; in one line."""

from __future__ import annotations

import errno
import io
import os
import re
from pathlib import Path

from corefmill.corpora.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.installation import install_command
from corefmill.corpora.printable import STDERR, STDOUT

_NO_ROOM = ("the disk is full", "make room there, then give the same command again")
_NO_MEMORY = (
    "memory ran out",
    "give it less at once (fewer --workers, smaller batches), or use a machine with more",
)

_UNOPENED = -1  # SQLite does not say why

# What is said of an error number, and what to do about it.
_SAID = {
    errno.ENOSPC: _NO_ROOM,
    errno.EDQUOT: ("the user's share of the disk is full", _NO_ROOM[1]),
    errno.EFBIG: (
        "a file would grow larger than is allowed here",
        "`ulimit -f` shows the limit, another file system may have none",
    ),
    errno.EROFS: ("the file system can only be read", "name a place elsewhere"),
    errno.EACCES: ("permission denied", "change the permissions, or name another place"),
    errno.EPERM: ("not permitted here", "change the permissions, or name another place"),
    errno.EIO: ("the disk has a fault", "the system's log says more; copy the data elsewhere"),
    errno.ENAMETOOLONG: ("the name is too long", "name a shorter one"),
    errno.ENOENT: ("there is no such file or folder", "see how its path is spelt"),
    errno.ENOTDIR: ("a file is where a folder should be", "name another path"),
    errno.EISDIR: ("this is a folder", "name a file"),
    errno.EEXIST: ("is there already", "name another path"),
    errno.ENOTEMPTY: ("the folder is not empty", "name another folder"),
    errno.ELOOP: ("links that lead in a circle", "name the file itself"),
    errno.EMFILE: ("too many files are open", "raise the limit that `ulimit -n` shows"),
    errno.ENFILE: ("too many files are open on this machine", "end other programs"),
    errno.ENOMEM: _NO_MEMORY,
    errno.EPIPE: ("what is written is read no more", "see why the other program ended"),
    errno.ENXIO: ("this device or socket cannot be opened", "name a file"),
    errno.ENODEV: ("this device cannot be used so", "name a file"),
    errno.ETXTBSY: ("the file is in use", "wait for the program that uses it"),
    errno.EBUSY: ("is in use", "wait for the program that uses it"),
    _UNOPENED: ("cannot be opened", "see that it is a file that may be read and written"),
    errno.ESTALE: ("the server of this file has lost it", "give the same command again"),
}

# Libraries that are no Python, such as DuckDB, Tantivy, safetensors and torch, raise errors of
# their own, with the system's words or number in their text.
_BY_WORDS = {
    os.strerror(number): number
    for number in (
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EROFS,
        errno.EACCES,
        errno.EIO,
        errno.ENAMETOOLONG,
        errno.EMFILE,
        errno.ENOMEM,
    )
}
_BY_NUMBER = re.compile(r"\bos error (\d+)\b|\bOs \{ code: (\d+),")

# By SQLite's own numbers, which its module need not be imported for.
_SQLITE = {
    3: errno.EACCES,
    7: errno.ENOMEM,
    8: errno.EROFS,
    10: errno.EIO,
    13: errno.ENOSPC,
    14: _UNOPENED,
}

_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)

# How what is not whole yet is named: a file by corpora/atomic.py, a folder by corpora/convert.py.
_TEMPORARY = re.compile(r"\.(.+)\.\d+\.tmp")

_NAMES_FILE = re.compile(r"(?<!\w)/\w")

_LONGEST = 300
"""Characters of a library's message that are shown."""


# Packages by the extra that installs them. They are imported where they are used, so that what
# does without them runs without them.
EXTRAS = {
    "build": (
        "duckdb",
        "jinja2",
        "matplotlib",
        "pyphen",
        "spacy",
        "thinc",
        "threadpoolctl",
        "zstandard",
    ),
    "train": ("accelerate", "safetensors", "torch", "transformers"),
    "overlap": ("tantivy",),
    "annotate": ("jinja2", "starlette", "uvicorn"),
    "cluster": ("ray",),
    "cloud": ("fsspec", "obstore"),
    "datasets": ("huggingface_hub",),
}


def missing_package(error: ModuleNotFoundError) -> UsageError | None:
    """Which extra brings the package that is not there; None if no extra does."""
    package = (error.name or "").partition(".")[0]
    for extra, packages in EXTRAS.items():
        if package in packages:
            return UsageError(
                f"this needs {package}, which is not installed",
                remedy=install_command(extra),
            )
    return None


def explained(error: BaseException) -> CorefmillError | None:
    """The line for an error that is no fault of the program; None for one that is."""
    if isinstance(error, ModuleNotFoundError):
        return missing_package(error)
    if isinstance(error, OSError):
        return _of_system(error)
    if isinstance(error, EOFError):
        return DataError(
            f"an input ends too early: {_brief(error) or 'nothing is left of it'}",
            path=_file(error),
            remedy="get it again, whole",
        )
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return DataError(_NO_MEMORY[0], remedy=_NO_MEMORY[1])
    number = _number(error)
    text = _brief(error)
    if number is not None:
        said, remedy = _SAID[number]
        path = None if _NAMES_FILE.search(text) else _file(error, number)
        return DataError(f"{said}: {text}", path=path, remedy=remedy)
    if _is_duckdb(error, "IOException"):
        return DataError(text, remedy="see that the files it works on can be read and written")
    return None


def _of_system(error: OSError) -> DataError:
    if error.errno == errno.ENOENT and not _has_directory():
        return DataError(
            "the working directory was removed", remedy="change to another, then try again"
        )
    said, remedy = _SAID.get(error.errno or 0, (error.strerror or _brief(error), None))
    path = _target(error.filename) or _file(error, error.errno)
    if path in (STDOUT, STDERR) and error.errno in _WRITING:
        remedy = "make room, or send it elsewhere"
    return DataError(said, path=path, remedy=remedy)


def _has_directory() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _number(error: BaseException) -> int | None:
    """The system's number for an error of a library, where it is one that _SAID knows."""
    text = str(error)
    number: int | None = None
    if found := _BY_NUMBER.search(text):
        number = int(found[1] or found[2])
    elif code := getattr(error, "sqlite_errorcode", None):
        number = _SQLITE.get(code & 0xFF)  # the higher bits go into detail
    elif _is_duckdb(error, "OutOfMemoryException"):
        # What DuckDB calls memory is the disk too, once it has moved what it holds there.
        number = errno.ENOSPC if "max_temp_directory_size" in text else errno.ENOMEM
    else:
        number = next((one for words, one in _BY_WORDS.items() if words in text), None)
    return number if number in _SAID else None


def _is_duckdb(error: BaseException, name: str) -> bool:
    kind = type(error)
    return kind.__name__ == name and kind.__module__ in ("duckdb", "_duckdb")


def _brief(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _target(name: object) -> str | None:
    """The file of that name, or the one that it is to become."""
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if not isinstance(name, str | os.PathLike):
        return None
    path = Path(name)
    for place in (*reversed(path.parents), path):
        if found := _TEMPORARY.fullmatch(place.name):
            return str(place.with_name(found[1]))
    return str(path)


def _file(error: BaseException, number: int | None = None) -> str | None:
    """The file that was worked on, which `write` and `read` do not tell.

    It is the innermost one that a function was at when the error passed through it; else the
    innermost path.
    """
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame.f_locals)
        trace = trace.tb_next
    for values in reversed(frames):
        for value in reversed(values.values()):
            if isinstance(value, io.IOBase) and _fits(value, number):
                return _target(value.name)  # type: ignore[attr-defined]
    for values in reversed(frames):
        for value in reversed(values.values()):
            if isinstance(value, Path):
                return _target(value)
    return None


def _fits(file: io.IOBase, number: int | None) -> bool:
    """Whether it is a file with a name, which is written to where writing failed."""
    mode = getattr(file, "mode", "")
    written = not isinstance(mode, str) or bool(set(mode) & set("wxa+"))
    named = isinstance(getattr(file, "name", None), str | os.PathLike)
    return named and (written or number not in _WRITING)
