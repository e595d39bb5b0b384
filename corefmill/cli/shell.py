"""Run command lines, and end each with an exit code and at most one line of error."""

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

import click

from corefmill.cli.command import Command, Group
from corefmill.cli.printing import begin, print_failure
from corefmill.corpora.files.errors import CorefmillError, DataError, UsageError, install_command
from corefmill.corpora.files.terminal import STDERR, STDOUT, guard_streams, printable

WRONG, INTERNAL, INTERRUPTED, NOBODY_READS = 2, 70, 130, 141
"""Exit codes: for a user's error, for a bug, for Ctrl-C and SIGTERM, for `| head`."""

_DUCKDB_INTERRUPTED = "Query interrupted"
"""The message of the RuntimeError that DuckDB raises after Ctrl-C."""

_NO_COMMAND = re.compile(r"No such command '([^']*)'")

_LONGEST = 300
"""Most characters to show of a message of Python or a library."""

_LONGEST_LINE = 2000
"""Most characters of an error's line, which may quote a word of a file."""


# Libraries that are not Python, such as DuckDB, Tantivy, safetensors and torch, raise errors of
# their own, with the system's words or number in their text.
_SYSTEMS = re.compile(
    "No space left|Disk quota exceeded|File too large|Read-only file system|Permission denied"
    "|Input/output error|File name too long|Too many open files|Cannot allocate memory"
    r"|\bos error \d+\b|\bOs \{ code: \d+,"
)
_NO_TEMPORARY = "No usable temporary directory found"
"""Python's message if neither TMPDIR nor /tmp nor the working directory is writable."""
_SQLITE = (3, 7, 8, 10, 13, 14)
"""SQLite's numbers of system errors, so that its module need not be imported."""

# Names of unfinished files (corpora/files/writing.py) and folders (corpora/convert.py).
_DRAFT = re.compile(r"\.([^/]+)\.\d+\.tmp(/.*)?$")

# Packages by the extra that installs them. They are imported where they are used, so that other
# commands run without them.
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


def run(command: Group | Command) -> None:
    """Run a command line and exit.

    The exit code is 0 or the command's own, 2 for a user's error, 70 for a fault of the program,
    130 when interrupted, 141 when nobody reads the output.
    """
    name = str(command.name)
    # Silence matplotlib's messages on a long search for fonts and an unwritable home folder.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    begin(" ".join((name, *_find_subcommands(command, sys.argv[1:]))), sys.argv)
    gc.disable()  # until the command begins, since imported modules stay
    with _guard_standard_streams(), _treat_sigterm_as_ctrl_c():
        try:
            code = _run_line(command, name)
            sys.stdout.flush()  # a full disk may show here only
        except (Exception, KeyboardInterrupt) as error:
            # The ending process must not be interrupted a second time.
            if threading.current_thread() is threading.main_thread():
                for number in (signal.SIGINT, signal.SIGTERM):
                    signal.signal(number, signal.SIG_IGN)
            code = _report_end(error, name)
    gc.enable()
    atexit.register(gc.disable)  # the end of the process frees all memory
    begin(name, ())  # settings of this line must not affect a program's next call
    sys.exit(code)


def _run_line(command: Group | Command, name: str) -> int:
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


def _find_subcommands(command: object, line: Sequence[str]) -> Iterator[str]:
    """Yield the names of the subcommands in a command line, such as `models`, `list`."""
    if isinstance(command, Group) and line and line[0] in command.entries:
        yield line[0]
        yield from _find_subcommands(command.entries[line[0]], line[1:])


def _report_end(error: BaseException, name: str) -> int:
    """Print an error in one line; return the exit code."""
    if isinstance(error, KeyboardInterrupt) or str(error) == _DUCKDB_INTERRUPTED:
        _print_error(name, "interrupted", INTERRUPTED)
        return INTERRUPTED
    if isinstance(error, click.UsageError):
        _print_usage_error(error, name)
        return WRONG
    if isinstance(error, BrokenPipeError) and error.filename in (STDOUT, STDERR):
        return NOBODY_READS
    known = error if isinstance(error, CorefmillError) else explain_error(error)
    if known is not None:
        code = int(getattr(known, "exit_code", WRONG))
        _print_error(name, str(known), code)
        return code
    _report_bug(error, name)
    return INTERNAL


def _print_usage_error(error: click.UsageError, name: str) -> None:
    """Print a usage error in one line, or the help of a group called alone."""
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
    _print_error(name, f"{' '.join(said.split()).rstrip('.')} ({remedy})", WRONG)


def _print_error(name: str, line: str, code: int) -> None:
    """Print an error line on standard error, cut in the middle if too long, and as --json."""
    if len(line) > _LONGEST_LINE:
        line = f"{line[: _LONGEST_LINE - _LONGEST]} ... {line[-_LONGEST:]}"
    # If the line cannot be printed, the exit code remains.
    with suppress(OSError):
        print(printable(f"{name}: {line}"), file=sys.stderr, flush=True)
    with suppress(OSError):
        print_failure(line, code)


def _report_bug(error: BaseException, name: str) -> None:
    """Print a line about a fault of the program, and write its traceback to a file."""
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
    _print_error(name, f"internal error: {said}; {where}; please report it", INTERNAL)


@contextmanager
def _guard_standard_streams() -> Iterator[None]:
    """Guard standard output and error, and silence Python's complaint if they fail at exit."""
    # /dev/null for closed streams (`>&-`), so that later files do not get their descriptors.
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(descriptor, True)
            if number:  # readers of a closed standard input get an error
                setattr(sys, name, os.fdopen(descriptor, "w", encoding="utf-8"))
    before = sys.stdout, sys.stderr
    guard_streams(escapes=False)
    try:
        yield
    finally:
        # click replaces them, too
        sys.stdout, sys.stderr = before
        for stream in before:
            try:
                stream.flush()
            except OSError:
                with suppress(OSError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _treat_sigterm_as_ctrl_c() -> Iterator[None]:
    """Make SIGTERM raise KeyboardInterrupt in the block, and restore the handlers behind it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def name_extra(error: ModuleNotFoundError) -> UsageError | None:
    """Make an error that names the extra with a missing package; None if no extra has it."""
    package = (error.name or "").partition(".")[0]
    for extra, packages in EXTRAS.items():
        if package in packages:
            return UsageError(
                f"this command needs the package {package}, which is not installed",
                remedy=install_command(extra),
            )
    return None


def explain_error(error: BaseException) -> CorefmillError | None:
    """Explain an error of the system or of lacking resources; None for a fault of the program."""
    if isinstance(error, ModuleNotFoundError):
        return name_extra(error)
    text = " ".join(str(error).split())
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]} ..."
    if isinstance(error, OSError):
        if _NO_TEMPORARY in text:  # the temporary folder is missing, not the output file
            return DataError(
                "there is no folder for temporary files that can be written to",
                remedy="name one in the environment variable TMPDIR",
            )
        name = error.filename
        path = os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else None
        return DataError(error.strerror or text, path=path and _DRAFT.sub(r"\1", path))
    if isinstance(error, EOFError):
        return DataError(
            f"an input file ends too early: {text or 'nothing is left to read'}",
            remedy="get the whole file again",
        )
    # From here on by class names, so that torch, DuckDB and the like need not be imported.
    kind = type(error)
    if isinstance(error, MemoryError) or kind.__name__ == "OutOfMemoryError":  # torch's
        return DataError(
            "memory ran out",
            remedy="use fewer --workers or smaller batches, or a machine with more memory",
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
