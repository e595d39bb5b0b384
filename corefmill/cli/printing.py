"""Output and log of commands: tables, JSON for scripts, progress bars, --verbose."""

from __future__ import annotations

import json
import logging
import os
import platform
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from corefmill.corpora import card_parts
from corefmill.corpora.files.terminal import hide_progress, printable, progress_bar

T = TypeVar("T")

Told = tuple[dict[str, Any], str]
"""The result of a command: an object for --json, and the text to print."""

SCHEMA = "result/1"
"""The schema of the object that --json prints; docs/scripts.md explains it."""

_PLURALS = {"person": "people"}
"""Irregular plurals."""


@dataclass(slots=True)
class Call:
    """A call of a command: its words after `corefmill`, its switches, and its warnings so far."""

    command: str = ""
    as_json: bool = False
    quiet: bool = False
    warnings: list[str] = field(default_factory=list)
    answered: bool = False


_call = Call()


def begin(command: str, line: Sequence[str]) -> None:
    """Begin the call of a command, given its name and its command line with the switches."""
    global _call
    quiet = "--quiet" in line or "-q" in line
    _call = Call(command.removeprefix("corefmill").strip(), "--json" in line, quiet)
    hide_progress(quiet or _call.as_json)


class _Warnings(logging.Handler):
    """Prints each logged warning on standard error, and keeps it for --json."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning and keep it for --json."""
        text = record.getMessage()
        if _call.as_json:
            _call.warnings.append(text)
        if not _call.quiet:
            print(text, file=sys.stderr, flush=True)


logging.getLogger("corefmill").addHandler(_Warnings(logging.WARNING))


def print_json(result: Any, *, signature: str | None = None, failure: str | None = None) -> None:
    """Print a command's result as one line of JSON, with the logged warnings and a signature.

    `failure` is the message of the error that is raised next, for an input that was cut off after
    the part with this result; it is added to the warnings.
    """
    if failure is not None:
        _call.warnings.append(failure)
    _print_envelope(result, signature)


def print_result(result: Any, said: str, *, as_json: bool, quiet: bool = False) -> None:
    """Print a command's result as JSON, else the text `said` about it, unless `quiet`."""
    if as_json:
        print_json(result)
    elif not quiet:
        print(said)


def print_failure(message: str, exit_code: int) -> None:
    """Print the error of a failed command as JSON, if --json was given and nothing was printed."""
    if _call.as_json and not _call.answered:
        _print_envelope(None, None, error={"message": message, "exit_code": exit_code})


def _print_envelope(result: Any, signature: str | None, **more: Any) -> None:
    """Print the JSON object of a call: schema, command, version, result, warnings."""
    from importlib.metadata import version

    envelope = {
        "schema": SCHEMA,
        "command": _call.command,
        "version": version("corefmill"),
        "result": result,
        "warnings": _call.warnings,
        "signature": signature,
        **more,
    }
    _call.answered = True
    print(json.dumps(envelope, ensure_ascii=False), flush=True)


def progress(items: Iterable[T], unit: str = "records") -> Iterable[T]:
    """Yield the items, with a progress bar unless --quiet or --json was given."""
    yield from progress_bar(items, unit=f" {unit}", hidden=False)


def many(number: int, what: str) -> str:
    """Write a number with its noun in singular or plural: 1 record, 1,234 records."""
    return f"{number:,} {what if number == 1 else _PLURALS.get(what, what + 's')}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """Lay out rows below a head as plain text; the last `numbers` columns are right-aligned."""
    return "\n".join(card_parts.columns(head, rows, numbers))


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """Lay out rows below a head as a Markdown table; the last `numbers` are right-aligned."""
    return "\n".join(
        card_parts.table(head, [[cell.strip() for cell in row] for row in rows], numbers)
    )


@contextmanager
def log_command() -> Iterator[None]:
    """Log the command line, the block's steps and its time on standard error, for --verbose."""
    from importlib.metadata import version

    log = logging.getLogger("corefmill")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Printable("%(asctime)s %(levelname)s %(message)s"))
    handler.addFilter(lambda record: record.levelno == logging.INFO)  # warnings are printed anyway
    log.addHandler(handler)
    level = log.level
    log.setLevel(logging.INFO)
    log.info("%s", shlex.join(sys.argv))
    about = version("corefmill"), platform.python_version(), platform.platform(), os.getpid()
    log.info("corefmill %s, Python %s, %s, process %d", *about)
    start, used = time.monotonic(), time.process_time()
    try:
        yield
    except BaseException as error:
        log.info("ended by %s", type(error).__name__)
        raise
    finally:
        took = time.monotonic() - start, time.process_time() - used
        log.info("took %.1f s, %.1f s of this process's processor time", *took)
        log.setLevel(level)
        log.removeHandler(handler)


class _Printable(logging.Formatter):
    """Formats lines with control codes escaped."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))
