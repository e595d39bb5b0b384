"""Summarises the rows: shares over each cut-off, accuracies split by it, and figure 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corefmill.builders.overlap.run import OverlapRow
from corefmill.builders.overlap.split import CutoffSplit, split
from corefmill.corpora import disk, pictures

PICTURE = "overlap.png"
_AXIS = 45.0
"""BM25 that figure 1 reaches to at least."""

Answers = Mapping[str, Sequence[bool | None]]
"""By a model's name whether each row's item was answered right."""


def corpora(rows: Sequence[OverlapRow]) -> list[str]:
    """The corpora, in their order."""
    return list(dict.fromkeys(row.asked.item.corpus for row in rows))


def of_corpus(rows: Sequence[OverlapRow], name: str) -> list[OverlapRow]:
    """The rows of one corpus."""
    return [row for row in rows if row.asked.item.corpus == name]


def shares(rows: Sequence[OverlapRow], cutoffs: Sequence[float]) -> dict[str, Any]:
    """How many items there are, without a query, over each cut-off, and with copies."""
    reasons: dict[str, int] = {}
    for row in rows:
        if row.asked.reason:
            reasons[row.asked.reason] = reasons.get(row.asked.reason, 0) + 1
    return {
        "size": len(rows),
        "without_query": reasons,
        "over": {f"{cutoff:g}": sum(row.score > cutoff for row in rows) for cutoff in cutoffs},
        "gram": sum("gram" in row.copies for row in rows),
        "near": sum("near" in row.copies for row in rows),
        "rewritten": sum("rewritten" in row.copies for row in rows),
        "too_short": sum(row.too_short for row in rows),
    }


def splits(
    rows: Sequence[OverlapRow], right: Sequence[bool | None], cutoffs: Sequence[float]
) -> list[CutoffSplit]:
    """The answers to these rows by each cut-off; items without an answer are left out."""
    known = [(row.score, one) for row, one in zip(rows, right, strict=True) if one is not None]
    scores = [score for score, _ in known]
    return [split(scores, [one for _, one in known], cutoff) for cutoff in cutoffs]


def accuracies(
    rows: Sequence[OverlapRow], answers: Answers, cutoffs: Sequence[float]
) -> Iterator[tuple[str, str, list[CutoffSplit]]]:
    """Model, corpus and splits, where a model has answers to a corpus."""
    for model, right in answers.items():
        for name in corpora(rows):
            pairs = zip(rows, right, strict=True)
            own = [(row, one) for row, one in pairs if row.asked.item.corpus == name]
            if any(one is not None for _, one in own):
                yield model, name, splits([row for row, _ in own], [one for _, one in own], cutoffs)


def summary(
    sources: Mapping[str, Mapping[str, Any]],
    found: Mapping[str, Any],
    models: Sequence[tuple[str, str, list[CutoffSplit]]],
) -> dict[str, Any]:
    """The results as JSON: the sources by `run.look`, and by corpus what `shares` says of it."""
    return {
        "sources": {
            name: {**one, "index": disk.shown(one["index"].name)} for name, one in sources.items()
        },
        "corpora": dict(found),
        "models": [
            {"model": model, "corpus": name, "splits": [one.as_json() for one in own]}
            for model, name, own in models
        ],
    }


def draw(path: Path, rows: Sequence[OverlapRow], cutoffs: Sequence[float]) -> None:
    """Figure 1 of the paper: the share of each test set over a cut-off, by the cut-off; those of
    the tables are marked."""
    with pictures.picture(path) as [axes]:
        highest = max([_AXIS, *cutoffs, *(row.score for row in rows)])
        shown = np.linspace(0, highest, 200)
        for name in corpora(rows):
            scores = np.array([row.score for row in of_corpus(rows, name)])
            over = [100 * float((scores > cutoff).mean()) for cutoff in shown]
            axes.plot(shown, over, drawstyle="steps-post", label=f"{name} ({len(scores):,})")
        for cutoff in cutoffs:
            axes.axvline(cutoff, color="black", linestyle=":", linewidth=1)
        pictures.titled(axes, "Problems that the text gives away", f"{len(rows):,} problems")
        axes.set_xlabel("cut-off of BM25 (dotted: those of the tables)")
        axes.set_ylabel("problems above the cut-off (%)")
        axes.set_xlim(0, highest)
        axes.set_ylim(bottom=0)
        axes.legend()
