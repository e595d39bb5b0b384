"""Fits the weights of builders/wikicrem/confidence.toml to passages that were read.

    python -m benchmarks.confidence FOLDER --dump DUMP [--readings FILE]

FOLDER has the novels that the readings name, DUMP the wiki's pages (`enwiki-7`); without one these
are left out. Each text is read whole by en_mini, by clean mode's filters but for `doubtful`; drafts
are a build's, and those whose answer was named two sentences before. What a reader called a
person's, solvable, natural, and answered right, is good. Printed are the weights, and by thresholds
of confidence how many of the readings would be kept and how many of these are good, each by a fit
without its own novel or page.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.masked_yield import read_novels, whole
from corefmill.builders.nlp import Backend, of_wiki
from corefmill.builders.persons.drafts import nearest_drafts
from corefmill.builders.runner.stages import Context
from corefmill.builders.translate.weights.fitting import Floats, Readings, area, fitted, left_out
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from corefmill.builders.wikicrem import stages
from corefmill.builders.wikicrem.evidence import PronounEvidence
from corefmill.builders.wikicrem.options import SENTENCES, WikicremOptions

PENALTY = 1 / 0.03
"""Of the squares of coefficients in units of a standard deviation; chosen on the readings."""
PAGE = "enwiki-"
"""How the names of pages begin."""
THRESHOLDS = (0.45, 0.5, 0.55, 0.6, 0.65, 0.7)


def main() -> None:
    """Prints the weights as TOML, to standard error what they are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--readings", type=Path, default=Path(__file__).with_name("readings") / "masked-tuning.csv"
    )
    parser.add_argument("--dump", type=Path)
    options = parser.parse_args()
    with options.readings.open(newline="", encoding="utf-8") as file:
        good = {(row["novel"], row["id"]): is_good(row) for row in csv.DictReader(file)}
    made = WikicremOptions.make("en", "clean", "en_mini", ("doubtful",))
    pipeline = of_wiki(made.nlp, made.lang)
    # Further drafts were read than a build makes.
    further = partial(nearest_drafts, near=SENTENCES)
    stages.nearest_drafts = further  # type: ignore[attr-defined]
    found: list[tuple[str, bool, Mapping[str, float]]] = []
    texts = {text for text, _ in good}
    for text, articles in read_texts(texts, options.folder, options.dump):
        for key, evidence in of_articles(articles, made, pipeline):
            if (text, key) in good:
                found.append((text, good[text, key], evidence))
        print(text, len(found), file=sys.stderr, flush=True)
    names = [*found[0][2]]
    readings = Readings(
        names,
        np.array([[evidence[name] for name in names] for *_, evidence in found]),
        np.array([right for _, right, _ in found]),
        np.ones(len(found)),
        np.array([text for text, *_ in found]),
        np.zeros(len(found), np.int64),
    )
    chances = 1 / (1 + np.exp(-left_out(readings, PENALTY)))
    right, on_page = readings.right, readings.values[:, names.index("on_page")] > 0
    for title, of in (("novels", ~on_page), ("pages", on_page)):
        if of.any():
            print_worth(title, chances[of], right[of])
    intercept, weights = fitted(readings.values, right, readings.stands, PENALTY)
    print(f"intercept = {intercept:.3f}")
    for name, weight in zip(names, weights, strict=True):
        print(f"{name} = {weight:.3f}")


def print_worth(title: str, chances: Floats, right: NDArray[np.bool_]) -> None:
    """Says to standard error what is kept at which confidence, and how much of it is good."""
    print(f"{title}: {len(right)} readings, {right.sum()} good", file=sys.stderr)
    print(f"area {area(chances, right, np.ones(len(right))):.3f}", file=sys.stderr)
    for threshold in THRESHOLDS:
        kept = chances >= threshold
        if kept.any():
            print(f"{threshold}: {kept.sum()} kept, {right[kept].mean():.1%} good", file=sys.stderr)


def is_good(row: Mapping[str, str]) -> bool:
    """Whether a reader called the passage good, and named the right person."""
    return all(row[name] == "1" for name in ("person", "solvable", "right", "natural"))


def read_texts(
    texts: Iterable[str], folder: Path, dump: Path | None
) -> Iterator[tuple[str, Iterable[Article | Redirect]]]:
    """The novels and the pages of these names, one by one."""
    pages = {text for text in texts if text.startswith(PAGE)}
    for novel in sorted(set(texts) - pages):
        yield novel, read_novels([folder / novel])
    if dump is None:
        return
    read = ReadDump("en")
    for article in read(DumpSource([dump], "en").chunks(), Context(0, 0)):
        if isinstance(article, Article) and article.key in pages:
            yield article.key, [article]


def of_articles(
    articles: Iterable[Article | Redirect], options: WikicremOptions, pipeline: Backend
) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The id and the evidence of each draft that all other filters let through."""
    context = Context(0, 0)
    made: Iterator[object] = iter(articles)
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
