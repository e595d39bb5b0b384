"""Compares the naive way to masked names with `build wikicrem`, on the same dump and pipeline.

    python -m benchmarks.wikicrem DUMP [--lang en] [--mode paper|clean] [--workers 1]

Naive: mwparserfromhell's strip_code on every article, the spaCy pipeline as it loads on every
paragraph, one process; the rules applied to what was recognised are those of the builder. "names"
is the same with those components alone that names need. Each side is a process of its own, its
start included; `cpu` is the processor time of all its processes, by which they are compared, and
memory the largest one's peak.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from thinc.api import NumpyOps

from corefmill.builders.nlp import choose_pipeline
from corefmill.builders.nlp.spacy_backend import SpacyPipeline
from corefmill.builders.run.stages import Context, run_stages
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.dump.chunks import chunks
from corefmill.builders.wiki.dump.pages import pages
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.builders.wikicrem.options import WikicremOptions
from corefmill.builders.wikicrem.stages import stages
from corefmill.corpora import manifest


def main() -> None:
    """Runs both sides and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dump", type=Path)
    parser.add_argument("--lang", default="en")
    parser.add_argument("--mode", choices=("paper", "clean"), default="paper")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--naive", choices=("names", "naive"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    nlp = choose_pipeline(options.lang)
    if options.naive:
        rules = WikicremOptions(lang=options.lang, mode=options.mode, nlp=nlp)
        print(sum(1 for _ in naive(rules, options.dump, options.naive == "names")))
        return
    print(f"{options.dump.name}, {nlp}, mode {options.mode}, {options.workers} workers\n")
    print(f"{'':8}{'cpu':>9}{'wall':>9}{'peak MB':>9}{'examples':>10}")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        build = [str(Path(sys.executable).with_name("corefmill")), "build", "wikicrem"]
        build += ["--lang", options.lang, "--nlp", nlp, "--mode", options.mode, "--quiet"]
        build += ["--dump", str(options.dump), "--out", str(out), "--workers", str(options.workers)]
        ours, _ = measured("ours", build)
        print(f"{sum(manifest.read(out).splits.values()):10,}")
        for side in ("names", "naive"):
            # The arguments of this very run, for the other side.
            module = [sys.executable, "-m", "benchmarks.wikicrem", *sys.argv[1:], "--naive", side]
            theirs, said = measured(side, module)
            print(f"{int(said):10,}  {theirs / ours:.1f} times as long by cpu")


def measured(side: str, command: Sequence[str]) -> tuple[float, str]:
    """Processor seconds of a command's processes, and what it printed; begins a row."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # The peak is of all children so far: the builder, which needs less, comes first.
    print(f"{side:8}{cpu:9.1f}{wall:9.1f}{after.ru_maxrss / 1024:9.0f}", end="", flush=True)
    return cpu, done.stdout


def naive(rules: WikicremOptions, dump: Path, names: bool) -> Iterator[object]:
    """Every article stripped, every paragraph analysed, or `names` alone; then the same rules."""
    import mwparserfromhell

    pipeline = (OwnNetworks if names else Everything)(rules.pipeline, rules.lang)
    steps = stages(rules, pipeline, find=lambda text: [(0, len(text))])
    for chunk in chunks(dump):
        for page in pages(chunk, rules.lang):
            if page.ns or page.redirect is not None:
                continue
            text = mwparserfromhell.parse(page.text).strip_code()
            blocks = [" ".join(block.split()) for block in text.split("\n")]
            paragraphs = [
                Paragraph(block, "prose", number, "", [], [], [], [])
                for number, block in enumerate(blocks)
                if block
            ]
            article = Article(str(page.page_id), page.title, page.page_id, paragraphs)
            yield from run_stages(steps, article, Context(0, 0))


class OwnNetworks(SpacyPipeline):
    """A pipeline with the networks and the matrix products of spaCy."""

    def __init__(self, name: str, lang: str) -> None:
        super().__init__(name, lang)
        self._fast = {}
        for _, component in self._nlp.components:
            for layer in component.model.walk():
                layer.ops = NumpyOps()


class Everything(OwnNetworks):
    """The same as `spacy.load` gives it, with every component, needed or not."""

    names = SpacyPipeline.full


if __name__ == "__main__":
    main()
