"""Describe a user's fault in one line: file, line and remedy.

Remedies may name the nearest known name, or the command that installs a missing package.
"""

from __future__ import annotations

import difflib
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from urllib.parse import unquote, urlsplit

# A path has one slash where a URL has two, and may have got folders before it.
_URL = re.compile("(?:/(?:.*/)?)?(s3|gs|az|hf|https?):/(?!/)")


class CorefmillError(Exception):
    """A fault for the user to correct; the command line prints one line and exits with 2.

    `message` states the fault, `path` and `line` (1-based) its place, `remedy` the way out.
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
        self.path = None
        if path is not None:
            text = str(path)
            match = _URL.match(text)  # a URL is shown as it was given, before `Path` took a slash
            self.path = f"{match[1]}://{text[match.end() :]}" if match else text
        self.line = line
        self.remedy = remedy
        super().__init__(str(self))

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword arguments are lost by the default, and the error crosses process borders.
        made = partial(type(self), path=self.path, line=self.line, remedy=self.remedy)
        return (made, (self.message,))

    def __str__(self) -> str:
        where = "" if self.path is None else self.path
        if self.line is not None:
            where += f":{self.line}" if where else f"line {self.line}"
        text = f"{where}: {self.message}" if where else self.message
        if self.remedy:
            text += f" ({self.remedy})"
        return " ".join(text.split())


class DataError(CorefmillError):
    """Input not readable in its format."""


class UsageError(CorefmillError):
    """Options at odds with each other, or a resource not installed."""


@contextmanager
def naming(path: str | PathLike[str], line: int | None) -> Iterator[None]:
    """Turn a `ValueError` of the block into a `DataError` with file and line."""
    try:
        yield
    except ValueError as error:
        raise DataError(str(error), path=path, line=line) from None


_LIKE = 0.7  # `nope` is not to be taken for `not_prose`


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, as `, did you mean NEAR?`; empty where none is near."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=_LIKE)
    return f", did you mean {near[0]}?" if near else ""


def install_command(extra: str) -> str:
    """Write the command to install the packages of `extra` beside this corefmill."""
    checkout = Path(__file__).parents[3]
    if (checkout / "pyproject.toml").is_file():
        return f"{_pip()} install -e {shlex.quote(f'{checkout}[{extra}]')}"
    return f"{_pip()} install {shlex.quote(_requirement(extra))}"


def _pip() -> str:
    """Name the pip of this Python: a shell may find another one's, or none."""
    found = shutil.which("pip")
    if found and Path(found).parent == Path(sys.executable).parent:
        return "pip"
    return f"{shlex.quote(sys.executable)} -m pip"


def _requirement(extra: str) -> str:
    """Write the requirement of this package with an extra, from where pip installed it."""
    from importlib import metadata  # takes a fifth of the time of a help

    name = f"corefmill[{extra}]"
    try:
        # pip leaves this file where a wheel, a folder or a repository was named, not an index.
        origin = json.loads(metadata.distribution("corefmill").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        origin = {}
    url = urlsplit(origin.get("url", ""))
    if url.scheme == "file":
        path = Path(unquote(url.path))
        return f"{path if path.exists() else path.name}[{extra}]"  # a name to look for, if it went
    if url.scheme:
        vcs = origin.get("vcs_info", {}).get("vcs")
        return f"{name} @ {f'{vcs}+' if vcs else ''}{url.geturl()}"
    return name
