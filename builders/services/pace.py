"""How many requests a minute go to a service, from all processes of a build together."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from corefmill.corpora.atomic import ensure_folder

FILE = "last-request"


class RequestPace:
    """Lets one request go at a time, each so many seconds after the one before.

    Processes that name the same folder share the pace, by a file in it that holds the time of the
    last request.
    """

    def __init__(
        self,
        per_minute: int,
        folder: Path | None = None,
        *,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._between = 60 / per_minute
        self._folder = folder
        self._now, self._sleep = now, sleep
        self._lock = threading.Lock()
        self._last = 0.0

    def wait(self) -> None:
        """Returns when it is the caller's turn."""
        with self._lock:
            if self._folder is None:
                self._last = self._turn(self._last)
                return
            ensure_folder(self._folder)
            file = os.open(self._folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)  # which closing it ends, as a kill does
                last = 0.0
                with suppress(ValueError):  # it is new, or somebody wrote into it
                    last = float(os.read(file, 40))
                last = self._turn(last)
                os.pwrite(file, f"{last:<39.6f}\n".encode(), 0)
            finally:
                os.close(file)

    def _turn(self, last: float) -> float:
        left = last + self._between - self._now()
        # A clock that was set back must not make anybody wait for it.
        if 0 < left <= self._between:
            self._sleep(left)
        return self._now()
