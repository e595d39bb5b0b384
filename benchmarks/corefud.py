"""Holds scores by nodes against corefud-scorer, in a folder and interpreter of its own.

    python -m benchmarks.corefud --scorer DIR --python DIR/bin/python [--pairs 2000] [--seed 1]
    python -m benchmarks.corefud --scorer DIR --python DIR/bin/python --key en_gum-ud-dev.conllu

The first draws pairs of small documents with zeros, discontinuous, nested and repeated mentions,
and compares recall and precision of all metrics under all 18 settings (three matches, three ways
with zeros, singletons kept or dropped). The second makes a response to a key, compares two
settings, and takes the processor time of both commands with all metrics under each, the
interpreters' start included.

Where two mentions of a side have the same first and last node and number of nodes, and are not the
same, corefud-scorer has no order of them: its figures then are those of a hash. Such pairs are
counted apart.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.corefud_pairs import pair, response_to
from benchmarks.scoring import timed
from corefmill.corpora.scoring import sources
from corefmill.corpora.scoring.score import score
from corefmill.corpora.scoring.sources import Source, Texts
from corefmill.corpora.scoring.units import NodeMention

Paths = tuple[Path, Path]

TIMED = ("head/dependent/drop", "exact/dependent/keep")
"""Settings of the second way: as CRAC ranks, and one with singletons."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scorer", required=True, type=Path, help="the folder of corefud-scorer")
    parser.add_argument("--python", required=True, help="an interpreter that has udapi")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--key", type=Path, help="a CoNLL-U file with Entity")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        if options.key is None:
            texts = (pair(draw) for _ in range(options.pairs))
        else:
            key = options.key.read_text(encoding="utf-8")
            texts = iter([(key, response_to(draw, key))])
        files = list(written(Path(folder), texts))
        if options.key is not None:
            speed(options, files[0])
        compared(options, files)


def written(folder: Path, texts: Iterator[tuple[str, str]]) -> Iterator[Paths]:
    for number, sides in enumerate(texts):
        paths = folder / f"{number}.key.conllu", folder / f"{number}.response.conllu"
        for path, text in zip(paths, sides, strict=True):
            path.write_text(text, encoding="utf-8")
        yield paths


def compared(options: argparse.Namespace, files: Sequence[Paths]) -> None:
    """Prints what is not equal, and how many were."""
    oracle_file = Path(__file__).with_name("corefud_oracle.py").resolve()
    oracle = subprocess.Popen(
        [options.python, str(oracle_file), *([] if options.key is None else TIMED)],
        cwd=options.scorer,
        env={"PYTHONPATH": str(options.scorer.resolve()), "PYTHONHASHSEED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert oracle.stdin is not None and oracle.stdout is not None
    figures = unequal = 0
    pairs, unordered = [0, 0], [0, 0]  # all, and those with other figures
    for paths in files:
        print(*paths, sep="\t", file=oracle.stdin, flush=True)
        theirs = json.loads(oracle.stdout.readline())
        sides = [sources.load(path, nodes=True) for path in paths]
        ours = {setting: own(sides, setting) for setting in theirs}
        wrong = [
            f"{setting} {metric}: {ours[setting][metric]}, and theirs {scores}"
            for setting, found in theirs.items()
            for metric, scores in found.items()
            if any(abs(a - b) > 1e-9 for a, b in zip(ours[setting][metric], scores, strict=True))
        ]
        figures += sum(map(len, theirs.values()))
        unequal += len(wrong)
        counts = unordered if any(map(without_order, sides)) else pairs
        counts[0] += 1
        counts[1] += bool(wrong)
        for line in wrong[:3]:
            print(f"{paths[0].name}: {line}{' (no order)' * (counts is unordered)}", flush=True)
    oracle.stdin.close()
    oracle.wait(60)
    print(f"{figures:,} recalls with precisions, {unequal:,} of them other than theirs")
    for counts, which in ((pairs, "with an order"), (unordered, "without one")):
        print(f"{counts[0]:,} pairs of mentions {which}, {counts[1]:,} with other figures")


def own(sides: Sequence[Source], setting: str) -> dict[str, list[float]]:
    how, zeros, singletons = setting.split("/")
    table = score(*sides, singletons=singletons, match=how, zeros=zeros)
    return {name: list(found[:2]) for name, found in table.scores(table.totals()).items()}


def without_order(side: Source) -> bool:
    assert isinstance(side, Texts)
    for document in side.texts:
        seen: dict[tuple[int, int, int], set[tuple[tuple[int, ...], int]]] = {}
        for mention in (one for entity in document.clusters for one in entity):
            assert isinstance(mention, NodeMention)
            seen.setdefault(mention.order, set()).add((mention.words, mention.head))
        if any(len(same) > 1 for same in seen.values()):
            return True
    return False


def speed(options: argparse.Namespace, files: Paths) -> None:
    ours = [str(Path(sys.executable).with_name("corefmill")), "score", *map(str, files)]
    theirs = [options.python, str(options.scorer / "corefud-scorer.py"), *map(str, files)]
    for setting in TIMED:
        match, _, singletons = setting.split("/")
        flags = ["--match", match, "--singletons", singletons, "--metrics", "all"]
        own = timed([*ours, *flags])
        other = timed([*theirs, "-a", match, *["-s"] * (singletons == "keep")])
        print(
            f"{match}, singletons {singletons}: {own:.2f} s, theirs {other:.2f} s, "
            f"{other / own:.1f} times",
            flush=True,
        )


if __name__ == "__main__":
    main()
