"""A paper's own table under ours, for `--reproduce`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from corefmill.coref_model.evaluation.rows import MODEL, ScoreRow, shown
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError, did_you_mean


@dataclass(frozen=True, slots=True)
class Column:
    """The data and metric of a published figure; `n` is "" where the paper does not say."""

    corpus: str
    split: str
    n: int | str
    group: str
    metric: str

    def is_of(self, row: ScoreRow) -> bool:
        """Whether the row is the model's and measures the same thing, whatever its split."""
        own = (MODEL, self.corpus, self.group, self.metric)
        return (row.by, row.corpus, row.group, row.metric) == own


@dataclass(frozen=True, slots=True)
class Paper:
    """A table of a paper: for each model a figure a column, None where it gives none."""

    name: str
    title: str
    encoder: str
    columns: Sequence[Column]
    values: dict[str, Sequence[float | None]]

    @property
    def corpora(self) -> list[str]:
        """List its corpora, each once, in order."""
        return list(dict.fromkeys(column.corpus for column in self.columns))


@cache
def papers() -> dict[str, Paper]:
    """Every paper's table by its name."""
    entries = disk.read_package_table(__file__, "published").items()
    return {name: _paper(name, entry) for name, entry in entries}


def paper(name: str) -> Paper:
    """The paper of that name; raises `UsageError` that lists them where there is none."""
    if name not in papers():
        guess = did_you_mean(name, papers())
        raise UsageError(f"no paper {name!r}{guess}", remedy=f"there are {', '.join(papers())}")
    return papers()[name]


def _paper(name: str, entry: dict[str, Any]) -> Paper:
    columns = [Column(**column) for column in entry["columns"]]
    values: dict[str, Sequence[float | None]] = {
        model: [None if value == "" else value for value in row]
        for model, row in entry["values"].items()
    }
    assert all(len(row) == len(columns) for row in values.values()), name
    return Paper(name, entry["title"], entry["encoder"], columns, values)


def head(of: Paper) -> list[str]:
    """Columns of `cells`."""
    return ["corpus", "group", "metric", "ours", "on", *of.values, "on"]


def cells(of: Paper, found: Iterable[ScoreRow]) -> list[Sequence[str]]:
    """For each column of the paper our rows that measure it, and below them the published row.

    A row of another split than the paper's says so, since its figure does not compare.
    """
    ours = list(found)
    lines: list[Sequence[str]] = []
    for index, column in enumerate(of.columns):
        theirs = [
            "-" if row[index] is None else shown(float(row[index] or 0), column.metric)
            for row in of.values.values()
        ]
        size = f", n {column.n:,}" if isinstance(column.n, int) else ""
        published = [*theirs, f"{column.split}{size}"]
        what = (column.corpus, column.group, column.metric)
        mine = [row for row in ours if column.is_of(row)]
        for row in mine:
            other = "" if row.split == column.split else " (another split)"
            where = f"{row.split}, n {row.n:,}, {row.protocol}{other}"
            lines.append((*what, shown(row.score, row.metric), where, *published))
        if not mine:
            lines.append((*what, "not here", "", *published))
    return lines
