"""The one error that bad input raises: a single line naming file, line and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike

# A path has one slash where a URL has two, and may have got folders before it.
_URL = re.compile("(?:/(?:.*/)?)?(s3|gs|az|hf|https?):/(?!/)")


class CorefmillError(Exception):
    """A failure that the user can correct; the command line prints one line and exits with 2.

    `message` says what is wrong, `path` and `line` (1-based) where, `remedy` what to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | PathLike[str] | None = None,
        line: int | None = None,
        remedy: str | None = None,
    ) -> None:
        self.message = message
        self.path = None if path is None else as_given(path)
        self.line = line
        self.remedy = remedy
        super().__init__(str(self))

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword arguments are lost by the default, and the error crosses process borders.
        return (_rebuild, (type(self), self.message, self.path, self.line, self.remedy))

    def __str__(self) -> str:
        where = "" if self.path is None else self.path
        if self.line is not None:
            where += f":{self.line}" if where else f"line {self.line}"
        text = f"{where}: {self.message}" if where else self.message
        if self.remedy:
            text += f" ({self.remedy})"
        return " ".join(text.split())


def as_given(path: str | PathLike[str]) -> str:
    """A path as the user gave it, of whose URL `Path` has made one."""
    text = str(path)
    match = _URL.match(text)
    return f"{match[1]}://{text[match.end() :]}" if match else text


def _rebuild(
    kind: type[CorefmillError],
    message: str,
    path: str | None,
    line: int | None,
    remedy: str | None,
) -> CorefmillError:
    return kind(message, path=path, line=line, remedy=remedy)


class DataError(CorefmillError):
    """Input that cannot be read as what it is said to be."""


class UsageError(CorefmillError):
    """Options that do not fit together, or a resource that is not installed."""


@contextmanager
def naming(path: str | PathLike[str], line: int | None) -> Iterator[None]:
    """Make of a `ValueError` within it a `DataError` that names the file and the line."""
    try:
        yield
    except ValueError as error:
        raise DataError(str(error), path=path, line=line) from None
