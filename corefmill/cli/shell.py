"""How every command ends and what it prints: whatever happens is one line and an exit code."""

from __future__ import annotations

import atexit
import functools
import gc
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TextIO, TypeAlias, cast

import typer
from typer.main import get_command

from corefmill.cli.failures import explained
from corefmill.cli.help_imports import import_help
from corefmill.cli.plain_values import take_plain_values
from corefmill.cli.printing import begin, print_failure
from corefmill.corpora.files.errors import CorefmillError
from corefmill.corpora.files.terminal import (
    STDERR,
    STDOUT,
    PrintableStream,
    guard_streams,
    printable,
)

Unparsable: type[Any] = cast(Any, typer.BadParameter.__base__)
"""A command line that does not parse. Typer names one sort of it only, and brings its own click."""

WRONG, INTERNAL, INTERRUPTED, NOBODY_READS = 2, 70, 130, 141
"""Exit codes: for what the user can correct, for a bug, for Ctrl-C and SIGTERM, for `| head`."""

Streams: TypeAlias = tuple[PrintableStream, PrintableStream]

_DUCKDB_INTERRUPTED = "Query interrupted"
"""What DuckDB makes of Ctrl-C: a RuntimeError."""

_NO_COMMAND = re.compile(r"No such command '([^']*)'")

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*?>=(?P<least>[\d.]+)")
_NUMBER = re.compile(r"\d+")

_LONGEST = 300
"""Characters of an unforeseen error that are shown; all of it is in the file."""

_LONGEST_LINE = 2000
"""Characters of a line that says what is wrong, which may hold a word of a file."""


def run(load: Callable[[], typer.Typer], name: str) -> None:
    """Runs a command line and exits: with 0 or what the command says, 2 for what the user can
    correct, 70 for a fault of the program, 130 when interrupted, 141 when nobody reads the output.

    `load` gives the command: what takes long to import is imported where Ctrl-C is minded.
    """
    # Of fonts that it seeks for long, and of a home that it cannot write to, nobody need hear.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    begin(name, sys.argv)
    gc.disable()  # until the command begins: what is imported stays, and a search finds nothing
    with _standard_streams() as streams, _sigterm_as_ctrl_c():
        try:
            code = _called(load, name, streams)
            sys.stdout.flush()  # a full disk may show here only
        except (Exception, KeyboardInterrupt) as error:
            _leave_alone()
            code = _ended(error, name)
        else:
            if code == INTERRUPTED:  # typer catches Ctrl-C
                code = _ended(KeyboardInterrupt(), name)
    gc.enable()
    atexit.register(gc.disable)  # when the process ends, all is freed: nothing need be sought
    begin(name, ())  # nothing of this line holds for what a program calls next
    sys.exit(code)


def _called(load: Callable[[], typer.Typer], name: str, streams: Streams) -> Any:
    """The command's exit code; raises what it raises."""
    command = get_command(load())
    begin(" ".join((name, *_words(command, sys.argv[1:]))), sys.argv)
    _guard(command, streams)
    if "--help" in sys.argv:
        import_help()
    else:
        take_plain_values(command)
    try:
        return command(prog_name=name, standalone_mode=False)
    except SystemExit as end:
        # So click and rich end for a broken pipe, with the code that says that `check` found some.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise


def _words(command: Any, line: Sequence[str]) -> Iterator[str]:
    """The words of a command line that call a command below this one."""
    below = getattr(command, "commands", {})
    if line and line[0] in below:
        yield line[0]
        yield from _words(below[line[0]], line[1:])


def _guard(command: Any, streams: Streams) -> None:
    """From a command's first step on, control codes are escaped: the help, which click prints
    before, may have colours."""
    for below in getattr(command, "commands", {}).values():
        _guard(below, streams)
    if command.callback is None:
        return
    callback = command.callback

    @functools.wraps(callback)
    def guarded(*values: Any, **options: Any) -> Any:
        for stream in streams:
            stream.escapes = True
        gc.enable()
        try:
            return callback(*values, **options)
        except EOFError as error:  # which click takes for the end of what a user types
            raise explained(error) or error from error

    command.callback = guarded


def _ended(error: BaseException, name: str) -> int:
    """Says what is wrong; gives the exit code."""
    if isinstance(error, KeyboardInterrupt | typer.Abort) or str(error) == _DUCKDB_INTERRUPTED:
        _say(name, "interrupted", INTERRUPTED)
        return INTERRUPTED
    if isinstance(error, Unparsable):
        _explain(error, name)
        return WRONG
    if isinstance(error, BrokenPipeError) and error.filename in (STDOUT, STDERR):
        return NOBODY_READS
    known = error if isinstance(error, CorefmillError) else explained(error)
    if known is not None:
        code = int(getattr(known, "exit_code", WRONG))
        _say(name, str(known), code)
        return code
    if old := outdated():
        said = f"{type(error).__name__}: {error}: {', '.join(old)} is needed, an older one is here"
        _say(name, f"{said} (pip install {' '.join(map(repr, old))})", WRONG)
        return WRONG
    _report(error, name)
    return INTERNAL


def outdated() -> list[str]:
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


def _explain(error: Any, name: str) -> None:
    """One line, but for a command alone, which shows its help."""
    said = error.format_message().strip().replace(": Value error, ", ": ")  # pydantic's words
    if type(error).__name__ == "NoArgsIsHelpError":
        with suppress(OSError):
            print(said, file=sys.stderr)
        return
    where = name if error.ctx is None else error.ctx.command_path
    remedy = f"{where} --help explains"
    if match := _NO_COMMAND.match(said):
        remedy = _elsewhere(match[1]) or remedy
    _say(name, f"{' '.join(said.split()).rstrip('.')} ({remedy})", WRONG)


def _elsewhere(command: str) -> str | None:
    """Says of a command that it stands below another one, if any."""
    from corefmill.cli.commands import COREFMILL, Group

    for above, group in COREFMILL.commands.items():
        if isinstance(group, Group) and command in group.commands:
            return f"it is corefmill {above} {command}"
    return None


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
def _standard_streams() -> Iterator[Streams]:
    """Both streams under guard; what they cannot write at the end is not complained of again."""
    _open_closed()
    before = sys.stdout, sys.stderr
    streams = guard_streams(escapes=False)
    try:
        yield streams
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
