"""`corefmill annotate serve` in a process of its own, as a test wants it: its links, its end."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tests.commands import json_result
from tests.waiting import PATIENCE, running, wait_until

COMMAND = [sys.executable, "-c", "from corefmill.cli.main import main; main()"]


@dataclass
class Served:
    """A running server, and what it printed as its port opened."""

    process: subprocess.Popen[str]
    said: dict[str, Any]

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def interrupt(self) -> int:
        """Ends it as Ctrl-C does; returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@contextmanager
def served(corpus: Path, *options: str | Path) -> Iterator[Served]:
    """The server of a corpus, ready for requests; killed at the end if it still runs."""
    command = [*COMMAND, "annotate", "serve", corpus, "--json", *options]
    with (
        TemporaryFile("w+") as out,
        running(*command, stdout=out, stderr=subprocess.PIPE) as process,
    ):

        def line() -> str:
            out.seek(0)
            return out.readline()

        wait_until(lambda: line().endswith("\n"), "the port is open", process=process)
        yield Served(process, json_result(line()))
