"""Runs the console scripts as a user would, and finds the real data where there is some."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import (
    AbstractContextManager,
    chdir,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
)
from importlib.metadata import entry_points, version
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from unittest import mock

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


def script(name: str) -> Path:
    """An installed console script."""
    return Path(sys.executable).with_name(name)


def command(
    name: str, *arguments: str | Path, cwd: Path | None = None, stdin: IO[bytes] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs what an installed console script calls, in this process: imports take most of a small
    command's time. Its output, and that of processes it starts, is captured as text."""
    (entry,) = entry_points(group="console_scripts", name=name)
    call = [str(script(name)), *map(str, arguments)]
    main = entry.load()
    with _captured(1) as out, _captured(2) as err:
        with (
            redirect_stdout(out[0]),
            redirect_stderr(err[0]),
            chdir(cwd) if cwd else nullcontext(),
            mock.patch.object(sys, "argv", call),
            mock.patch.object(sys, "stdin", stdin or sys.stdin),
        ):
            code = _exit_code(main)
        said = [_text(*stream) for stream in (out, err)]
    return subprocess.CompletedProcess(call, code, *said)


def called(name: str, *arguments: str | Path, cwd: Path | None = None) -> tuple[int, str, str]:
    """The exit code, output and errors of the same."""
    done = command(name, *arguments, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def one_core() -> AbstractContextManager[object]:
    """As on a machine of one core, where a build that is not told --workers starts no processes:
    they import for seconds what is here already."""
    return mock.patch.object(os, "cpu_count", lambda: 1)


def process(
    name: str, *arguments: str | Path, cwd: Path | None = None, **more: object
) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, where that matters; `more` is for `subprocess.run`."""
    return subprocess.run(
        [str(script(name)), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=600,
        check=False,
        **more,  # type: ignore[call-overload]
    )


def _exit_code(main: Callable[[], object]) -> int:
    """Calls a console script's function; the exit code that its process would have."""
    try:
        return int(main() or 0)  # type: ignore[call-overload]
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:  # as Python shows what nobody caught
        traceback.print_exc()
        return 1


@contextmanager
def _captured(descriptor: int) -> Iterator[tuple[IO[str], IO[str]]]:
    """A file that takes what is written to a descriptor, and the same to be read: a command that
    cannot write leads the first elsewhere."""
    with TemporaryFile("w+", encoding="utf-8", newline="") as read:
        kept = os.dup(descriptor)
        os.dup2(read.fileno(), descriptor)
        try:
            with os.fdopen(os.dup(read.fileno()), "w", encoding="utf-8") as written:
                yield written, read
        finally:
            os.dup2(kept, descriptor)
            os.close(kept)


def _text(written: IO[str], read: IO[str]) -> str:
    written.flush()
    read.seek(0)
    return read.read()


def json_result(printed: str) -> Any:
    """The result in what a command's --json printed, which has the one shape of all commands."""
    told = json.loads(printed)
    assert list(told) == ["schema", "command", "version", "result", "warnings", "signature"]
    assert (told["schema"], told["version"]) == ("result/1", version("corefmill"))
    return told["result"]


def shared(*parts: str) -> Path:
    """A path below ../shared; skips the test, with the reason, where it is missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(('../shared', *parts))}, which is not here")
    return path
