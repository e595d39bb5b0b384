"""What went wrong outside of the program: the disk, the memory, the rights; in one line."""

from __future__ import annotations

import os
import re

from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError, install_command

# Libraries that are no Python, such as DuckDB, Tantivy, safetensors and torch, raise errors of
# their own, with the system's words or number in their text.
_SYSTEMS = re.compile(
    "No space left|Disk quota exceeded|File too large|Read-only file system|Permission denied"
    "|Input/output error|File name too long|Too many open files|Cannot allocate memory"
    r"|\bos error \d+\b|\bOs \{ code: \d+,"
)
_SQLITE = (3, 7, 8, 10, 13, 14)
"""SQLite's own numbers for what the system refuses; its module need not be imported for them."""

# What is not whole yet: a file by corpora/files/writing.py, a folder by corpora/convert.py.
_DRAFT = re.compile(r"\.([^/]+)\.\d+\.tmp(/.*)?$")

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


def explain_error(error: BaseException) -> CorefmillError | None:
    """The line for an error that is no fault of the program; None for one that is."""
    if isinstance(error, ModuleNotFoundError):
        return missing_package(error)
    text = " ".join(str(error).split())
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]} ..."
    if isinstance(error, OSError):
        name = error.filename
        path = os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else None
        return DataError(error.strerror or text, path=path and _DRAFT.sub(r"\1", path))
    if isinstance(error, EOFError):
        return DataError(
            f"an input ends too early: {text or 'nothing is left of it'}",
            remedy="get it again, whole",
        )
    kind = type(error)
    if isinstance(error, MemoryError) or kind.__name__ == "OutOfMemoryError":  # torch's
        return DataError(
            "memory ran out",
            remedy="give it less at once (fewer --workers, smaller batches), or use a machine with"
            " more",
        )
    if (
        _SYSTEMS.search(text)
        or getattr(error, "sqlite_errorcode", 0) & 0xFF in _SQLITE
        or (
            kind.__module__ in ("duckdb", "_duckdb")
            and kind.__name__ in ("IOException", "OutOfMemoryException")
        )
    ):
        return DataError(text)
    return None
