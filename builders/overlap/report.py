"""Write the results of `corefmill overlap`: rows, tables, accuracies, figure 1 of the paper."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corefmill.builders.overlap.run import OverlapRow
from corefmill.builders.overlap.split import CutoffSplit, split_by_cutoff
from corefmill.corpora import card_parts
from corefmill.corpora.files.ownership import together
from corefmill.corpora.files.writing import replacing, write_whole

ROWS, SUMMARY, TABLES, PICTURE = "overlap.jsonl", "overlap.json", "tables.md", "overlap.png"
FILES = (ROWS, TABLES, PICTURE, SUMMARY)
"""All files that `write_results` writes."""

CUTOFFS = (0, 25, 35)
"""Cut-offs of BM25 in the paper's tables: an item overlaps if its best sentence scores higher."""
_AXIS = 45.0
"""Least upper end of the BM25 axis in figure 1."""

Tables = list[tuple[list[str], list[list[str]]]]
"""The head and the lines of each table."""
Accuracies = list[tuple[str, str, list[CutoffSplit]]]
"""Model, corpus, and the split by each cut-off."""


def group_by_corpus(rows: Sequence[OverlapRow]) -> dict[str, list[OverlapRow]]:
    """Group the rows by corpus, in their order."""
    found: dict[str, list[OverlapRow]] = {}
    for row in rows:
        found.setdefault(row.corpus, []).append(row)
    return found


def count_shares(rows: Sequence[OverlapRow]) -> dict[str, Any]:
    """Count the items: all, without a query, over each cut-off, and with copies."""
    return {
        "size": len(rows),
        "without_query": dict(Counter(row.reason for row in rows if row.reason)),
        "over": {str(cutoff): sum(row.score > cutoff for row in rows) for cutoff in CUTOFFS},
        "gram": sum(row.gram is not None for row in rows),
    }


def compute_accuracies(
    rows: Sequence[OverlapRow], answers: Mapping[str, Sequence[bool | None]]
) -> Iterator[tuple[str, str, list[CutoffSplit]]]:
    """Split each model's answers to a corpus by each cut-off; items without an answer are left out.

    `answers` has for each row whether the item was answered right, None without an answer.
    """
    for model, right in answers.items():
        known = [(row, one) for row, one in zip(rows, right, strict=True) if one is not None]
        for name in dict.fromkeys(row.corpus for row, _ in known):
            own = [(row.score, one) for row, one in known if row.corpus == name]
            scores, ones = zip(*own, strict=True)
            yield model, name, [split_by_cutoff(scores, ones, cutoff) for cutoff in CUTOFFS]


def lay_out_tables(shares: Mapping[str, Mapping[str, Any]], models: Accuracies) -> Tables:
    """Lay out the shares of each corpus, and if models were judged, their accuracies."""
    head = ["corpus", "items", "no query", *(f"> {one}" for one in CUTOFFS), "13-gram"]
    cells = []
    for name, one in shares.items():
        counts = (*one["over"].values(), one["gram"])
        reasons = ", ".join(
            f"{why} {number:,}" for why, number in sorted(one["without_query"].items())
        )
        lacking = f"{sum(one['without_query'].values()):,}" + (f" ({reasons})" if reasons else "")
        size = one["size"]
        parts = [f"{number:,} ({100 * number / size:.1f} %)" for number in counts]
        cells.append([name, f"{size:,}", lacking, *parts])
    made: Tables = [(head, cells)]
    if models:
        head = ["answers", "corpus", "BM25", "over it", "n", "rest", "n", "difference", "p", "test"]
        made.append(
            (head, [_lay_out_line(model, name, one) for model, name, own in models for one in own])
        )
    return made


def _lay_out_line(model: str, corpus: str, one: CutoffSplit) -> list[str]:
    """Lay out the cells of one model's accuracies on one corpus at one cut-off."""

    def accuracy(value: float | None, interval: tuple[float, float] | None) -> str:
        if value is None or interval is None:
            return "-"
        return f"{100 * value:.1f} [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"

    name, p = one.test or ("-", None)
    return [
        model,
        corpus,
        f"> {one.cutoff:g}",
        accuracy(one.over.value, one.over.interval),
        f"{one.over.total:,}",
        accuracy(one.rest.value, one.rest.interval),
        f"{one.rest.total:,}",
        accuracy(one.difference, one.interval),
        "-" if p is None else f"{p:.3f}",
        name,
    ]


def summarise(rows: Sequence[OverlapRow], models: Accuracies) -> dict[str, Any]:
    """Collect the results as JSON: the shares of each corpus, the accuracies of the models."""
    splits = [
        {"model": model, "corpus": name, "splits": [one.as_json() for one in own]}
        for model, name, own in models
    ]
    found = {name: count_shares(own) for name, own in group_by_corpus(rows).items()}
    return {"corpora": found, "models": splits}


def write_results(
    out: Path,
    rows: Sequence[OverlapRow],
    summary: Mapping[str, Any],
    tables: Tables,
    *,
    overwrite: bool,
) -> None:
    """Write the results to the folder `out`, each file whole or not at all.

    Raises `UsageError` as `ownership.together` does.
    """
    with together(out, FILES, overwrite=overwrite):
        with replacing(out / ROWS) as file:
            for row in rows:
                file.write(json.dumps(row.as_json(), ensure_ascii=False).encode() + b"\n")
        texts = ("\n".join(card_parts.table(head, cells, len(head) - 1)) for head, cells in tables)
        write_whole(out / TABLES, "\n\n".join(texts) + "\n")
        draw_figure(out / PICTURE, rows)
        write_whole(out / SUMMARY, json.dumps(summary, ensure_ascii=False, indent=1) + "\n")


def draw_figure(path: Path, rows: Sequence[OverlapRow]) -> None:
    """Draw figure 1 of the paper: the share of each test set over a cut-off, by the cut-off."""
    with card_parts.picture(path) as [axes]:
        highest = max([_AXIS, *(row.score for row in rows)])
        shown = np.linspace(0, highest, 200)
        for name, own in group_by_corpus(rows).items():
            scores = np.array([row.score for row in own])
            over = [100 * float((scores > cutoff).mean()) for cutoff in shown]
            axes.plot(shown, over, drawstyle="steps-post", label=f"{name} ({len(scores):,})")
        for cutoff in CUTOFFS:
            axes.axvline(cutoff, color="black", linestyle=":", linewidth=1)
        card_parts.set_title(axes, "Problems that the text gives away", f"{len(rows):,} problems")
        axes.set_xlabel("cut-off of BM25 (dotted: those of the tables)")
        axes.set_ylabel("problems above the cut-off (%)")
        axes.set_xlim(0, highest)
        axes.set_ylim(bottom=0)
        axes.legend()
