"""A table of counts by document and measure, and the scores of any of their sums."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from corefmill.corpora.scoring.metrics import CONLL, Measure, N, Row, Scores, divide

if TYPE_CHECKING:
    from corefmill.corpora.scoring.signature import Signature

LEVEL = 0.95
"""The share of draws within an interval."""

Totals = Mapping[str, Row]
"""Summed counts by measure."""


class Score(NamedTuple):
    """Recall, precision and F1, each from 0 to 1."""

    recall: float
    precision: float
    f1: float


class Interval(NamedTuple):
    """The lowest and the highest of the middle 95 % of draws."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The second response's F1 (or a score derived from it) less the first's.

    `interval` is that of the difference over documents drawn anew, the same for both responses
    (paired bootstrap). `p` is the share of random exchanges of documents between the responses,
    the one seen included, that differ at least as much either way (approximate randomization).
    """

    value: float
    interval: Interval
    p: float


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Counts of a response: `counts` has for each measure a row per document (or example).

    `table["muc"]` is a measure's score over all documents, `table.conll` the CoNLL F1. `notes`
    are remarks for readers of the scores: duplicates, missing answers. `langs` has the language of
    each document, `-` where it is not known; `classes` by class of mentions the summed counts of
    its mentions, and of its anaphors.

    `score` adds the `signature` of its key and rules, by measure the `intervals` of recall,
    precision and F1 where documents were drawn, and of two responses the table of the second,
    `against`, with the `differences` of its F1 from the first's.
    """

    unit: Literal["document", "example"]
    names: Sequence[str]
    genres: Sequence[str]
    measures: Sequence[Measure]
    counts: Mapping[str, Sequence[Row]]
    notes: Sequence[str] = ()
    langs: Sequence[str] = ()
    classes: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    signature: Signature | None = None
    intervals: Mapping[str, tuple[Interval, ...]] | None = None
    against: ScoreTable | None = None
    differences: Mapping[str, Difference] | None = None

    def __getitem__(self, measure: str) -> Score:
        """Score the summed counts of a measure; raises `KeyError` for an uncounted one."""
        return Score(*self.scores(self.totals())[measure])

    @property
    def conll(self) -> float:
        """The mean F1 of MUC, B3 and CEAFe; raises `KeyError` where one of them was not counted."""
        return derive_scores(self.scores(self.totals()))["conll"]

    def totals(self) -> dict[str, Row]:
        """Sum the counts over all documents."""
        return {name: _sum_rows(rows) for name, rows in self.counts.items()}

    def group(self, by: str) -> list[tuple[str, Totals]]:
        """Sum the counts by `document`, in the key's order, or by `genre` or `language`, sorted."""
        if by == "document":  # each of its own, for names may be alike
            return [
                (name, {measure: rows[number] for measure, rows in self.counts.items()})
                for number, name in enumerate(self.names)
            ]
        members: dict[str, list[int]] = {}
        groups = self.genres if by == "genre" else self.langs or ["-"] * len(self.names)
        for number, group in enumerate(groups):
            members.setdefault(group, []).append(number)
        return [
            (group, {name: _sum_rows(rows[n] for n in own) for name, rows in self.counts.items()})
            for group, own in sorted(members.items())
        ]

    def scores(self, totals: Mapping[str, Sequence[N]]) -> dict[str, Scores[N]]:
        """Compute recall, precision and F1 of summed counts by measure, or of an array a count."""
        return {measure.name: measure.score(totals[measure.name]) for measure in self.measures}


def _sum_rows(rows: Iterable[Row]) -> Row:
    return tuple(map(math.fsum, zip(*rows, strict=True)))


def derive_scores(scores: Mapping[str, Scores[N]]) -> dict[str, N]:
    """Derive from the F1 of several measures the CoNLL mean, and GAP's bias (feminine/masculine).

    NaN where a bias has no masculine or no feminine F1, as the official scorer has none then.
    """
    f1 = {name: score[2] for name, score in scores.items()}
    found: dict[str, N] = {}
    if all(name in f1 for name in CONLL):
        muc, bcub, ceafe = (f1[name] for name in CONLL)
        found["conll"] = (muc + bcub + ceafe) / 3
    if "feminine" in f1 and "masculine" in f1:
        low, high = f1["masculine"], f1["feminine"]
        found["bias"] = divide(high, low * (high > 0), math.nan)
    return found
