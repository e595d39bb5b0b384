"""How time, memory and files of a build grow with the dump.

    python -m benchmarks.scale wikicrem DUMP [--megabytes 100 300 1000] [--workers 1]
    python -m benchmarks.scale wec [--countries 20 100 400] [--workers 2]

wikicrem: the pages of DUMP, over and over, are packed as multistream bz2, 100 pages a stream, with
new ids and fresh names: the words of names that a first build masks are exchanged for each other,
in each copy in another way. wec: fictional encyclopedias of so many countries.

`cpu` are processor seconds of all processes, `wall` seconds by the clock; `memory` is the largest
sum over all processes at a moment, shared pages counted once (PSS), asked for each half second;
`files` the most files that were in the output's folder at such a moment. Fits follow.
"""

from __future__ import annotations

import argparse
import bz2
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from benchmarks.wec import enlarged, growth, unpacked
from benchmarks.windows import multistream
from tools.world.dump import write

_EVERY = 0.5  # seconds


@dataclass(frozen=True, slots=True)
class Grown:
    """What a build of so many megabytes of XML took; memory is in megabytes."""

    megabytes: float
    records: int
    cpu: float
    wall: float
    memory: float
    files: int


def main() -> None:
    """Builds from each size and prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("builder", choices=("wikicrem", "wec"))
    parser.add_argument("dump", type=Path, nargs="?")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--countries", type=int, nargs="+", default=[20, 100, 400])
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    print(f"build {options.builder}, {options.workers} workers\n")
    print(f"{'MB of XML':>10}{'records':>9}{'cpu':>9}{'wall':>9}{'memory':>8}{'files':>7}")
    found: list[Grown] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dumps = (
            _worlds(options.countries, folder)
            if options.builder == "wec"
            else _copies(options.dump, options.megabytes, folder)
        )
        for dump, size in dumps:
            grown = _built(
                options.builder, dump, size, options.workers, folder / f"out{len(found)}"
            )
            found.append(grown)
            print(
                f"{grown.megabytes:10.1f}{grown.records:9,}{grown.cpu:9.1f}{grown.wall:9.1f}"
                f"{grown.memory:8.0f}{grown.files:7,}",
                flush=True,
            )
            dump.unlink()
    if len(found) > 1:
        sizes = [one.megabytes for one in found]
        for measure in ("cpu", "wall", "memory"):
            print(growth(measure, sizes, [getattr(one, measure) for one in found]))


def _worlds(countries: Sequence[int], folder: Path) -> Iterator[tuple[Path, float]]:
    for number in countries:
        dump = folder / "enwiki-multistream.xml.bz2"
        write(dump, folder / "truth.jsonl", lang="en", countries=number)
        yield dump, unpacked(dump) / 1e6


def _copies(dump: Path, megabytes: Sequence[int], folder: Path) -> Iterator[tuple[Path, float]]:
    words = _words_of_names(dump, folder / "first")
    for size in megabytes:
        path = folder / "enwiki-multistream.xml.bz2"
        written = 0
        with path.open("wb") as file:
            for stream in multistream(_renamed(enlarged(dump, size * 1_000_000), words)):
                written += len(stream)
                file.write(bz2.compress(stream))
        yield path, written / 1e6


def _words_of_names(dump: Path, out: Path) -> list[bytes]:
    """The words of the candidates of all examples of a build."""
    if status := _build("wikicrem", dump, 1, out).wait():
        raise subprocess.CalledProcessError(status, "build wikicrem")
    words = set()
    for path in sorted(out.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            for candidate in json.loads(line)["candidates"]:
                words.update(re.findall(r"[^\W\d_]{3,}", candidate))
    return sorted(word.encode() for word in words)


def _renamed(pieces: Iterator[bytes], words: Sequence[bytes]) -> Iterator[bytes]:
    """Each copy of the pages with other names; it begins where the first page comes again."""
    any_word = re.compile(rb"\b(?:%s)\b" % b"|".join(map(re.escape, words)))
    first: bytes | None = None
    other: dict[bytes, bytes] = {}
    rng = random.Random(0)
    for piece in pieces:
        title = piece[: piece.find(b"<id>")]
        if title == first or (first is None and piece.startswith(b"  <page>")):
            first = title
            other = dict(zip(words, rng.sample(words, len(words)), strict=True))
        yield any_word.sub(partial(_exchanged, other), piece)


def _exchanged(other: Mapping[bytes, bytes], word: re.Match[bytes]) -> bytes:
    return other.get(word[0], word[0])


def _build(builder: str, dump: Path, workers: int, out: Path) -> subprocess.Popen[bytes]:
    code = "from corefmill.cli.main import main; main()"
    command = [
        *(sys.executable, "-c", code, "build", builder, "--lang", "en", "--dump", str(dump)),
        *("--out", str(out), "--workers", str(workers), "--quiet", "--trust-lang"),
    ]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL)


def _built(builder: str, dump: Path, size: float, workers: int, out: Path) -> Grown:
    before, start = os.times(), time.perf_counter()
    process = _build(builder, dump, workers, out)
    memory = files = 0
    while process.poll() is None:
        memory = max(memory, _memory(process.pid))
        files = max(files, sum(len(names) for _, _, names in os.walk(out)))
        time.sleep(_EVERY)
    wall, after = time.perf_counter() - start, os.times()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, builder)
    splits = json.loads((out / "manifest.json").read_text("utf-8"))["splits"]
    return Grown(size, sum(splits.values()), _cpu(after) - _cpu(before), wall, memory / 1e6, files)


def _cpu(times: os.times_result) -> float:
    return times.children_user + times.children_system


def _memory(pid: int) -> int:
    """Bytes of a process and all that it has started."""
    total = 0
    try:
        parent = psutil.Process(pid)
        for one in (parent, *parent.children(recursive=True)):
            total += one.memory_full_info().pss
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return total
    return total


if __name__ == "__main__":
    main()
