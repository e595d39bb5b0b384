"""A small build for the runner's tests: lines of a file as units, and stages that misbehave."""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import sys
import time
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from corefmill.builders.run.job import Job
from corefmill.builders.run.run import Interrupted, orderly_end, run
from corefmill.builders.run.stages import Context, Out, Progress, Stage, Unit, make_random
from corefmill.corpora.files.errors import CorefmillError, DataError
from tests.waiting import wait_until


@dataclass(frozen=True)
class LineSource:
    """`shard_size` lines a unit; a line CUT is where the input breaks off, DROP is a reject."""

    path: Path
    shard_size: int = 2

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def most_workers(self) -> int:
        return sys.maxsize

    def progress(self) -> Progress | None:
        return None

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        lines = self.path.read_text(encoding="utf-8").splitlines()
        for index, start in enumerate(range(0, len(lines), self.shard_size)):
            piece = lines[start : start + self.shard_size]
            if "CUT" in piece:
                raise DataError("breaks off", path=self.path, line=start + 1)
            digest = hashlib.blake2b("\n".join(piece).encode(), digest_size=8).hexdigest()
            kept = [line for line in piece if line != "DROP"]
            dropped = {"dropped by the source": len(piece) - len(kept)}
            yield Unit(index, None if index in skip else kept, digest, dropped)


@dataclass(frozen=True, slots=True)
class Line:
    """What the toy stages pass on and reject."""

    text: str


def split(payloads: Iterator[list[str]], context: Context) -> Iterator[Line]:
    for lines in payloads:
        context.count("lines", len(lines))
        yield from map(Line, lines)


def pass_gate(gate: Path) -> None:
    """Waits until somebody opens it, so that a build can be met in the middle of its work."""
    reached(gate).touch()
    wait_until(gate.exists, f"{gate} is opened")


def reached(gate: Path) -> Path:
    """The file that is there once a worker has come to the gate."""
    return gate.with_name(f"{gate.name}.reached")


def act(lines: Iterator[Line], context: Context, *, seconds: float) -> Iterator[Line]:
    """Do what a line says, in the middle of a unit."""
    for line in lines:
        if line.text == "DIE":
            os.kill(os.getpid(), signal.SIGKILL)
        if line.text == "FAIL":
            raise KeyError("a fault in a stage")
        if line.text == "BAD":
            raise DataError("a bad line", path="x.txt", line=7)
        if line.text == "EOF":
            raise EOFError("inside a stage")
        if line.text == "MANY":
            raise OSError(errno.EMFILE, "Too many open files", "x.txt")
        if line.text == "HUGE":
            raise MemoryError
        if line.text.startswith("GATE "):
            pass_gate(Path(line.text[5:]))
        if line.text.startswith("#"):
            context.reject("comment", line)
        else:
            yield line
        time.sleep(seconds)


def emit(lines: Iterator[Line], context: Context) -> Iterator[Out]:
    for line in lines:
        channel = "odd" if line.text.endswith(("1", "3", "5", "7", "9")) else "even"
        draw = make_random(context.seed, context.unit).random()
        own = make_random(context.seed, line.text).random()
        yield Out(channel, {"text": line.text, "unit": context.unit, "draw": draw, "own": own})


def setup(seconds: float = 0.0, fault: str = "") -> list[Stage]:
    if fault == "setup":
        raise RuntimeError("the pipeline is not installed")
    if fault == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return [split, partial(act, seconds=seconds), emit]


def toy_job(path: Path, out: Path, *, seconds: float = 0.0, fault: str = "", **other: Any) -> Job:
    """A job over the lines of `path`; `other` replaces any field of Job."""
    fields: dict[str, Any] = {
        "name": "toy",
        "source": LineSource(path),
        "setup": partial(setup, seconds, fault),
        "out_dir": out,
        "channels": ("odd", "even"),
        "options": {"colour": "red"},
        "seed": 7,
    }
    return Job(**(fields | other))


def main() -> None:
    """PATH OUT WORKERS SECONDS: a run in a process of its own, to be killed from outside."""
    path, out, workers, seconds = sys.argv[1:]
    job = toy_job(Path(path), Path(out), seconds=float(seconds))
    try:
        with orderly_end(job.out_dir), run(job, workers=int(workers)) as result:
            print(sum(result.written.values()))
    except Interrupted as stop:
        print(stop, file=sys.stderr)
        sys.exit(stop.exit_code)
    except CorefmillError as error:
        print(error, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
