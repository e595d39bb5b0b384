"""Fits the weights of builders/wikicrem/confidence.toml to passages that were read.

    python -m benchmarks.confidence DATA

DATA has eltec/LANG/ with the novels that the readings name, and dumps/ with the samples of English
and Italian pages. Each text is read by the language's small pipeline and by clean mode's filters
but for `doubtful`. Good is what a reader called a person's, solvable and natural, and named right;
of several readers' verdicts the mean counts.

Printed are the weights, and what they are worth on readings that they have not seen: by a fit
without the tenth of the texts that a reading is of, how many are good by bins of confidence and
above each threshold; by a fit without its language, the area under the curve.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.nlp import Backend, load_wiki_pipeline
from corefmill.builders.run.stages import Context
from corefmill.builders.sources.text import TextSource, read_text
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from corefmill.builders.wikicrem import stages
from corefmill.builders.wikicrem.confidence import PronounEvidence, load_weights
from corefmill.builders.wikicrem.options import OF_TEXT, WikicremOptions

Floats = NDArray[np.float64]

PENALTY = 50.0
"""Of the squares of coefficients in units of a standard deviation; chosen on the readings."""
PARTS = 10
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_READINGS = Path(__file__).with_name("readings") / "masked-tuning.csv"


class Reading(NamedTuple):
    """A draft that was read: the share of its readers who called it good, and its evidence."""

    lang: str
    text: str
    good: float
    evidence: Mapping[str, float]


def main() -> None:
    """Prints the weights as TOML, and what they are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--lang", nargs="+", help="by default all languages of the readings")
    options = parser.parse_args()
    verdicts = load_verdicts()
    langs = options.lang or sorted({lang for lang, _ in verdicts})
    read = [one for lang in langs for one in measure(lang, options.data, verdicts)]
    names = [*load_weights().weights]
    values = np.array([[one.evidence[name] for name in names] for one in read])
    good = np.array([one.good for one in read])
    _, texts = np.unique([f"{one.lang} {one.text}" for one in read], return_inverse=True)
    parts = np.random.default_rng(0).integers(0, PARTS, texts.max() + 1)[texts]
    chances = leave_out(values, good, parts)
    on_page = np.array([is_page(one.text) for one in read])
    for title, of in (("novels", ~on_page), ("pages", on_page)):
        print_worth(title, chances[of], good[of])
    spoken = np.array([one.lang for one in read])
    without = leave_out(values, good, spoken)
    for lang in langs:
        of = (spoken == lang) & ~on_page
        print_worth(f"novels, {lang}", chances[of], good[of])
        print(f"  fitted without the language: area {area(without[of], good[of]):.3f}")
    intercept, weights = fit(values, good)
    print(f"intercept = {intercept:.3f}\n\n[weights]")
    for name, weight in zip(names, weights, strict=True):
        print(f"{name} = {weight:.3f}")


def load_verdicts() -> Mapping[tuple[str, str], Mapping[str, float]]:
    """The share of readers who called it good, by language and text, and by place in the text."""
    found: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    with _READINGS.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            is_good = all(row[name] == "1" for name in ("person", "solvable", "right", "natural"))
            found[row["lang"], row["text"]][row["place"]].append(is_good)
    return {
        text: {place: sum(said) / len(said) for place, said in places.items()}
        for text, places in found.items()
    }


def measure(
    lang: str, data: Path, verdicts: Mapping[tuple[str, str], Mapping[str, float]]
) -> Iterator[Reading]:
    """The readings of a language whose drafts all filters but `doubtful` let through."""
    options = WikicremOptions(
        lang=lang, nlp=f"{lang}_mini", without=("doubtful",), sentences=OF_TEXT
    )
    pipeline = load_wiki_pipeline(options.pipeline, lang)
    wanted = {text for spoken, text in verdicts if spoken == lang}
    for text, articles in read_texts(lang, wanted, data):
        said = verdicts[lang, text]
        seen: set[str] = set()
        for place, evidence in measure_drafts(articles, options, pipeline):
            if place in said and place not in seen:
                seen.add(place)
                yield Reading(lang, text, said[place], evidence)


def read_texts(
    lang: str, texts: Iterable[str], data: Path
) -> Iterator[tuple[str, Iterable[Article | Redirect]]]:
    """The novels and the pages of these names, one by one."""
    pages = set(filter(is_page, texts))
    for novel in sorted({*texts} - pages):
        units = TextSource([str(data / "eltec" / lang / novel)]).units(skip=())
        yield (
            novel,
            (one for unit in units for one in read_text(iter((unit.payload,)), Context(0, 0))),
        )
    if pages:
        dump = data / "dumps" / f"{lang}wiki-real-sample.xml.bz2"
        for article in ReadDump(lang)(DumpSource([dump], lang).chunks(), Context(0, 0)):
            if isinstance(article, Article) and article.key in pages:
                yield article.key, [article]


def is_page(text: str) -> bool:
    """Whether a text is a wiki's page: enwiki-736."""
    return "wiki-" in text


def measure_drafts(
    articles: Iterable[Article | Redirect], options: WikicremOptions, pipeline: Backend
) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The place of each draft that is let through, as the readings have it, and its evidence."""
    context = Context(0, 0)
    made: Iterator[object] = iter(articles)
    for stage in stages.stages(options, pipeline)[:-1]:
        made = stage(made, context)
    for group in made:
        assert isinstance(group, stages.DraftGroup)
        for view in group.views:
            assert view.syntax is not None
            place = f"{view.paragraph.index}-{view.draft.target.start}"
            yield place, PronounEvidence(view, view.syntax, options.lang).values()


def fit(values: Floats, good: Floats) -> tuple[float, Floats]:
    """Fit a logistic regression: intercept and coefficients, in the units of the evidence."""
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    used = np.where(deviation > 0, deviation, 1.0)
    design = np.column_stack([np.ones(len(good)), (values - mean) / used])
    drawn = np.diag([0.0, *[PENALTY] * values.shape[1]])
    held = np.zeros(design.shape[1])
    for _ in range(25):  # Newton's steps, which the penalty keeps from running away
        chances = 1 / (1 + np.exp(-np.clip(design @ held, -50, 50)))
        slope = design.T @ (chances - good) + drawn @ held
        bend = design.T @ (design * (chances * (1 - chances))[:, None]) + drawn
        held = held - np.linalg.solve(bend, slope)
    coefficients = held[1:] / used
    return float(held[0] - coefficients @ mean), coefficients


def leave_out(values: Floats, good: Floats, parts: NDArray[np.generic]) -> Floats:
    """Estimate the chance of each draft, [drafts], by a fit without its part."""
    chances = np.zeros(len(good))
    for part in np.unique(parts):
        out = parts == part
        intercept, coefficients = fit(values[~out], good[~out])
        chances[out] = 1 / (1 + np.exp(-(intercept + values[out] @ coefficients)))
    return chances


def area(scores: Floats, good: Floats) -> float:
    """The chance that a good draft has a higher score than another, ties halved."""
    won = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    weight = good[:, None] * (1 - good)
    return float((won * weight).sum() / weight.sum())


def print_worth(title: str, chances: Floats, good: Floats) -> None:
    """Prints how many readings are good, by bins of confidence and above thresholds."""
    print(f"{title}: {len(good)} read, {good.mean():.1%} good, area {area(chances, good):.3f}")
    for low, high in pairwise(BINS):
        inside, above = (chances >= low) & (chances < high), chances >= low
        if inside.any():
            print(
                f"  {low} to {high}: {inside.sum()} read, {chances[inside].mean():.2f} expected,"
                f" {good[inside].mean():.2f} good; from {low}: {above.sum()} read,"
                f" {good[above].mean():.2f}"
            )


if __name__ == "__main__":
    main()
