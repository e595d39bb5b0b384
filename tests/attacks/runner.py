"""Runs commands in forks of this warm interpreter, bounded in time, memory and space."""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import NoReturn

from tests.attacks.attack import PLAIN, Conditions, Result

_KILL = "killed: "


@dataclass(frozen=True, slots=True)
class Bounds:
    """Processor and clock time in seconds, and memory in bytes beyond that of this interpreter.

    `idle` is how long a command may wait without using the processor.
    """

    processor: int = 60
    clock: float = 300.0
    idle: float = 45.0
    memory: int = 2 << 30


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs console scripts; `programs` are those besides the installed ones, for tests."""

    bounds: Bounds = Bounds()
    programs: tuple[tuple[str, Callable[[], object]], ...] = ()

    def __call__(
        self, argv: Sequence[str], base: Path, conditions: Conditions = PLAIN, cwd: str = "at"
    ) -> Result:
        """The result of a command line in `base`/`cwd`; its output lies in `base` meanwhile."""
        out, err = base / "stdout", base / "stderr"
        begun = time.monotonic()
        own = _resident(os.getpid())
        pipe = os.pipe() if conditions.stdout == "gone" else None
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            self._be(argv, base, conditions, cwd, pipe)
        if pipe:
            os.close(pipe[0])
            os.close(pipe[1])
        code, fate = self._wait(child, conditions, own)
        said = out.read_bytes() if out.exists() else b""
        complained = err.read_bytes() if err.exists() else b""
        for path in (out, err):
            path.unlink(missing_ok=True)
        return Result(code, said, complained, fate, time.monotonic() - begun)

    def _wait(self, child: int, conditions: Conditions, own: int) -> tuple[int, str]:
        """Its exit code, and why it was killed."""
        watch = select.poll()
        watch.register(handle := os.pidfd_open(child), select.POLLIN)
        bounds, begun, fate = self.bounds, time.monotonic(), ""
        used, last_use, sent = -1.0, begun, not conditions.signal
        while not watch.poll(50 if sent else 5):
            now = time.monotonic()
            if (spent := _processor(child)) > used:
                used, last_use = spent, now
            if not sent and used >= conditions.delay:
                os.kill(child, conditions.signal)
                sent = True
            if now - begun > bounds.clock or now - last_use > bounds.idle:
                fate = "hang: it waits"
            elif used > bounds.processor:
                fate = f"hang: over {bounds.processor} s of processor time"
            elif _resident(child) - own > bounds.memory:
                fate = f"memory: over {bounds.memory >> 20} MB"
            if fate:
                break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # and what it started
        os.close(handle)
        _, status, use = os.wait4(child, 0)
        ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if not fate and (use.ru_maxrss - ours) << 10 > bounds.memory:
            fate = f"memory: over {bounds.memory >> 20} MB"
        if not fate and conditions.signal != signal.SIGKILL and os.WIFSIGNALED(status):
            fate = f"died of {signal.Signals(os.WTERMSIG(status)).name}"
        return os.waitstatus_to_exitcode(status), fate

    def _be(
        self,
        argv: Sequence[str],
        base: Path,
        conditions: Conditions,
        cwd: str,
        pipe: tuple[int, int] | None,
    ) -> NoReturn:
        """The child: the console script and nothing after it."""
        code = 99
        try:
            os.setsid()
            # What this interpreter has to do at its own end stays undone, and whole: a client of
            # Ray that a test left among it crashes where it is taken apart in a fork.
            own = contextlib.ExitStack()
            atexit.register = own.callback
            _redirect(base, conditions, pipe)
            os.chdir(base / cwd)
            environment = _environment(base, conditions)
            if conditions.program:
                _limit(conditions, self.bounds, fixed=False)
                script = Path(sys.executable).with_name(argv[0])
                program = str(script) if script.exists() else argv[0]
                if argv[0] == "python":
                    program = sys.executable
                os.execve(program, [program, *argv[1:]], environment)
            os.environ.clear()
            os.environ.update(environment)
            tempfile.tempdir = None
            main = dict(self.programs).get(argv[0]) or _script(argv[0])
            sys.argv = [argv[0], *argv[1:]]
            _limit(conditions, self.bounds, fixed=True)
            code = _exit_code(main)
            own.close()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)


def _script(name: str) -> Callable[[], object]:
    (entry,) = entry_points(group="console_scripts", name=name)
    main: Callable[[], object] = entry.load()
    return main


def _exit_code(main: Callable[[], object]) -> int:
    """As Python ends: what nobody caught is a traceback, what cannot be written is 120."""
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
    """Puts the standard streams in place, and takes away all other descriptors."""
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
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="utf-8"
    )
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=True,
    )
    if conditions.stdin is None:
        os.close(0)
        sys.stdin = None
    if conditions.stdout == "closed":
        os.close(1)
        sys.stdout = None


def _environment(base: Path, conditions: Conditions) -> dict[str, str]:
    home, scratch = base / "home", base / "tmp"
    kept = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    return {**kept, "HOME": str(home), "TMPDIR": str(scratch), **conditions.env}


def _limit(conditions: Conditions, bounds: Bounds, *, fixed: bool) -> None:
    """Limits as ulimit sets them; the watch in the parent comes first, these are for what escapes
    it."""
    if conditions.file_limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (conditions.file_limit, conditions.file_limit))
    resource.setrlimit(resource.RLIMIT_CPU, (bounds.processor + 10, bounds.processor + 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if fixed:
        most = _address_space() + 4 * bounds.memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    if conditions.nobody:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _resident(process: int) -> int:
    """Bytes of memory of its own; a fork has those of its parent too, but not all mapped files."""
    try:
        _, resident, shared = Path(f"/proc/{process}/statm").read_text().split()[:3]
        return (int(resident) - int(shared)) * resource.getpagesize()
    except (OSError, ValueError):
        return 0


def _processor(process: int) -> float:
    """Seconds of processor time of a process and of those it waited for."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def can_mount(folder: Path) -> bool:
    """Whether small file systems can be made here."""
    if os.geteuid() or shutil.which("mount") is None:
        return False
    return mount(folder, "size=8k") and unmount(folder)


def mount(folder: Path, options: str) -> bool:
    """A file system in memory at `folder`; whether it is there."""
    folder.mkdir(exist_ok=True)
    call = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(call, capture_output=True).returncode == 0


def read_only(folder: Path) -> None:
    """Makes a file system of `mount` one that is not written to."""
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True, capture_output=True)


def unmount(folder: Path) -> bool:
    """Takes it away, with all that is in it."""
    call = ["umount", "-l", str(folder)]
    return subprocess.run(call, capture_output=True).returncode == 0
