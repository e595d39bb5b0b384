"""What commands print and log: tables, JSON for scripts, progress bars, --verbose, --log-file."""

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
from pathlib import Path
from typing import Any, TypeVar

from corefmill.corpora import card_parts
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.terminal import printable
from corefmill.corpora.files.writing import refuse_url

T = TypeVar("T")

Told = tuple[dict[str, Any], str]
"""What a command did, as JSON has it and as it is said."""

SCHEMA = "result/1"
"""The shape of what --json prints, which docs/scripts.md explains."""

_PLURALS = {"person": "people"}
"""Those that are not formed with an s."""


@dataclass(slots=True)
class Call:
    """A call of a command: its words after `corefmill`, and what has been said so far."""

    command: str = ""
    as_json: bool = False
    quiet: bool = False
    warnings: list[str] = field(default_factory=list)
    answered: bool = False


_call = Call()


def begin(command: str, line: Sequence[str]) -> None:
    """From now on the command of these words is called, by this line."""
    global _call
    quiet = "--quiet" in line or "-q" in line
    _call = Call(command.removeprefix("corefmill").strip(), "--json" in line, quiet)


class _Warnings(logging.Handler):
    """Each warning, of whatever room, as a line on standard error, and kept for --json."""

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a warning."""
        text = record.getMessage()
        if _call.as_json:
            _call.warnings.append(text)
        if not _call.quiet:
            print(text, file=sys.stderr, flush=True)


logging.getLogger("corefmill").addHandler(_Warnings(logging.WARNING))


def print_json(result: Any, *, signature: str | None = None, failure: str | None = None) -> None:
    """One line of JSON, its letters as they are: what every command's --json prints.

    Warnings that were logged are in it. `failure` is the line of the error that is raised next, as
    the input was cut off and the result is of what came before: it ends the warnings.
    """
    if failure is not None:
        _call.warnings.append(failure)
    _answer(result, signature)


def print_result(result: Any, said: str, *, as_json: bool, quiet: bool = False) -> None:
    """What a command did: as JSON, else as the text that is said of it, unless `quiet`."""
    if as_json:
        print_json(result)
    elif not quiet:
        print(said)


def print_failure(message: str, exit_code: int) -> None:
    """The same for a command that failed; nothing where its result was printed before."""
    if _call.as_json and not _call.answered:
        _answer(None, None, error={"message": message, "exit_code": exit_code})


def _answer(result: Any, signature: str | None, **more: Any) -> None:
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
    """Pass on the items, and show how many of them are done if that takes long."""
    from corefmill.corpora.files.terminal import progress_bar

    yield from progress_bar(items, unit=f" {unit}", hidden=_call.quiet or _call.as_json)


def many(number: int, what: str) -> str:
    """1 record, 1,234 records."""
    return f"{number:,} {what if number == 1 else _PLURALS.get(what, what + 's')}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """The rows below a head; the last `numbers` columns are set to the right."""
    return "\n".join(card_parts.columns(head, rows, numbers))


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """The same rows as a table of Markdown."""
    return "\n".join(
        card_parts.table(head, [[cell.strip() for cell in row] for row in rows], numbers)
    )


_LOG = logging.getLogger("corefmill")
_FIRST = "# log of corefmill\n"
_LINE = "%(asctime)s %(levelname)s %(message)s"


@contextmanager
def log_command(verbose: bool, file: Path | None) -> Iterator[None]:
    """Log what happens inside the block on standard error, in a file, in both or in neither."""
    handlers = [*_on_stderr(verbose), *_in_file(file)]
    if not handlers:
        yield
        return
    for handler in handlers:
        handler.setFormatter(_Printable(_LINE))
        _LOG.addHandler(handler)
    from importlib.metadata import version

    level = _LOG.level
    _LOG.setLevel(logging.DEBUG)
    _LOG.info("%s", shlex.join(sys.argv))
    about = version("corefmill"), platform.python_version(), platform.platform(), os.getpid()
    _LOG.info("corefmill %s, Python %s, %s, process %d", *about)
    start, used = time.monotonic(), time.process_time()
    try:
        yield
    except BaseException as error:
        _LOG.info("ended by %s", type(error).__name__)
        _LOG.debug("where it was", exc_info=True)
        raise
    finally:
        took = time.monotonic() - start, time.process_time() - used
        _LOG.info("took %.1f s, %.1f s of this process's processor time", *took)
        _LOG.setLevel(level)
        for handler in handlers:
            _LOG.removeHandler(handler)
            handler.close()


class _Printable(logging.Formatter):
    """Control codes in names and texts act on no terminal that the lines come to."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


class _File(logging.FileHandler):
    """A full disk ends the command as it does elsewhere."""

    def handleError(self, record: logging.LogRecord) -> None:
        raise


def _on_stderr(wanted: bool) -> Iterator[logging.Handler]:
    """Without warnings, which are said anyway, and without tracebacks."""
    if wanted:
        handler = logging.StreamHandler(sys.stderr)
        handler.addFilter(lambda record: record.levelno == logging.INFO)
        yield handler


def _in_file(path: Path | None) -> Iterator[logging.Handler]:
    """Raises `UsageError` for a file that is no log of ours: nothing is appended to a corpus."""
    if path is None:
        return
    refuse_url(path)
    if path.exists() and not path.is_file():  # who opens a FIFO waits
        raise UsageError("this is no file", path=path, remedy="name another")
    with path.open("a+", encoding="utf-8", errors="replace") as file:
        file.seek(0)
        begins = file.readline(len(_FIRST))
        if not begins:
            file.write(_FIRST)
        elif begins != _FIRST:
            raise UsageError("this file is no log of corefmill", path=path, remedy="name another")
    yield _File(path, encoding="utf-8")
