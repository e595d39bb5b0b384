"""Fits the weights of builders/wikicrem/confidence.toml to passages that were read.

    python -m benchmarks.confidence FOLDER [--readings benchmarks/readings/masked-tuning.csv]

FOLDER has the novels that the readings name. Each is read whole by en_mini, by clean mode's filters
but for `doubtful`; drafts are a build's, and those whose answer was named two sentences before.
What a reader called a person's, solvable, natural, and answered right, is good. Printed are the
weights, and by thresholds of confidence how many of the readings would be kept and how many of
these are good, each by a fit without its own novel.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.masked_yield import read_novels, whole
from corefmill.builders.nlp import Backend, of_wiki
from corefmill.builders.persons.drafts import nearest_drafts
from corefmill.builders.runner.stages import Context
from corefmill.builders.translate.weights.fitting import Readings, area, fitted, left_out
from corefmill.builders.wikicrem import stages
from corefmill.builders.wikicrem.evidence import PronounEvidence
from corefmill.builders.wikicrem.options import SENTENCES, WikicremOptions

PENALTY = 1 / 0.03
"""Of the squares of coefficients in units of a standard deviation; chosen on the readings."""
THRESHOLDS = (0.45, 0.5, 0.55, 0.6, 0.65, 0.7)


def main() -> None:
    """Prints the weights as TOML, to standard error what they are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--readings", type=Path, default=Path(__file__).with_name("readings") / "masked-tuning.csv"
    )
    options = parser.parse_args()
    with options.readings.open(newline="", encoding="utf-8") as file:
        good = {(row["novel"], row["id"]): is_good(row) for row in csv.DictReader(file)}
    made = WikicremOptions.make("en", "clean", "en_mini", ("doubtful",))
    pipeline = of_wiki(made.nlp, made.lang)
    # Further drafts were read than a build makes.
    further = partial(nearest_drafts, near=SENTENCES)
    stages.nearest_drafts = further  # type: ignore[attr-defined]
    found: list[tuple[str, bool, Mapping[str, float]]] = []
    for novel in sorted({novel for novel, _ in good}):
        for key, evidence in of_novel(options.folder / novel, made, pipeline):
            if (novel, key) in good:
                found.append((novel, good[novel, key], evidence))
        print(novel, len(found), file=sys.stderr, flush=True)
    names = [*found[0][2]]
    readings = Readings(
        names,
        np.array([[evidence[name] for name in names] for *_, evidence in found]),
        np.array([right for _, right, _ in found]),
        np.ones(len(found)),
        np.array([novel for novel, *_ in found]),
        np.zeros(len(found), np.int64),
    )
    chances = 1 / (1 + np.exp(-left_out(readings, PENALTY)))
    right = readings.right
    print(f"{len(found)} readings, {right.sum()} good", file=sys.stderr)
    print(f"area {area(chances, right, readings.stands):.3f}", file=sys.stderr)
    for threshold in THRESHOLDS:
        kept = chances >= threshold
        print(f"{threshold}: {kept.sum()} kept, {right[kept].mean():.1%} good", file=sys.stderr)
    intercept, weights = fitted(readings.values, right, readings.stands, PENALTY)
    print(f"intercept = {intercept:.3f}")
    for name, weight in zip(names, weights, strict=True):
        print(f"{name} = {weight:.3f}")


def is_good(row: Mapping[str, str]) -> bool:
    """Whether a reader called the passage good, and named the right person."""
    return all(row[name] == "1" for name in ("person", "solvable", "right", "natural"))


def of_novel(
    path: Path, options: WikicremOptions, pipeline: Backend
) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The id and the evidence of each draft that all other filters let through."""
    context = Context(0, 0)
    made: Iterator[object] = read_novels([path])
    for stage in stages.stages(options, pipeline, whole)[:-1]:
        made = stage(made, context)
    for group in made:
        assert isinstance(group, stages.DraftGroup)
        for view in group.views:
            assert view.syntax is not None
            key = f"{view.article.key}-{view.paragraph.index}-{view.draft.target.start}"
            yield key, PronounEvidence(view, view.syntax, options.lang).values()


if __name__ == "__main__":
    main()
