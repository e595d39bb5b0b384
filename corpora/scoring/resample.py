"""Confidence intervals of scores, and tests of the difference between two responses to one key.

Counts are summed over the documents of a draw and divided once; scores of documents are never
averaged. Documents with the same counts are drawn together, so that a million examples, each right
or wrong, cost no more than two documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.scoring.table import LEVEL, Difference, Interval, ScoreTable, derive_scores

if TYPE_CHECKING:
    from corefmill.corpora.scoring.metrics import Array

BLOCK = 4_000_000
"""Numbers drawn at a time, 32 MB."""


def intervals(table: ScoreTable, rounds: int, seed: int) -> dict[str, tuple[Interval, ...]]:
    """Draw intervals of each measure's recall, precision and F1, and one of each derived score.

    Raises `UsageError` for a single document.
    """
    _require_documents(table, rounds)
    rows, repeats = distinct(_rows(table))
    drawn = np.concatenate([w @ rows for w in redraws(repeats, rounds, seed)])
    scores = table.scores(_split(table, drawn))
    found = {name: tuple(map(middle, score)) for name, score in scores.items()}
    return {**found, **{name: (middle(array),) for name, array in derive_scores(scores).items()}}


def compare(first: ScoreTable, second: ScoreTable, rounds: int, seed: int) -> dict[str, Difference]:
    """Test the difference of every F1, and of every derived score.

    The tables must be of one key. Raises `UsageError` for a single document.
    """
    _require_documents(first, rounds)
    width = _rows(first).shape[1]
    pairs, repeats = distinct(np.concatenate([_rows(first), _rows(second)], axis=1))
    one, other = pairs[:, :width], pairs[:, width:]
    weights = redraws(repeats, rounds, seed)
    drawn = [_differences(first, w @ one, w @ other) for w in weights]
    # Approximate randomization: under the null hypothesis the two responses to a document may be
    # exchanged. Of each row some documents change sides, every one with a chance of one half.
    draw = np.random.default_rng([seed, 1])
    blocks = [(size, len(repeats)) for size in _blocks(rounds, len(repeats))]
    moved = np.concatenate([draw.binomial(repeats, 0.5, size=s) @ (other - one) for s in blocks])
    null = _differences(first, repeats @ one + moved, repeats @ other - moved)
    seen = _differences(first, repeats @ one, repeats @ other)
    return {
        name: Difference(
            float(value),
            middle(np.concatenate([block[name] for block in drawn])),
            # Sums of fractions in another order differ in their last bits.
            (int((np.abs(null[name]) >= abs(value) - 1e-12).sum()) + 1) / (rounds + 1),
        )
        for name, value in seen.items()
    }


def _require_documents(table: ScoreTable, rounds: int) -> None:
    """Raise `UsageError` for less than one draw or two documents."""
    if rounds < 1:
        raise UsageError(f"{rounds} draws: at least one is needed")
    if len(table.names) < 2:
        raise UsageError(
            f"the key has a single {table.unit}, so there is nothing to draw from",
            remedy="intervals and tests draw among the documents of the key",
        )


def _rows(table: ScoreTable) -> Array:
    """Join all counts of a document in a row, measure after measure."""
    counts = (table.counts[measure.name] for measure in table.measures)
    return np.concatenate([np.array(rows, dtype=float) for rows in counts], axis=1)


def distinct(rows: Array) -> tuple[Array, NDArray[np.int64]]:
    """Find the distinct rows, as they first appear, and the number of each.

    Draws from thousands of rows then are draws from a few, with their repeats.
    """
    found = Counter(map(tuple, rows.tolist()))  # several times as fast as numpy's unique
    return np.array(list(found)), np.array(list(found.values()))


def _split(table: ScoreTable, rows: Array) -> dict[str, list[Array]]:
    """Split the counts of `_rows` by measure again, an array a count."""
    widths = [len(table.counts[measure.name][0]) for measure in table.measures]
    parts = np.split(rows.T, np.cumsum(widths)[:-1])
    return {measure.name: list(part) for measure, part in zip(table.measures, parts, strict=True)}


def redraws(repeats: NDArray[np.int64], rounds: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Count how often each distinct row is drawn with replacement, in blocks (rounds, rows)."""
    # A draw of documents with replacement is a multinomial draw of the distinct rows' numbers.
    draw, total = np.random.default_rng([seed, 0]), int(repeats.sum())
    for size in _blocks(rounds, len(repeats)):
        yield draw.multinomial(total, repeats / total, size=size)


def _blocks(rounds: int, rows: int) -> Iterator[int]:
    size = max(1, BLOCK // rows)
    for start in range(0, rounds, size):
        yield min(size, rounds - start)


def _differences(table: ScoreTable, first: Array, second: Array) -> Mapping[str, Array]:
    one, other = _f1(table, first), _f1(table, second)
    return {name: other[name] - one[name] for name in one}


def _f1(table: ScoreTable, rows: Array) -> dict[str, Array]:
    scores = table.scores(_split(table, rows))
    return {**{name: score[2] for name, score in scores.items()}, **derive_scores(scores)}


def middle(drawn: Array) -> Interval:
    """Take the middle 95 % of draws, those without a value left out; NaN where none has any."""
    drawn = drawn[~np.isnan(drawn)]
    if not drawn.size:
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))
