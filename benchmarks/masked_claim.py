"""Whether training on WikiCREM helps: one encoder alone, and after each corpus, over several seeds.

    python -m benchmarks.masked_claim out/claim --data-dir data \\
        --train WikiRand=out/wikirand-en --train WikiCREM=out/wikicrem-en \\
        --seeds 0 1 2 --set max_steps=400

All trainings take the same number of steps, of the same number of pairs, so that a larger corpus
gains by its variety alone; what a seed changes is the order and, in a larger corpus, the choice of
examples. Every model and every evaluation is a folder or file of OUT, and a run that was stopped
goes on with what is missing. The first table, in OUT/results.md too, has the mean over the seeds
and, after +-, their standard deviation (n - 1); the second what each model has more than those
before it, by item (share answered rightly, mean over the seeds), with 95 % intervals of a bootstrap
over items. Nothing is chosen by the sets of the tables.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import seeds
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.tables import table

SETS = ("gap", "dpr", "winogender", "winobias", "winogrande")

DRAWS = 2000
"""Of the bootstrap, from seed 0."""

Scores = Mapping[str, float]
"""What a column shows -> percent (or GAP's ratio of bias)."""


def main() -> None:
    """Trains and evaluates what is missing, then prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--corpus", default=",".join(SETS), help="what is evaluated on")
    parser.add_argument(
        "--train", action="append", default=[], metavar="NAME=CORPUS[,CORPUS]", type=_named
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="sets")
    parser.add_argument("--preset", default="cpu")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = {f"{options.encoder} alone": [_scores(options, options.encoder, "alone")]}
    answers = {f"{options.encoder} alone": [options.out / "alone.csv"]}
    for seed in options.seeds:  # so that what is stopped early has each corpus once
        for name, corpora in options.train:
            model = options.out / f"{name}-{seed}"
            _call("train", "coref", "--corpus", corpora, "--seed", seed, "--out", model, "-q",
                  "--preset", options.preset, *_sets(options))  # fmt: skip
            scores = _scores(options, model, model.name)
            found.setdefault(f"+ {name}", []).append(scores)
            answers.setdefault(f"+ {name}", []).append(options.out / f"{model.name}.csv")
    shown = [*lines(found), "", *differences(answers)]
    write_whole(options.out / "results.md", "".join(f"{line}\n" for line in shown))
    print("\n".join(shown))


def lines(found: Mapping[str, Sequence[Scores]]) -> list[str]:
    """The table: a row a model, a column a score, each its mean and deviation over the runs."""
    columns = list(dict.fromkeys(name for runs in found.values() for one in runs for name in one))
    return table(
        ["model", "seeds", *columns],
        (
            [model, len(runs), *(_mean(name, [run[name] for run in runs]) for name in columns)]
            for model, runs in found.items()
        ),
    )


def _mean(name: str, values: Sequence[float]) -> str:
    digits = 2 if name.endswith("bias") else 1  # a ratio
    return seeds.mean(values, digits)


def differences(answers: Mapping[str, Sequence[Path]]) -> list[str]:
    """The table of each model less each one before it, a column a corpus."""
    shares = {model: _shares(paths) for model, paths in answers.items()}
    corpora = list(next(iter(shares.values())))
    sizes = [f"{corpus} (n {len(next(iter(shares.values()))[corpus]):,})" for corpus in corpora]
    return table(
        ["less", *sizes],
        (
            [f"{more} - {less}", *(_less(shares[more][c], shares[less][c]) for c in corpora)]
            for less, more in combinations(shares, 2)
        ),
    )


def _shares(paths: Sequence[Path]) -> dict[str, NDArray[np.float64]]:
    """Corpus -> the share of the runs, [items], that answered each item rightly."""
    runs: list[dict[str, dict[tuple[str, int], int]]] = []
    for path in paths:
        run: dict[str, dict[tuple[str, int], int]] = {}
        before: Counter[tuple[str, str]] = Counter()
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                name = row["corpus"], row["id"]
                before[name] += 1  # files of one corpus may use one id each
                run.setdefault(row["corpus"], {})[row["id"], before[name]] = int(row["correct"])
        runs.append(run)
    return {
        corpus: np.mean([[run[corpus][item] for item in items] for run in runs], axis=0)
        for corpus, items in runs[0].items()
    }


def _less(more: NDArray[np.float64], less: NDArray[np.float64]) -> str:
    items = 100 * (more - less)  # [items]
    drawn = np.random.default_rng(0).integers(0, len(items), (DRAWS, len(items)))
    low, high = np.percentile(items[drawn].mean(1), (2.5, 97.5))
    return f"{items.mean():+.1f} ({low:+.1f} to {high:+.1f})"


def _scores(options: argparse.Namespace, model: Path | str, name: str) -> Scores:
    kept: Path = options.out / f"{name}.json"
    if not kept.exists():
        said = _call("corefmill", "evaluate", "--model", model, "--corpus", options.corpus,
                     "--data-dir", options.data_dir, "--json",
                     "--answers", options.out / f"{name}.csv", "--overwrite")  # fmt: skip
        write_whole(kept, said)
    return dict(_columns(json.loads(kept.read_text(encoding="utf-8"))["result"]["rows"]))


def _columns(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    for row in rows:
        if row["by"] == "the model":
            yield " ".join(filter(None, (row["corpus"], row["group"], row["metric"]))), row["score"]


def _sets(options: argparse.Namespace) -> list[str]:
    wanted = [f"encoder={options.encoder}", *options.sets]
    return [part for one in wanted for part in ("--set", one)]


def _named(text: str) -> tuple[str, str]:
    name, equals, corpora = text.partition("=")
    if not (name.isalnum() and equals and corpora):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=CORPUS, the name of letters")
    return name, corpora


def _call(command: str, *arguments: object) -> str:
    """What a command of this project prints; ends the benchmark where it fails."""
    run = subprocess.run(
        [Path(sys.executable).parent / command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    if run.returncode:
        sys.exit(f"{command} {' '.join(map(str, arguments))}: exit code {run.returncode}")
    return run.stdout


if __name__ == "__main__":
    main()
