"""Processes that tests start and wait for: every wait ends, if not as it should then loudly."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 240.0
"""Seconds. What is waited for takes one or two; a machine that does much else takes longer."""


def wait_until(
    condition: Callable[[], object],
    what: str,
    seconds: float = PATIENCE,
    process: subprocess.Popen[str] | None = None,
) -> None:
    """Returns once the condition holds, and fails the test where it does not come to hold.

    A `process` that has ended brings nothing about any more.
    """
    end = time.monotonic() + seconds
    while not condition():
        if process is not None and process.poll() is not None and not condition():
            said = process.stderr.read() if process.stderr is not None else ""
            pytest.fail(f"ended with {process.returncode} before {what}: {said}")
        if time.monotonic() > end:
            pytest.fail(f"waited {seconds:g} seconds in vain until {what}")
        time.sleep(0.01)


Running = AbstractContextManager[subprocess.Popen[str]]


@contextmanager
def running(*command: str | Path, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process in a group of its own, of which nobody lives on, however the test ends."""
    process = subprocess.Popen(
        list(map(str, command)), text=True, start_new_session=True, **options
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):  # they ended before
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


@contextmanager
def processor_seconds(most: float) -> Iterator[None]:
    """Stops the block, and fails the test, where it takes more of the processor: for work whose
    time grows with its length, of such a length that a square of it would take minutes."""

    def stop(number: int, frame: object) -> None:
        pytest.fail(f"took more than {most:g} seconds of the processor")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def lives(process: subprocess.Popen[str]) -> bool:
    """Whether anyone of its group does, the process itself or one that it started."""
    process.poll()  # a process that nobody waited for is still listed
    try:
        os.killpg(process.pid, 0)  # signal 0 asks, and does no more
    except ProcessLookupError:
        return False
    return True
