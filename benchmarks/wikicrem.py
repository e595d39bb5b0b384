"""Compares the naive way to masked names with ours, on the same dump and pipeline, in one run.

    python -m benchmarks.wikicrem DUMP [--lang en] [--mode paper|clean] [--workers 1]

Naive: mwparserfromhell's strip_code on every article, the spaCy pipeline on every paragraph, one
process. Two rows of it: the pipeline as it loads, and with all parts switched off that neither
names nor sentences need. The rules applied to what was recognised are the same on all sides.
Each side is a process of its own, its start included; `cpu` is the processor time of all its
processes, by which they are compared, and memory the largest one's peak.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from thinc.api import NumpyOps

from corefmill.builders.nlp import choose
from corefmill.builders.nlp.spacy_backend import SpacyPipeline
from corefmill.builders.runner.job import Job
from corefmill.builders.runner.run import run
from corefmill.builders.runner.stages import Context, chained
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from corefmill.builders.wiki.dump.chunks import chunks
from corefmill.builders.wiki.dump.pages import pages
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.builders.wikicrem.options import WikicremOptions
from corefmill.builders.wikicrem.stages import setup, stages

SIDES = ("naive", "naive, names only", "ours")


def main() -> None:
    """Runs each side in a process of its own and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dump", type=Path)
    parser.add_argument("--lang", default="en")
    parser.add_argument("--nlp")
    parser.add_argument("--mode", choices=("paper", "clean"), default="paper")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.nlp = options.nlp or choose(options.lang)
    if options.side:
        print(json.dumps(one_side(options)))
        return
    results = {side: measured(side) for side in SIDES}
    ours = results["ours"]
    print(f"{options.dump.name}, {options.nlp}, mode {options.mode}, {options.workers} workers\n")
    print(f"{'':20}{'cpu':>9}{'ratio':>8}{'wall':>9}{'peak MB':>9}{'examples':>10}")
    for side, result in results.items():
        ratio = result["cpu"] / ours["cpu"]
        print(
            f"{side:20}{result['cpu']:9.1f}{ratio:8.1f}{result['wall']:9.1f}"
            f"{result['megabytes']:9.0f}"
            f"{len(result['passages']):10}"
        )
    compare(results["naive, names only"], ours)


def measured(side: str) -> dict[str, Any]:
    """What a side found, what its processes took from start to end, and its peak memory."""
    start, before = time.perf_counter(), os.times()
    # The arguments of this very run, and the side.
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.wikicrem", *sys.argv[1:], "--side", side],
        stdout=subprocess.PIPE,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    wall, after = time.perf_counter() - start, os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return {**result, "wall": wall, "cpu": cpu}


def one_side(options: argparse.Namespace) -> dict[str, Any]:
    """The masked passages of one side, and the megabytes that its largest process took."""
    rules = WikicremOptions.make(options.lang, options.mode, options.nlp)
    if options.side == "ours":
        found = list(ours(rules, options.dump, options.workers))
    else:
        found = list(naive(rules, options.dump, whole=options.side == "naive"))
    peak = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {"passages": found, "megabytes": peak / 1024}


def ours(rules: WikicremOptions, dump: Path, workers: int) -> Iterator[str]:
    """The builder as it runs, up to the shards."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(
            name="benchmark",
            source=DumpSource([dump], rules.lang),
            setup=partial(setup, ReadDump(rules.lang), rules),
            out_dir=Path(folder),
            channels=("examples", "pages"),
            options=rules.as_json(),
        )
        with run(job, workers=workers) as result:
            yield from map(masked, result.records("examples"))


def naive(rules: WikicremOptions, dump: Path, *, whole: bool) -> Iterator[str]:
    """Every article stripped, every paragraph analysed; then the same rules."""
    import mwparserfromhell

    pipeline = _Everything(rules.nlp, rules.lang) if whole else _Loaded(rules.nlp, rules.lang)
    steps = stages(rules, pipeline, find=lambda text: [(0, len(text))])
    for chunk in chunks([dump]):
        for page in pages(chunk, rules.lang):
            if page.ns or page.redirect is not None:
                continue
            text = mwparserfromhell.parse(page.text).strip_code()
            blocks = [" ".join(block.split()) for block in text.split("\n")]
            paragraphs = [
                Paragraph(block, "prose", number, "", [], [], [], 0)
                for number, block in enumerate(blocks)
                if block
            ]
            article = Article(str(page.page_id), page.title, page.page_id, paragraphs)
            for out in chained(steps, article, Context(0, 0)):
                yield masked(dict(out.record))


class _Loaded(SpacyPipeline):
    """A pipeline as `spacy.load` gives it, with the matrix products that spaCy takes."""

    def __init__(self, name: str, lang: str) -> None:
        super().__init__(name, lang)
        for _, component in self._nlp.components:
            for layer in component.model.walk():
                layer.ops = NumpyOps()


class _Everything(_Loaded):
    """All of its parts, whether needed or not."""

    names = SpacyPipeline.full


def masked(record: dict[str, Any]) -> str:
    """A passage with its mask and the two names, by which sides are compared."""
    start, end = record["target"]
    text = f"{record['text'][:start]}[MASK]{record['text'][end:]}"
    return f"{' '.join(text.split())}\t{sorted(record['candidates'])}"


def compare(naive: dict[str, Any], ours: dict[str, Any]) -> None:
    """Counts and shows what only one side has."""
    theirs, own = Counter(naive["passages"]), Counter(ours["passages"])
    both = sum((theirs & own).values())
    print(f"\n{both} examples are the same to the letter.")
    for name, more, less in (("naive", theirs, own), ("ours", own, theirs)):
        only = more - less
        asked = {letters(passage) for passage in less}
        markup = [p for p in only.elements() if letters(p) in asked]
        print(f"Only {name}: {only.total()}, {len(markup)} of them but for blanks and signs.")
        for passage in sorted(set(only) - set(markup))[:: max(1, len(only) // 5)][:5]:
            print(f"  - {passage[:300]}")


def letters(passage: str) -> str:
    """A passage's letters alone."""
    return "".join(filter(str.isalnum, passage))


if __name__ == "__main__":
    main()
