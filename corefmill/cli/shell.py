"""How every command ends and what it prints: whatever happens is one line and an exit code."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

import click

from corefmill.cli.command import Command, Group
from corefmill.cli.failures import explain_error
from corefmill.cli.printing import begin, print_failure
from corefmill.corpora.files.errors import CorefmillError
from corefmill.corpora.files.terminal import (
    STDERR,
    STDOUT,
    guard_streams,
    printable,
)

WRONG, INTERNAL, INTERRUPTED, NOBODY_READS = 2, 70, 130, 141
"""Exit codes: for what the user can correct, for a bug, for Ctrl-C and SIGTERM, for `| head`."""

_DUCKDB_INTERRUPTED = "Query interrupted"
"""What DuckDB makes of Ctrl-C: a RuntimeError."""

_NO_COMMAND = re.compile(r"No such command '([^']*)'")

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*?>=(?P<least>[\d.]+)")
_NUMBER = re.compile(r"\d+")

_LONGEST = 300
"""Characters of an unforeseen error that are shown; all of it is in the file."""

_LONGEST_LINE = 2000
"""Characters of a line that says what is wrong, which may hold a word of a file."""


def run(command: Group | Command) -> None:
    """Run a command line and exit.

    The exit code is 0 or the command's own, 2 for what the user can correct, 70 for a fault of the
    program, 130 when interrupted, 141 when nobody reads the output.
    """
    name = str(command.name)
    # Of fonts that it seeks for long, and of a home that it cannot write to, nobody need hear.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    begin(" ".join((name, *_words(command, sys.argv[1:]))), sys.argv)
    gc.disable()  # until the command begins: what is imported stays, and a search finds nothing
    with _standard_streams(), _sigterm_as_ctrl_c():
        try:
            code = _call(command, name)
            sys.stdout.flush()  # a full disk may show here only
        except (Exception, KeyboardInterrupt) as error:
            _leave_alone()
            code = _end(error, name)
    gc.enable()
    atexit.register(gc.disable)  # when the process ends, all is freed: nothing need be sought
    begin(name, ())  # nothing of this line holds for what a program calls next
    sys.exit(code)


def _call(command: Group | Command, name: str) -> int:
    """Complete a line for a shell, or run it; return the exit code."""
    variable = f"_{name.upper()}_COMPLETE"
    if wanted := os.environ.get(variable):
        return click.shell_completion.shell_complete(command, {}, name, variable, wanted)
    try:
        with command.make_context(name, sys.argv[1:]) as context:
            command.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def _words(command: object, line: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command line that call a command below this one."""
    if isinstance(command, Group) and line and line[0] in command.entries:
        yield line[0]
        yield from _words(command.entries[line[0]], line[1:])


def _end(error: BaseException, name: str) -> int:
    """Says what is wrong; gives the exit code."""
    if isinstance(error, KeyboardInterrupt) or str(error) == _DUCKDB_INTERRUPTED:
        _say(name, "interrupted", INTERRUPTED)
        return INTERRUPTED
    if isinstance(error, click.UsageError):
        _explain(error, name)
        return WRONG
    if isinstance(error, BrokenPipeError) and error.filename in (STDOUT, STDERR):
        return NOBODY_READS
    known = error if isinstance(error, CorefmillError) else explain_error(error)
    if known is not None:
        code = int(getattr(known, "exit_code", WRONG))
        _say(name, str(known), code)
        return code
    if old := find_outdated():
        said = f"{type(error).__name__}: {error}: {', '.join(old)} is needed, an older one is here"
        _say(name, f"{said} (pip install {' '.join(map(repr, old))})", WRONG)
        return WRONG
    _report(error, name)
    return INTERNAL


def find_outdated() -> list[str]:
    """List what corefmill's own requirements ask for where an older version is installed."""
    from importlib.metadata import PackageNotFoundError, requires, version

    found: dict[str, str] = {}
    for match in map(_REQUIREMENT.match, requires("corefmill") or ()):
        with suppress(PackageNotFoundError):
            if match is not None:
                numbers = (_NUMBER.findall(text) for text in (version(match[1]), match[2]))
                here, wanted = (tuple(map(int, one[:3])) for one in numbers)
                if here < wanted:
                    found.setdefault(match[1], f"{match[1]}>={match[2]}")
    return [*found.values()]


def _explain(error: click.UsageError, name: str) -> None:
    """One line, but for a command alone, which shows its help."""
    said = error.format_message().strip().replace(": Value error, ", ": ")  # pydantic's words
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        with suppress(OSError):
            print(said, file=sys.stderr)
        return
    where = name if error.ctx is None else error.ctx.command_path
    remedy = f"{where} --help explains"
    if match := _NO_COMMAND.match(said):
        root = None if error.ctx is None else error.ctx.find_root().command
        for above, group in root.entries.items() if isinstance(root, Group) else ():
            if isinstance(group, Group) and match[1] in group.entries:  # a level too high
                remedy = f"it is {name} {above} {match[1]}"
    _say(name, f"{' '.join(said.split()).rstrip('.')} ({remedy})", WRONG)


def _say(name: str, line: str, code: int) -> None:
    """A line of a bearable length; what was wrong and the remedy stand at its ends."""
    if len(line) > _LONGEST_LINE:
        line = f"{line[: _LONGEST_LINE - _LONGEST]} ... {line[-_LONGEST:]}"
    # Where it cannot be said, the exit code tells.
    with suppress(OSError):
        print(printable(f"{name}: {line}"), file=sys.stderr, flush=True)
    with suppress(OSError):
        print_failure(line, code)


def _report(error: BaseException, name: str) -> None:
    """A fault of the program: a line, and a file with what those who fix it need."""
    import platform
    import tempfile
    import traceback
    from importlib.metadata import version

    trace = "".join(traceback.format_exception(error))
    about = f"corefmill {version('corefmill')}, Python {platform.python_version()}: {sys.argv}\n"
    try:
        descriptor, path = tempfile.mkstemp(prefix="corefmill-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(about + trace)
        where = f"its traceback is in {path}"
    except OSError:
        with suppress(OSError):
            print("\n".join(map(printable, trace.splitlines())), file=sys.stderr)
        where = "its traceback is above"
    said = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    if len(said) > _LONGEST:
        said = f"{said[:_LONGEST]} ..."
    _say(name, f"internal error: {said}; {where}; please report it", INTERNAL)


@contextmanager
def _standard_streams() -> Iterator[None]:
    """Both streams under guard; what they cannot write at the end is not complained of again."""
    _open_closed()
    before = sys.stdout, sys.stderr
    guard_streams(escapes=False)
    try:
        yield
    finally:
        # click puts others in their place, too
        sys.stdout, sys.stderr = before
        for stream in before:
            _finish(stream)


def _open_closed() -> None:
    """Files that are opened later must not become a standard stream that is closed (`>&-`)."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(descriptor, True)
            if number:  # whoever reads a closed standard input is told so
                setattr(sys, name, os.fdopen(descriptor, "w", encoding="utf-8"))


def _finish(stream: TextIO) -> None:
    """Writes what is held back; what cannot be written, Python would complain of at its exit."""
    try:
        stream.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _leave_alone() -> None:
    """What is about to end is not to be interrupted a second time."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
