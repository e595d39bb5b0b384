"""How much of a dump is decompressed, and in which time, by any number of tasks that share it.

    python -m benchmarks.windows DUMP [--megabytes 300] [--tasks 1 2 4 8 16 64]

The pages of DUMP, over and over with new ids, are packed in two ways: as multistream bz2 (100
pages a stream), and as pbzip2 does (a stream for each 900 kB). Each task is a process that does
every so-manieth window, one after the other. `read` and `given` are megabytes of the file and of
XML in all tasks together, `over` is what was decompressed relative to the dump, `cpu` processor
seconds without the start of the processes; `pages`, their number and a sum over all, must be the
same in all rows.
"""

from __future__ import annotations

import argparse
import bz2
import hashlib
import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.wec import enlarged
from corefmill.builders.wiki.dump import windows as module
from corefmill.builders.wiki.dump.windows import DumpWindow, windows

_PIECE = 900_000


def main() -> None:
    """Prints a table of ways to pack and numbers of tasks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dump", type=Path)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--tasks", type=int, nargs="+", default=[1, 2, 4, 8, 16, 64])
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=[*_WAYS])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.ways:
            path = Path(folder) / name
            size = 0
            with path.open("wb") as file:
                for stream in _WAYS[name](enlarged(options.dump, options.megabytes * 1_000_000)):
                    size += len(stream)
                    file.write(bz2.compress(stream))
            found = windows(path)
            assert found is not None
            packed = path.stat().st_size / 1e6
            print(f"\n{name}: {size / 1e6:.1f} MB, {packed:.1f} packed, {len(found)} windows")
            print(f"{'tasks':>6}{'read':>8}{'given':>8}{'over':>8}{'cpu':>8}  pages")
            for tasks in options.tasks:
                report(found, tasks, size)
            path.unlink()


def report(found: list[DumpWindow], tasks: int, size: int) -> None:
    """Lets so many processes do the windows, one after the other, and prints what they took."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        done = [pool.apply(do, (found[task::tasks],)) for task in range(tasks)]
    pages = [page for one in done for page in one["pages"]]
    whole = hashlib.sha256(json.dumps(sorted(pages)).encode()).hexdigest()[:8]
    read, given = (sum(one[name] for one in done) / 1e6 for name in ("read", "given"))
    cpu = sum(one["cpu"] for one in done)
    over = given * 1e6 / size
    print(
        f"{tasks:6}{read:8.1f}{given:8.1f}{over:8.3f}{cpu:8.2f}  {len(pages)} {whole}", flush=True
    )


def do(own: list[DumpWindow]) -> dict[str, Any]:
    """What a task reads and finds in its windows."""
    took: dict[str, Any] = {"read": 0, "given": 0, "pages": []}
    genuine = module._Content.read

    def counted(self: module._Content) -> bytes:
        data = genuine(self)
        took["given"] += len(data)
        return data

    module._Content.read = counted  # type: ignore[method-assign]
    before = os.times()
    for window in own:
        took["read"] += window.end - window.begin
        for chunk in window.chunks(_raise):
            took["pages"] += [
                hashlib.sha256(chunk.page(n)).hexdigest()[:16] for n in range(chunk.pages)
            ]
    after = os.times()
    return took | {"cpu": sum(after[:2]) - sum(before[:2])}


def _raise(error: Exception) -> None:
    raise error


def multistream(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Header, pages and footer as streams of a multistream dump, of 100 pages each."""
    yield next(parts)
    held: list[bytes] = []
    for part in parts:
        if part.startswith(b"</"):
            yield b"".join(held)
            yield part
            return
        held.append(part)
        if len(held) == 100:
            yield b"".join(held)
            held.clear()


def _pieces(parts: Iterator[bytes]) -> Iterator[bytes]:
    whole = b"".join(parts)
    yield from (whole[n : n + _PIECE] for n in range(0, len(whole), _PIECE))


_WAYS: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    "multistream": multistream,
    "pbzip2": _pieces,
}


if __name__ == "__main__":
    main()
