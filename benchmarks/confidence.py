"""Fits the weights of builders/wikicrem/confidence.toml to passages that were read.

    python -m benchmarks.confidence FOLDER/en --dump DUMP
    python -m benchmarks.confidence FOLDER --lang de es fr pl

The folder has the novels that the readings name, of several languages a folder for each; DUMP has
the wiki's pages (`enwiki-7`), and without one these are left out. Each text is read by the
language's small pipeline and by clean mode's filters but for `doubtful` and `rival_pronoun`.
English texts are read whole, and drafts are a build's, and those whose answer was named two
sentences before; of other languages all is as in a build. What a reader called a person's,
solvable, natural, and answered right, is good.

Several languages share the weights, since of each few passages were read, and have intercepts of
their own; the penalty draws their weights towards a part of the English ones. Printed are the
weights; by thresholds of confidence how many of the readings would be kept and how many of these
are good, each by a fit without its own novel or page; and how many groups of drafts of these texts,
read or not, would be kept: that is how many examples.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.nlp import Backend, load_wiki_pipeline
from corefmill.builders.persons.drafts import draft_nearest
from corefmill.builders.run.stages import Context
from corefmill.builders.sources.text import TextSource, read_text
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from corefmill.builders.wikicrem import stages
from corefmill.builders.wikicrem.confidence import PronounEvidence, compute_chance, look_up_weights
from corefmill.builders.wikicrem.options import SENTENCES, WikicremOptions
from corefmill.corpora.records import Span

Floats = NDArray[np.float64]

PENALTY = 1 / 0.03
"""Of the squares of coefficients in units of a standard deviation; chosen on the readings."""
SHARED_PENALTY, ENGLISH_PART = 50.0, 0.5
"""The penalty of weights that languages share, and how much of the English ones it draws them to;
both chosen on the readings, by fits without their novel."""
PAGE = "enwiki-"
"""How the names of pages begin."""
THRESHOLDS = tuple(round(0.4 + 0.01 * step, 2) for step in range(31))
_READINGS = Path(__file__).with_name("readings")


class Readings(NamedTuple):
    """Evidence by name for each draft that was read, and whether it was good."""

    names: Sequence[str]
    values: Floats  # [drafts, names]
    good: NDArray[np.bool_]  # [drafts]
    texts: NDArray[np.str_]  # [drafts]


class Draft(NamedTuple):
    """A draft of a text; `good` is None where nobody read it."""

    lang: str
    text: str
    group: int
    good: bool | None
    evidence: Mapping[str, float]


def main() -> None:
    """Prints the weights as TOML, to standard error what they are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lang", nargs="+", default=["en"])
    parser.add_argument("--dump", type=Path)
    parser.add_argument("--readings", type=Path, help="by default those in benchmarks/readings")
    options = parser.parse_args()
    langs: list[str] = options.lang
    alone = langs == ["en"]
    file = options.readings or _READINGS / f"masked-tuning{'' if alone else '-four'}.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [*csv.DictReader(lines)]
    made: list[Draft] = []
    for lang in langs:
        own = {(r["novel"], r["id"]): is_good(r) for r in rows if r.get("lang", "en") == lang}
        folder = options.folder if alone else options.folder / lang
        made += of_language(lang, folder, options.dump, own)
    read = [draft for draft in made if draft.good is not None]
    names = [*known_weights(langs[0])]
    readings = as_readings(read, names, langs)
    penalty, towards = (PENALTY, None) if alone else (SHARED_PENALTY, english_part(readings))
    chances = 1 / (1 + np.exp(-left_out(readings, penalty, towards)))
    for lang in langs:
        for kind, on_page in (("novels", False), ("pages", True)):
            of = np.array(
                [draft.lang == lang and draft.text.startswith(PAGE) == on_page for draft in read]
            )
            if of.any():
                print_worth(f"{lang}, {kind}", chances[of], readings.good[of])
    intercept, found = fit(readings.values, readings.good, penalty, towards)
    fitted = dict(zip(readings.names, map(float, found), strict=True))
    weights = {name: fitted[name] for name in names}
    for lang in langs:
        own_intercept = intercept + fitted.get(lang, 0)
        print_kept([draft for draft in made if draft.lang == lang], own_intercept, weights)
        print(f"{lang}: intercept = {own_intercept:.3f}")
    for name, weight in weights.items():
        print(f"{name} = {weight:.3f}")


def as_readings(read: Sequence[Draft], names: Sequence[str], langs: Sequence[str]) -> Readings:
    """The drafts that were read, as what is fitted: of several languages each has a column, too."""
    columns = [*names, *(langs if len(langs) > 1 else ())]
    return Readings(
        columns,
        np.array(
            [[draft.evidence.get(name, name == draft.lang) for name in columns] for draft in read],
            dtype=np.float64,
        ),
        np.array([bool(draft.good) for draft in read]),
        np.array([draft.text for draft in read]),
    )


def fit(
    values: Floats, good: NDArray[np.bool_], penalty: float, towards: Floats | None = None
) -> tuple[float, Floats]:
    """Fit a logistic regression: intercept and coefficients, in the units of the evidence.

    The penalty draws the coefficients to those of `towards`, or to 0.
    """
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    used = np.where(deviation > 0, deviation, 1.0)
    design = np.column_stack([np.ones(len(good)), (values - mean) / used])
    drawn = np.diag([0.0, *[penalty] * values.shape[1]])
    aim = np.zeros(design.shape[1])
    if towards is not None:
        aim[1:] = towards * used
    held = aim
    for _ in range(25):  # Newton's steps, which the penalty keeps from running away
        chances = 1 / (1 + np.exp(-np.clip(design @ held, -50, 50)))
        slope = design.T @ (chances - good) + drawn @ (held - aim)
        bend = design.T @ (design * (chances * (1 - chances))[:, None]) + drawn
        held = held - np.linalg.solve(bend, slope)
    coefficients = held[1:] / used
    return float(held[0] - coefficients @ mean), coefficients


def left_out(readings: Readings, penalty: float, towards: Floats | None) -> Floats:
    """Score each draft, [drafts], by a fit without its text."""
    scores = np.zeros(len(readings.good))
    for text in np.unique(readings.texts):
        out = readings.texts == text
        intercept, coefficients = fit(readings.values[~out], readings.good[~out], penalty, towards)
        scores[out] = intercept + readings.values[out] @ coefficients
    return scores


def area(scores: Floats, good: NDArray[np.bool_]) -> float:
    """The chance that a good draft has a higher score than another, ties halved."""
    ours, others = scores[good][:, None], scores[~good]
    won = (ours > others) + 0.5 * (ours == others)
    return float(won.mean()) if won.size else float("nan")


def known_weights(lang: str) -> Mapping[str, float]:
    """The weights that ship for a language: to these pieces of evidence it is fitted anew."""
    known = look_up_weights(lang)
    assert known is not None
    return known.weights


def english_part(readings: Readings) -> Floats:
    """[names]: the part of the English weights that others are drawn to; 0 for evidence that none
    of the readings has, or English not."""
    varies = readings.values.std(axis=0) > 0
    english = known_weights("en")
    part = [ENGLISH_PART * english.get(name, 0.0) for name in readings.names]
    return np.where(varies, part, 0.0)


def print_worth(title: str, chances: Floats, good: NDArray[np.bool_]) -> None:
    """Says to standard error how many are kept at which confidence, and how many are good."""
    say = partial(print, file=sys.stderr)
    say(f"{title}: {len(good)} readings, {good.sum()} good, area {area(chances, good):.3f}")
    for threshold in THRESHOLDS:
        kept = chances >= threshold
        if kept.any():
            say(f"{threshold}: {kept.sum()} kept, {good[kept].mean():.1%} good")


def print_kept(made: Sequence[Draft], intercept: float, weights: Mapping[str, float]) -> None:
    """Says to standard error how many groups have a draft that is kept, which is an example."""
    sure: dict[tuple[str, int], float] = {}
    for draft in made:
        group = draft.text, draft.group
        sure[group] = max(sure.get(group, 0), compute_chance(intercept, weights, draft.evidence))
    print(f"{made[0].lang}: {len(sure)} groups of drafts", file=sys.stderr)
    for threshold in THRESHOLDS:
        kept = sum(one >= threshold for one in sure.values())
        print(f"{threshold}: {kept}", file=sys.stderr)


def is_good(row: Mapping[str, str]) -> bool:
    """Whether a reader called the passage good, and named the right person."""
    return all(row[name] == "1" for name in ("person", "solvable", "right", "natural"))


def of_language(
    lang: str, folder: Path, dump: Path | None, good: Mapping[tuple[str, str], bool]
) -> Iterator[Draft]:
    """The drafts of a language's texts that all other filters let through."""
    made = WikicremOptions(lang=lang, nlp=f"{lang}_mini", without=("doubtful", "rival_pronoun"))
    pipeline = load_wiki_pipeline(made.pipeline, lang)
    # Further drafts of English were read than a build makes.
    further = partial(draft_nearest, near=SENTENCES) if lang == "en" else draft_nearest
    stages.draft_nearest = further  # type: ignore[attr-defined]
    for text, articles in read_texts({text for text, _ in good}, folder, dump):
        for key, group, evidence in of_articles(articles, made, pipeline):
            yield Draft(lang, text, group, good.get((text, key)), evidence)
        print(text, file=sys.stderr, flush=True)


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


def read_novels(paths: Sequence[Path]) -> Iterator[Article]:
    """The novels of these files as a build reads them."""
    for unit in TextSource([*map(str, paths)]).units(skip=()):
        yield from read_text(iter((unit.payload,)), Context(0, 0))


def whole(text: str) -> list[Span]:
    """That all of a paragraph is to be read."""
    return [(0, len(text))]


def of_articles(
    articles: Iterable[Article | Redirect], options: WikicremOptions, pipeline: Backend
) -> Iterator[tuple[str, int, Mapping[str, float]]]:
    """The id, the number of its group and the evidence of each draft that is let through."""
    context = Context(0, 0)
    made: Iterator[object] = iter(articles)
    find = whole if options.lang == "en" else None
    for stage in stages.stages(options, pipeline, find)[:-1]:
        made = stage(made, context)
    for number, group in enumerate(made):
        assert isinstance(group, stages.DraftGroup)
        for view in group.views:
            assert view.syntax is not None
            key = f"{view.article.key}-{view.paragraph.index}-{view.draft.target.start}"
            yield key, number, PronounEvidence(view, view.syntax, options.lang).values()


if __name__ == "__main__":
    main()
