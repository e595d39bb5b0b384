"""How fast the first pass of `build wec` is, and how time and memory grow with the dump.

    python -m benchmarks.wec speed DUMP [--lang en] [--megabytes 200] [--wikiextractor PROGRAM]
    python -m benchmarks.wec scaling [--lang en] [--countries 10 100 1000] [--whole]

speed: the pages of DUMP, over and over with new ids, are packed as one bz2 file of so many
megabytes of XML; then in each round lbzip2 alone, the pass (with lbzip2 before it) and, in the
first, wikiextractor without templates read it with two threads or processes. `wall` is in seconds;
`cpu` is what all processes of a side took. On two cores that have nothing else to do wall is half
of cpu; where others work on the machine, the ratio of cpu says more.

scaling: fictional encyclopedias of so many countries are written as multistream bz2 with their
truth; then the passes and joins run on each, or with --whole all of `build wec`. What the joins
found is held against the truth. Memory is the peak of the largest process.
"""

from __future__ import annotations

import argparse
import bz2
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from corefmill.builders.runner.run import run
from corefmill.builders.runner.stages import Context
from corefmill.builders.wec.event_pages import event_index
from corefmill.builders.wec.event_pages.first_pass import CandidateRules, first_pass
from corefmill.builders.wec.event_pages.known_events import EventCriteria, known_events
from corefmill.builders.wec.facts import infoboxes, lexicon
from corefmill.builders.wec.linking_pages import ReadLinkingPages
from corefmill.builders.wiki.articles import DumpSource
from tools.world.dump import languages, write

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
    kinds = parser.add_subparsers(required=True)
    speed_ = kinds.add_parser("speed")
    speed_.add_argument("dump", type=Path)
    speed_.add_argument("--lang", default="en")
    speed_.add_argument("--megabytes", type=int, default=200)
    speed_.add_argument("--rounds", type=int, default=3)
    speed_.add_argument("--wikiextractor", help="the program, in an environment of its own")
    speed_.set_defaults(do=speed)
    scaling_ = kinds.add_parser("scaling")
    scaling_.add_argument("--lang", choices=languages(), default="en")
    scaling_.add_argument("--countries", type=int, nargs="+", default=[10, 100, 1000])
    scaling_.add_argument("--whole", action="store_true", help="build the corpus, not only join")
    scaling_.set_defaults(do=scaling)
    pass_ = kinds.add_parser("pass", help="one side of speed")
    pass_.add_argument("dump", type=Path)
    pass_.add_argument("lang")
    pass_.set_defaults(do=one_pass)
    join_ = kinds.add_parser("join", help="one size of scaling")
    join_.add_argument("dump", type=Path)
    join_.add_argument("lang")
    join_.set_defaults(do=join)
    options = parser.parse_args()
    options.do(options)


def speed(options: argparse.Namespace) -> None:
    """Compares the pass with what it stands on and what it stands in for."""
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
        if options.wikiextractor:
            out = Path(folder) / "extracted"
            took = measured(
                [
                    *(options.wikiextractor, str(dump), "-o", str(out)),
                    *("--processes", str(THREADS), "--no-templates", "-q"),
                ]
            )
            report("wikiextractor", took, size)
            last = passed[-1]
            print(
                f"\nthe last pass relative to wikiextractor: {took.wall / last.wall:.1f} by wall,"
                f" {took.cpu / last.cpu:.1f} by cpu"
            )


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
    took = measured([sys.executable, "-m", "benchmarks.wec", "pass", str(dump), lang])
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


def scaling(options: argparse.Namespace) -> None:
    """Runs on worlds of each size, and fits."""
    what = "build wec" if options.whole else "first pass and joins"
    print(f"{what}, {options.lang}, {THREADS} workers\n")
    print(
        f"{'countries':>9}{'MB':>8}{'pages':>9}{'events':>8}{'links':>9}{'wall':>8}{'cpu':>8}{'MB':>7}"
    )
    sizes: list[float] = []
    walls: list[float] = []
    cpus: list[float] = []
    memories: list[float] = []
    for countries in options.countries:
        with tempfile.TemporaryDirectory() as folder:
            dump = Path(folder) / f"{options.lang}wiki-multistream.xml.bz2"
            truth = Path(folder) / "truth.jsonl"
            counts = write(dump, truth, lang=options.lang, countries=countries)
            size = unpacked(dump)
            took = _build(dump, options.lang) if options.whole else _join(dump, options.lang)
            print(
                f"{countries:9,}{size / 1e6:8.1f}{counts['pages']:9,}{counts['pivot']:8,}"
                f"{counts['link']:9,}{took.wall:8.1f}{took.cpu:8.1f}{took.memory:7.0f}",
                flush=True,
            )
            told = json.loads(took.said)
            found = told["result"] if options.whole else told
            check(found, dump, truth, whole=options.whole)
        for values, value in zip(
            (sizes, walls, cpus, memories), (size, took.wall, took.cpu, took.memory), strict=True
        ):
            values.append(value)
    for name, values in (("wall", walls), ("cpu", cpus), ("memory", memories)):
        print(growth(name, [size / 1e6 for size in sizes], values))


def growth(name: str, megabytes: Sequence[float], values: Sequence[float]) -> str:
    """A line on how values grow with the size: a line's fit, and from size to size the power."""
    slope, start = np.polyfit(megabytes, values, 1)
    power = np.diff(np.log(values)) / np.diff(np.log(megabytes))
    return (
        f"{name} = {start:.1f} + {slope:.4f} for each MB of XML; growth as size to the power of"
        f" {', '.join(f'{p:.2f}' for p in power)}"
    )


def unpacked(dump: Path) -> int:
    """Bytes of XML in a dump."""
    with bz2.open(dump) as file:
        return sum(map(len, iter(lambda: file.read(1 << 20), b"")))


def _join(dump: Path, lang: str) -> Took:
    return measured([sys.executable, "-m", "benchmarks.wec", "join", str(dump), lang])


def join(options: argparse.Namespace) -> None:
    """Prints what the first pass and the joins find in a dump, and reads the pages with links."""
    dump = DumpSource([options.dump], options.lang, threads=THREADS)
    table, words = infoboxes.load(options.lang), lexicon.load(options.lang)
    with tempfile.TemporaryDirectory(dir=options.dump.parent) as folder:
        index = Path(folder) / "events.sqlite"
        with (
            known_events(
                dump,
                lang=options.lang,
                criteria=EventCriteria(table, table.fields, None),
                out_dir=Path(folder),
                do=partial(run, workers=THREADS, progress=False),
            ) as join_passes,
            join_passes() as events,
        ):
            event_index.write(index, events, words, table.fields)
        # One a line, so that the size of the dump is not seen in this process's memory.
        read = ReadLinkingPages(options.lang, event_index.EventIndex(index))
        with _read(options.dump).open("w") as ids:
            for article in read(dump.chunks(), Context(0, 0)):
                ids.write(f"{article.page_id}\n")
        print(json.dumps(events.counts))


def _read(dump: Path) -> Path:
    """Where `join` says which pages it has read, for `check`."""
    return dump.with_name("read.txt")


def _build(dump: Path, lang: str) -> Took:
    program = shutil.which("build", path=str(Path(sys.executable).parent)) or "build"
    out = dump.parent / "out"
    return measured(
        [
            *(program, "wec", "--lang", lang, "--dump", str(dump), "--out", str(out), "--json"),
            *("--workers", str(THREADS), "--quiet", "--validation", "0", "--test", "0"),
        ]
    )


def check(found: dict[str, Any], dump: Path, truth: Path, *, whole: bool) -> None:
    """Exits where a size gives another result than its truth has."""
    events, linking, valid = 0, set(), 0
    with truth.open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            events += record["kind"] == "pivot"
            # The truth has links as well that lead to no event, or stand on a talk or user page.
            if record["kind"] == "link" and record["valid"]:
                linking.add(record["page_id"])
                valid += 1
    if whole:
        made = sum(found["splits"].values())
        print(f"{'':9}{made:,} mentions of {valid:,} that are valid")
        return
    read = list(map(int, _read(dump).read_text().split()))
    missed = linking.difference(read)
    if found["pivots"] != events or missed:
        sys.exit(f"{found['pivots']} events found of {events}, {len(missed)} linking pages missed")


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
