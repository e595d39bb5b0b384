"""Compare a model's accuracy on items given away by a text with its accuracy on the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from scipy.stats import (  # type: ignore[import-untyped]
    binomtest,
    chi2_contingency,
    fisher_exact,
)

from corefmill.corpora.files import disk, sheets
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import lm_eval, registry

LEVEL = 0.95
_FEWEST = 5
"""Least expected count in a cell for a chi-squared test; with fewer, Fisher's exact test."""

Items = Sequence[tuple[str, str]]
"""Corpus and id."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The number of right answers of a total, with Wilson's 95 % interval."""

    right: int
    total: int

    @property
    def value(self) -> float | None:
        """The accuracy, None without items."""
        return self.right / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Compute Wilson's 95 % interval of the accuracy, None without items."""
        if not self.total:
            return None
        found = binomtest(self.right, self.total).proportion_ci(LEVEL, method="wilson")
        return float(found.low), float(found.high)

    def as_json(self) -> dict[str, object]:
        """Return counts, accuracy and interval as JSON."""
        return {
            "right": self.right,
            "size": self.total,
            "accuracy": self.value,
            "interval": self.interval,
        }


@dataclass(frozen=True, slots=True)
class CutoffSplit:
    """Accuracy over and up to a cut-off, and whether they differ: tables 5, 6 and 8 of the paper.

    The `interval` of the difference is Newcombe's hybrid score interval. `test` is "chi-squared"
    (without continuity correction), or "exact" (Fisher) if a cell's expected count is under 5. Both
    assume independent items, which twins of one schema are not.
    """

    cutoff: float
    over: Accuracy
    rest: Accuracy

    @property
    def difference(self) -> float | None:
        """Subtract the accuracy up to the cut-off from that over it; None if one is missing."""
        if self.over.value is None or self.rest.value is None:
            return None
        return self.over.value - self.rest.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """Compute Newcombe's interval of the difference, None without a difference."""
        one, other = self.over, self.rest
        if self.difference is None:
            return None
        assert one.value is not None and other.value is not None
        assert one.interval is not None and other.interval is not None
        down = sqrt((one.value - one.interval[0]) ** 2 + (other.interval[1] - other.value) ** 2)
        up = sqrt((one.interval[1] - one.value) ** 2 + (other.value - other.interval[0]) ** 2)
        return self.difference - down, self.difference + up

    @property
    def test(self) -> tuple[str, float] | None:
        """Name the difference's test and its p; None if a subset is empty, or all are alike."""
        cells = [
            [self.over.right, self.over.total - self.over.right],
            [self.rest.right, self.rest.total - self.rest.right],
        ]
        right = self.over.right + self.rest.right
        if self.difference is None or right in (0, self.over.total + self.rest.total):
            return None
        found = chi2_contingency(cells, correction=False)
        if found.expected_freq.min() < _FEWEST:
            return "exact", float(fisher_exact(cells).pvalue)
        return "chi-squared", float(found.pvalue)

    def as_json(self) -> dict[str, object]:
        """Return both accuracies, their difference, interval and test as JSON."""
        return {
            "cutoff": self.cutoff,
            "overlapping": self.over.as_json(),
            "rest": self.rest.as_json(),
            "difference": self.difference,
            "interval": self.interval,
            "test": self.test and self.test[0],
            "p": self.test and self.test[1],
        }


def split_by_cutoff(scores: Iterable[float], right: Iterable[bool], cutoff: float) -> CutoffSplit:
    """Split the answers to items by whether the item's score is over the cut-off."""
    cells = {True: [0, 0], False: [0, 0]}
    for score, one in zip(scores, right, strict=True):
        cell = cells[score > cutoff]
        cell[0] += one
        cell[1] += 1
    return CutoffSplit(cutoff, Accuracy(*cells[True]), Accuracy(*cells[False]))


def read_answers(path: Path, items: Items) -> list[bool | None]:
    """Read for each item whether it was answered right; None without an answer.

    The file is a CSV by `corefmill evaluate --answers`, or a log of lm-evaluation-harness for a
    task of export-task. A CSV's columns are `id`, `correct` (0 or 1), and `corpus` if the ids are
    of several corpora. Items with one id are matched in order. Raises `DataError` for any other
    file, for a file without any of the items, and if an id occurs in another number than the items.
    """
    given: dict[tuple[str, str], list[bool]] = defaultdict(list)
    if lm_eval.FORMAT.suits(path.name, disk.read_head(path, registry.HEAD)):
        for one in lm_eval.read_log(path):
            given[one.corpus, one.example.id].append(one.example.label == one.right)
        return _match_items(given, items, path)
    rows = sheets.read(path)
    _, first = next(rows, (1, []))
    head = [name.strip() for name in first]
    if not {"id", "correct"} <= set(head):
        raise DataError(
            "the file has no columns id and correct",
            path=path,
            line=1,
            remedy="write the file with corefmill evaluate --answers FILE",
        )
    if len(set(head)) < len(head):
        raise DataError("two columns have the same name", path=path, line=1, remedy="rename one")
    for line, row in rows:
        if not row:
            continue
        cells = dict(zip(head, row, strict=False))
        if len(row) != len(head) or cells["correct"].strip() not in ("0", "1"):
            message = f"expected {len(head)} cells, with 0 or 1 in the column correct"
            raise DataError(message, path=path, line=line)
        given[cells.get("corpus", ""), cells["id"]].append(cells["correct"].strip() == "1")
    if "corpus" not in head:
        given = _complete_keys(given, items, path)
    return _match_items(given, items, path)


def _complete_keys(
    answers: dict[tuple[str, str], list[bool]], items: Items, path: Path
) -> dict[tuple[str, str], list[bool]]:
    """Add the corpus to answers without one, if only one has their ids."""
    corpora = sorted({corpus for corpus, name in items if ("", name) in answers})
    if len(corpora) > 1:
        raise DataError(
            f"the ids may be of {' and '.join(corpora)}, since the file has no column corpus",
            path=path,
            remedy="add a column corpus with the corpus of each id",
        )
    return {(corpora[0], name): found for (_, name), found in answers.items()} if corpora else {}


def _match_items(
    answers: dict[tuple[str, str], list[bool]], items: Items, path: Path
) -> list[bool | None]:
    """List the answer to each item, matched by corpus, id and order; None without an answer."""
    wanted: dict[tuple[str, str], int] = defaultdict(int)
    for item in items:
        wanted[item] += 1
    for (corpus, name), number in wanted.items():
        there = len(answers.get((corpus, name), ()))
        if there not in (0, number):
            raise DataError(
                f"the file has {there} answers to item {name}, which {corpus} has {number} times",
                path=path,
                remedy="evaluate the model on the files given here",
            )
    if not any(item in answers for item in wanted):
        raise DataError(
            f"the file answers none of {len(items):,} items, such as {' '.join(items[0])}",
            path=path,
            remedy="check corpus and id, by which answers are matched with items",
        )
    waiting = {key: iter(found) for key, found in answers.items()}
    return [next(waiting[item]) if item in waiting else None for item in items]
