"""How fast the first pass of `build wec` is, beside lbzip2 alone.

    python -m benchmarks.wec DUMP [--lang en] [--megabytes 200] [--rounds 3]

The pages of DUMP, over and over with new ids, are packed as one bz2 file of so many megabytes of
XML; then in each round lbzip2 alone and the pass (with lbzip2 before it) read it with two threads
or processes. `wall` is in seconds; `cpu` is what all processes of a side took. On two cores that
have nothing else to do wall is half of cpu; where others work on the machine, the ratio of cpu says
more.
"""

from __future__ import annotations

import argparse
import bz2
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corefmill.builders.run.run import run
from corefmill.builders.wec.facts import infoboxes
from corefmill.builders.wec.known_events import CandidateRules, first_pass
from corefmill.builders.wiki.articles import DumpSource

THREADS = 2
_PAGE = re.compile(rb"  <page>.*?</page>\n", re.DOTALL)
_ID = re.compile(rb"<id>(\d+)</id>")


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds, processor seconds, and megabytes of the largest process; what was printed."""

    wall: float
    cpu: float
    memory: float
    said: str


def main() -> None:
    """Runs the benchmark that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dump", type=Path)
    parser.add_argument("--lang", default="en")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one-pass", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_pass:
        one_pass(options)
    else:
        speed(options)


def speed(options: argparse.Namespace) -> None:
    """Compares the pass with lbzip2 alone."""
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / f"{options.lang}wiki-enlarged.xml.bz2"
        pages, size = enlarge(options.dump, dump, options.megabytes)
        print(
            f"{options.dump.name}: {pages:,} pages, {size / 1e6:.1f} MB of XML, {THREADS} threads"
        )
        print(f"\n{'':22}{'wall':>8}{'cpu':>8}{'MB/s':>8}{'MB':>6}")
        alone, passed = [], []
        for _ in range(options.rounds):
            alone.append(measured(["lbzip2", f"-n{THREADS}", "-dc", str(dump)]))
            report("lbzip2 alone", alone[-1], size)
            passed.append(_pass(dump, options.lang))
            report("the pass", passed[-1], size)
        for name in ("wall", "cpu"):
            sides = [[getattr(took, name) for took in side] for side in (alone, passed)]
            ratios = np.divide(*sides)
            shown = ", ".join(f"{ratio:.3f}" for ratio in ratios)
            best = min(sides[0]) / min(sides[1])
            print(f"\npass relative to lbzip2 by {name}, round by round: {shown}")
            print(f"  median {np.median(ratios):.3f}, the best of one to the other's {best:.3f}")


def enlarge(dump: Path, out: Path, megabytes: int) -> tuple[int, int]:
    """Write the pages of `dump` over and over; how many, and how many bytes of XML."""
    size = 0
    with (
        out.open("wb") as file,
        subprocess.Popen(["lbzip2", "-n2"], stdin=subprocess.PIPE, stdout=file) as packer,
    ):
        assert packer.stdin is not None
        for pieces, piece in enumerate(enlarged(dump, megabytes * 1_000_000)):  # noqa: B007
            size += packer.stdin.write(piece)
    return pieces - 1, size  # without header and footer


def enlarged(dump: Path, size: int) -> Iterator[bytes]:
    """Header, pages over and over with new ids until they are `size` bytes, and footer."""
    with bz2.open(dump) as file:
        xml = file.read()
    pages = _PAGE.findall(xml)
    yield xml[: xml.index(b"  <page>")]
    number = given = 0
    while given < size:
        for page in pages:
            number += 1
            renumbered = _ID.sub(b"<id>%d</id>" % number, page, count=1)
            given += len(renumbered)
            yield renumbered
    yield b"</mediawiki>\n"


def _pass(dump: Path, lang: str) -> Took:
    """The pass in a process of its own; without the start of that, which a dump does not see."""
    took = measured(
        [sys.executable, "-m", "benchmarks.wec", str(dump), "--lang", lang, "--one-pass"]
    )
    own = json.loads(took.said)
    return Took(own["wall"], own["cpu"], took.memory, took.said)


def one_pass(options: argparse.Namespace) -> None:
    """Prints what the pass took from its first to its last moment, this process's start apart."""
    names = infoboxes.load(options.lang).names
    with tempfile.TemporaryDirectory(dir=options.dump.parent) as folder:
        dump = DumpSource([options.dump], options.lang, threads=THREADS)
        rules = CandidateRules(names)
        job = first_pass(dump, lang=options.lang, rules=rules, out_dir=Path(folder))
        before, start = os.times(), time.perf_counter()
        with run(job, workers=THREADS, progress=False) as result:
            wall, after = time.perf_counter() - start, os.times()
            cpu = sum(after[:4]) - sum(before[:4])
            print(json.dumps({"wall": wall, "cpu": cpu, "counts": result.counts}))


def measured(command: Sequence[str]) -> Took:
    """What a command takes, all processes that it starts and waits for included.

    Raises CalledProcessError where it fails.
    """
    with tempfile.TemporaryFile() as said:
        # A decompressor's output is not to be kept, but must be written somewhere.
        quiet = command[0] == "lbzip2"
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL if quiet else said)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, list(command))
        said.seek(0)
        text = said.read().decode()
    return Took(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def report(name: str, took: Took, size: int) -> None:
    """One line of the table."""
    speed_ = size / 1e6 / took.wall
    print(f"{name:22}{took.wall:8.2f}{took.cpu:8.2f}{speed_:8.1f}{took.memory:6.0f}", flush=True)


if __name__ == "__main__":
    main()
