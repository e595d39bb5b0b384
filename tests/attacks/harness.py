"""Run hostile command lines in bounded forks of this interpreter, and judge how each one ends."""

from __future__ import annotations

import atexit
import contextlib
import fnmatch
import hashlib
import io
import os
import re
import resource
import select
import shlex
import shutil
import signal
import stat
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import NoReturn

from tests.attacks.disk import Disk, Fault

DONE, REFUSED, EITHER, CHECKED = (0,), (2,), (0, 2), (0, 1, 2)
"""Exit codes that are right; 1 is `check`'s alone."""
PROCESSOR, CLOCK, IDLE, MEMORY = 60, 300.0, 45.0, 2 << 30
"""Bounds of a command: seconds of processor, by the clock, and without progress; bytes."""


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a command: `code` is negative for a signal, `fate` says why it was killed."""

    code: int
    out: bytes = b""
    err: bytes = b""
    fate: str = ""

    @property
    def text(self) -> str:
        """All that it wrote."""
        return (self.out + self.err).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions in which a command starts.

    `stdin` None is a closed one. `stdout` is "kept", "full" (a full disk), "closed" or "gone" (a
    pipe without a reader). `file_limit` is ulimit -f in bytes, `fault` one of the file operations
    below the working directory. `signal` is sent after `delay` seconds of processor time, since the
    load of the machine is no matter then. `program` takes the console script instead of a fork.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | None = b""
    stdout: str = "kept"
    file_limit: int = 0
    fault: Fault | None = None
    nobody: bool = False
    signal: int = 0
    delay: float = 0.0
    program: bool = False


PLAIN = Conditions()


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of an attack, the shared inputs, and a way to run commands there."""

    base: Path
    seeds: Path

    @property
    def at(self) -> Path:
        """The working directory."""
        return self.base / "at"

    def path(self, name: str) -> Path:
        """Make the folders of a path below the working directory."""
        path = self.at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def put(self, name: str, content: bytes | str = b"somebody's\n") -> Path:
        """Write a file below the working directory."""
        path = self.path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run(self, argv: Sequence[str], conditions: Conditions = PLAIN) -> Result:
        """Run a command line; {seeds} stands for the folder of inputs."""
        words = [word.replace("{seeds}", str(self.seeds)) for word in argv]
        return run(words, self.base, conditions)


Setup = Callable[[Place], object]
After = Callable[[Place, Result], str]
"""Finds what else is wrong, "" if nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A command line in a hostile situation, and its right ends.

    `writes` are patterns, below the working directory, of what the command may write; all else must
    stay as it is. `needs` is "root" or "apertium".
    """

    name: str
    argv: tuple[str, ...]
    codes: Collection[int] = EITHER
    setup: Setup = lambda place: None
    after: After = lambda place, result: ""
    conditions: Conditions = PLAIN
    writes: tuple[str, ...] = ("out*",)
    needs: str = ""

    def try_in(self, base: Path, seeds: Path) -> tuple[Result, list[str]]:
        """Try it in a new folder; return how it ended and what is wrong."""
        for name in ("at", "home", "tmp", "theirs/work"):
            (base / name).mkdir(parents=True)
        for name in ("mine.txt", "work/notes.txt"):
            (base / "theirs" / name).write_text("somebody's\n")
        place = Place(base, seeds)
        try:
            self.setup(place)
            if self.conditions.nobody:
                for name in ("home", "tmp", "at", "."):
                    (base / name).chmod(0o777)
            before, made = _snapshot(base), _stamps(seeds)
            result = place.run(self.argv, self.conditions)
            wrong = list(_complaints(self, result, before, _snapshot(base)))
            if _stamps(seeds) != made:
                wrong.append("an input was changed")
            if more := self.after(place, result):
                wrong.append(more)
        finally:
            shutil.rmtree(base, ignore_errors=True)
        return result, wrong


def line(text: str, **places: str) -> tuple[str, ...]:
    """Split a command line into words, and replace each NAME in them by its value."""
    words = []
    for word in shlex.split(text):
        for name, value in places.items():
            word = word.replace(name, value)
        words.append(word)
    return tuple(words)


def run(argv: Sequence[str], base: Path, conditions: Conditions = PLAIN) -> Result:
    """Run a console script in `base`/at; its output lies in `base` meanwhile."""
    own = _resident(os.getpid())
    pipe = os.pipe() if conditions.stdout == "gone" else None
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        _become(argv, base, conditions, pipe)
    for end in pipe or ():
        os.close(end)
    code, fate = _wait(child, conditions, own)
    said = []
    for name in ("stdout", "stderr"):
        path = base / name
        said.append(path.read_bytes() if path.exists() else b"")
        path.unlink(missing_ok=True)
    return Result(code, said[0], said[1], fate)


def _wait(child: int, conditions: Conditions, own: int) -> tuple[int, str]:
    """Wait for a command within its bounds; return its exit code and why it was killed."""
    watch = select.poll()
    watch.register(handle := os.pidfd_open(child), select.POLLIN)
    begun, fate = time.monotonic(), ""
    used, last_use, sent = -1.0, begun, not conditions.signal
    while not watch.poll(50 if sent else 5):
        now = time.monotonic()
        if (spent := _processor(child)) > used:
            used, last_use = spent, now
        if not sent and used >= conditions.delay:
            os.kill(child, conditions.signal)
            sent = True
        if now - begun > CLOCK or now - last_use > IDLE:
            fate = "hang: it waits"
        elif used > PROCESSOR:
            fate = f"hang: over {PROCESSOR} s of processor time"
        elif _resident(child) - own > MEMORY:
            fate = f"memory: over {MEMORY >> 20} MB"
        if fate:
            break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # and what it started
    os.close(handle)
    _, status = os.waitpid(child, 0)
    if not fate and conditions.signal != signal.SIGKILL and os.WIFSIGNALED(status):
        fate = f"died of {signal.Signals(os.WTERMSIG(status)).name}"
    return os.waitstatus_to_exitcode(status), fate


def _become(
    argv: Sequence[str], base: Path, conditions: Conditions, pipe: tuple[int, int] | None
) -> NoReturn:
    """Be the child: the console script and nothing after it."""
    code = 99
    try:
        os.setsid()
        # What this interpreter does at its own end is left to it: a client of Ray that a test
        # keeps crashes where it is taken apart in a fork.
        own = contextlib.ExitStack()
        atexit.register = own.callback
        _redirect(base, conditions, pipe)
        os.chdir(base / "at")
        kept = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
        folders = {"HOME": str(base / "home"), "TMPDIR": str(base / "tmp")}
        environment = {**kept, **folders, **conditions.env}
        if conditions.program:
            program = sys.executable if argv[0] == "python" else _beside_python(argv[0])
            os.execve(program, [program, *argv[1:]], environment)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        main = _find_program(argv[0])
        sys.argv = [argv[0], *argv[1:]]
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR + 10, PROCESSOR + 20))
        space = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (space + 4 * MEMORY, space + 4 * MEMORY))
        if conditions.file_limit:
            limit = conditions.file_limit
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        if conditions.nobody:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        with Disk(base / "at", conditions.fault) if conditions.fault else contextlib.nullcontext():
            code = _exit_code(main)
        own.close()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _beside_python(name: str) -> str:
    script = Path(sys.executable).with_name(name)
    return str(script) if script.exists() else name


def _find_program(name: str) -> Callable[[], object]:
    if name == "make-encoder":
        from tests.attacks.seeds import make_encoder

        return make_encoder
    (entry,) = entry_points(group="console_scripts", name=name)
    main: Callable[[], object] = entry.load()
    return main


def _exit_code(main: Callable[[], object]) -> int:
    """End as Python does: an uncaught error is a traceback, a failed write 120."""
    code = 0
    try:
        ended = main()
        code = ended if isinstance(ended, int) else 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = 120
    return code & 255


def _redirect(base: Path, conditions: Conditions, pipe: tuple[int, int] | None) -> None:
    """Put the standard streams in place, and close all other descriptors."""
    given = base / "stdin"
    given.write_bytes(conditions.stdin or b"")
    os.dup2(os.open(given, os.O_RDONLY), 0)
    given.unlink()
    if conditions.stdout == "full":
        target = os.open("/dev/full", os.O_WRONLY)
    elif pipe is not None:
        os.close(pipe[0])
        target = pipe[1]
    else:
        target = os.open(base / "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(target, 1)
    os.dup2(os.open(base / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.closerange(3, 1024)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            encoding="utf-8",
            errors=errors,
            line_buffering=number == 2,
        )
        for number, errors in ((1, "strict"), (2, "backslashreplace"))
    )
    if conditions.stdin is None:
        os.close(0)
        sys.stdin = None
    if conditions.stdout == "closed":
        os.close(1)
        sys.stdout = None


def _resident(process: int) -> int:
    """Measure a process's own memory; a fork shares that of its parent."""
    try:
        _, resident, shared = Path(f"/proc/{process}/statm").read_text().split()[:3]
        return (int(resident) - int(shared)) * resource.getpagesize()
    except (OSError, ValueError):
        return 0


def _processor(process: int) -> float:
    """Measure the processor time of a process and of its children."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


# Control codes but for tab and newline, C1 codes, and the marks that turn the direction of text.
_ON_TERMINAL = re.compile(
    "[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_BAR = re.compile(r"\r[^\r\n]*(it/s|s/it|B/s|\?|%|\d+:\d\d)[^\r\n]*")
_HALF = re.compile(r"^\.?.*\.(tmp|partial)$")  # .part of a download is gone on with
_LONGEST = 2500  # characters of a line

Snapshot = dict[str, tuple[object, ...]]


def _snapshot(base: Path) -> Snapshot:
    """Describe all below a folder: kind, rights, and bytes."""
    found: Snapshot = {}
    for folder, folders, files in os.walk(base):
        for name in (*folders, *files):
            path = Path(folder, name)
            there = path.lstat()
            kind = stat.S_IFMT(there.st_mode)
            held: object = ""
            if stat.S_ISREG(kind):
                held = hashlib.sha256(path.read_bytes()).hexdigest()
            elif stat.S_ISLNK(kind):
                held = str(path.readlink())
            found[os.path.relpath(path, base)] = (kind, stat.S_IMODE(there.st_mode), held)
    return found


def _stamps(folder: Path) -> list[tuple[str, int, int]]:
    found = []
    for path in sorted(folder.rglob("*")):
        there = path.lstat()
        found.append((str(path), there.st_size, there.st_mtime_ns))
    return found


def _complaints(attack: Attack, result: Result, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield all that is wrong, nothing where the attack was survived."""
    text = result.text
    if result.fate:
        yield result.fate
    elif result.code not in attack.codes:
        yield f"exit code {result.code}"
    for words in ("Traceback (most recent call last)", "Exception ignored", "internal error"):
        if words in text:
            yield words
    if (found := _ON_TERMINAL.search(text)) or "\r" in _BAR.sub("", text):
        yield f"on the terminal: {found[0] if found else chr(13)!r}"
    # A refusal is a line that begins with the command's name; a command alone shows its help.
    if result.code == 2 and not result.fate and len(attack.argv) > 1:
        lines = result.err.decode("utf-8", "backslashreplace").splitlines()
        if not lines or not lines[-1].startswith(attack.argv[0].replace("python", "")):
            yield "exit code 2 without a line"
        elif max(map(len, lines)) > _LONGEST:
            yield "a line without end"
    yield from _changes(attack, before, after, killed=result.code < 0)


def _is_half(path: Path) -> bool:
    return _HALF.match(path.name) is not None and ".corefmill" not in path.parts


def _changes(attack: Attack, before: Snapshot, after: Snapshot, *, killed: bool) -> Iterator[str]:
    """Yield what was written or lost that had to stay, and what was left half-written.

    A killed command, and one whose disk refuses everything, cannot remove its drafts.
    """
    fault = attack.conditions.fault
    drafts = killed or (fault is not None and fault.lasts)
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new or name.startswith(("home", "tmp/torchinductor_")):  # a cache of PyTorch
            continue
        path = Path(name)
        allowed = any(
            fnmatch.fnmatchcase(name, f"at/{one}") or fnmatch.fnmatchcase(name, f"at/{one}/*")
            for one in attack.writes
        )
        if old is not None and not allowed:
            yield ascii(f"{'removed' if new is None else 'replaced'}: {name}")
        elif old is None and drafts and ("/.out" in name or name.startswith("tmp/")):
            continue
        elif old is None and not allowed:
            yield ascii(f"written outside of its output: {name}")
        elif old is None and not drafts and _is_half(path):
            yield ascii(f"half-written: {name}")
