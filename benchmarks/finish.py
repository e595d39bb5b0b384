"""How long the end of a build takes: from the shards of a run to a corpus of masked examples.

    python -m benchmarks.finish CORPUS [--examples 200000]

The examples of CORPUS, a `build wikicrem`, over and over with ids, articles and numbers of their
own, are put into shards of 2,000 as a run leaves them, and then made a corpus, by one process.
`cpu` and `wall` are seconds; `bytes` is a sum over the files of the records, which must be the same
whatever made them faster.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.assembly import Assembly
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.shards import ShardWriter
from corefmill.builders.sources.text import TextSource
from corefmill.builders.wikicrem.assemble import WikicremContents
from corefmill.builders.wikicrem.options import ON_CORPUS

_A_SHARD = 2_000
_PAGES = 10_000_000_000


def main() -> None:
    """Prints a row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--examples", type=int, default=200_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = shards(options.corpus, options.examples, Path(folder) / "run")
        print(f"{options.examples:,} examples\n{'cpu':>8}{'wall':>8}  bytes")
        report(result, Path(folder) / "made")


def report(result: RunResult, out: Path) -> None:
    """Makes the corpus and prints what it took."""
    out.mkdir()
    corpus = Corpus(
        name="wikicrem-en",
        title="Masked names",
        lang="en",
        mode="clean",
        out=out,
        seed=42,
        licence="CC BY-SA 4.0",
        attribution="a benchmark",
        command="benchmarks.finish",
        pipeline="none",
        facts={},
        limits=("Repeated.",),
    )
    make = Assembly(
        corpus=corpus,
        schema=masked.SCHEMA,
        choose=partial(WikicremContents.chosen, filters=ON_CORPUS, validation=None),
        data_files=masked.data_files(WikicremContents.forms(corpus.mode)),
    )
    before, began = os.times(), time.perf_counter()
    make(result)
    after, wall = os.times(), time.perf_counter() - began
    total = hashlib.sha256()
    for name in sorted(make.data_files):
        total.update((out / name).read_bytes())
    cpu = sum(after[:2]) - sum(before[:2])
    print(f"{cpu:8.1f}{wall:8.1f}  {total.hexdigest()[:12]}", flush=True)


def shards(corpus: Path, number: int, out: Path) -> RunResult:
    """A run that has left so many examples."""
    job = Job(
        name="by-hand",
        source=TextSource(()),
        setup=list,
        out_dir=out,
        channels=(masked.CHANNEL, "pages"),
        options={},
    )
    folder = job.work_dir / job.fingerprint.digest
    folder.mkdir(parents=True)
    records = _repeated(corpus)
    receipts = []
    for unit in range(-(-number // _A_SHARD)):
        with ShardWriter(folder, unit) as writer:
            for record in islice(records, min(_A_SHARD, number - unit * _A_SHARD)):
                writer.write(masked.CHANNEL, record)
            receipts.append(writer.commit("digest", counts={}, rejects={}))
    return RunResult(job, folder, tuple(receipts))


def _repeated(corpus: Path) -> Iterator[dict[str, Any]]:
    """Examples without end, of the same lengths, with numbers of their own in each sentence."""
    with (corpus / "train.jsonl").open(encoding="utf-8") as lines:
        known = [(record, _numbered(record)) for record in map(json.loads, lines)]
    for turn in count():
        for record, places in known:
            text = record["text"]
            for start, end in places:
                text = f"{text[:start]}{turn:0{end - start}}{text[end:]}"
            source = {**record["source"], "page_id": record["source"]["page_id"] + _PAGES * turn}
            yield {**record, "id": f"{turn}-{record['id']}", "text": text, "source": source}


def _numbered(record: dict[str, Any]) -> list[tuple[int, int]]:
    """The longest word in small letters of each sentence."""
    words = [match.span() for match in re.finditer(r"\b[a-z]+\b", record["text"])]
    places = []
    for start, end in record["sentences"]:
        within = [(left, right) for left, right in words if start <= left and right <= end]
        places += sorted(within, key=lambda word: word[0] - word[1])[:1]
    return places


if __name__ == "__main__":
    main()
