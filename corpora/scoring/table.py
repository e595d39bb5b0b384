"""A table of counts by document and measure, and the scores of any of their sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from corefmill.corpora.scoring.metrics import CONLL, Array, Measure

Unit = Literal["document", "example"]

Totals = Mapping[str, Array]
"""Summed counts by measure, of shape (..., counts)."""


class Score(NamedTuple):
    """Each from 0 to 1."""

    recall: float
    precision: float
    f1: float


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """What was counted: `counts` has a row per document (or example) for each measure.

    `table["muc"]` is a measure's score over all documents, `table.conll` the CoNLL F1. `notes`
    says what a reader of the scores should know: duplicates, answers that are missing. `langs` has
    the language of each document, `-` where it is not known; `classes` by the kind of class and the
    class the summed counts of its mentions and of its anaphors, of shape (2, 4).
    """

    unit: Unit
    names: Sequence[str]
    genres: Sequence[str]
    measures: Sequence[Measure]
    counts: Mapping[str, Array]
    notes: Sequence[str] = ()
    langs: Sequence[str] = ()
    classes: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)

    def __getitem__(self, measure: str) -> Score:
        """The score of the summed counts of a measure; raises `KeyError` where it was not asked."""
        return Score(*self.scores(self.totals())[measure].tolist())

    @property
    def conll(self) -> float:
        """The mean F1 of MUC, B3 and CEAFe; raises `KeyError` where one of them was not asked."""
        return float(derived(self.scores(self.totals()))["conll"])

    def totals(self) -> dict[str, Array]:
        """Counts summed over all documents."""
        return {name: rows.sum(axis=0) for name, rows in self.counts.items()}

    def by_document(self) -> list[tuple[str, Totals]]:
        """The counts of each document, in the key's order."""
        return [
            (name, {measure: rows[number] for measure, rows in self.counts.items()})
            for number, name in enumerate(self.names)
        ]

    def by_genre(self) -> list[tuple[str, Totals]]:
        """Counts summed over the documents of each genre, in the order of the genres' names."""
        return self._grouped(self.genres)

    def by_language(self) -> list[tuple[str, Totals]]:
        """Counts summed over the documents of each language, in the order of their codes."""
        return self._grouped(self.langs or ["-"] * len(self.names))

    def _grouped(self, groups: Sequence[str]) -> list[tuple[str, Totals]]:
        every = np.array(groups)
        return [
            (group, {name: rows[every == group].sum(axis=0) for name, rows in self.counts.items()})
            for group in sorted(set(groups))
        ]

    def scores(self, totals: Totals) -> dict[str, Array]:
        """Recall, precision and F1 of summed counts by measure, of shape (..., 3)."""
        return {measure.name: measure.score(totals[measure.name]) for measure in self.measures}


def derived(scores: Mapping[str, Array]) -> dict[str, Array]:
    """What several measures' F1 make together: the CoNLL mean, GAP's bias (feminine/masculine).

    NaN where a bias has no masculine or no feminine F1, as the official scorer has none then.
    """
    f1 = {name: array[..., 2] for name, array in scores.items()}
    found = {}
    if all(name in f1 for name in CONLL):
        found["conll"] = np.mean([f1[name] for name in CONLL], axis=0)
    if "feminine" in f1 and "masculine" in f1:
        low, high = f1["masculine"], f1["feminine"]
        bias = np.full_like(low, np.nan)
        np.divide(high, low, out=bias, where=(low > 0) & (high > 0))
        found["bias"] = bias
    return found
