from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora.scoring.agreement import (
    alpha,
    draws,
    majority,
    observed,
    share,
    unanimous,
)

# Krippendorff, Computing Krippendorff's Alpha-Reliability: four observers, twelve units, five
# values, seven answers missing; nominal alpha .743.
OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
# The same paper, two observers: binary .095, five nominal values a to e .692.
BINARY = ("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
NOMINAL = ("a a b b d c c c e d d a", "b a b b b c c c e d d d")


def counted(raters: Sequence[str]) -> list[list[int]]:
    rows = [rater.split() for rater in raters]
    values = sorted({answer for row in rows for answer in row} - {"."})
    return [[column.count(value) for value in values] for column in zip(*rows, strict=True)]


@pytest.mark.parametrize(
    ("raters", "expected"), [(OBSERVERS, 0.743), (BINARY, 0.095), (NOMINAL, 0.692)]
)
def test_alpha_of_published_examples(raters: Sequence[str], expected: float) -> None:
    assert round(float(alpha(counted(raters))), 3) == expected


def test_agreement_by_hand() -> None:
    # yes yes no | yes yes yes | no - - : pairs that agree 1 of 3 and 3 of 3; the last has no pair.
    counts = [[2, 1], [3, 0], [0, 1]]
    assert observed(counts) == pytest.approx((1 / 3 + 1) / 2)
    assert unanimous(counts) == 0.5
    assert share(counts, 0) == pytest.approx(5 / 7)
    assert majority(counts, 0) == pytest.approx(2 / 3)


def test_a_tie_is_no_majority() -> None:
    assert majority([[1, 1]], 0) == majority([[1, 1]], 1) == 0


@pytest.mark.parametrize("counts", [[[3, 0], [2, 0]], [[1, 0], [0, 1]], np.zeros((0, 2))])
def test_alpha_needs_something_to_disagree_on(counts: list[list[int]]) -> None:
    assert math.isnan(float(alpha(counts)))


def test_weights_are_repeats() -> None:
    counts = np.array(counted(OBSERVERS))
    often = np.array([3, 0, 1, 2, 1, 1, 0, 4, 1, 1, 2, 1])
    repeated = np.repeat(counts, often, axis=0)
    for measure in (alpha, observed, unanimous):
        both = measure(counts, np.stack([often, np.ones(12)]))
        assert both[0] == pytest.approx(float(measure(repeated)))
        assert both[1] == pytest.approx(float(measure(counts)))


def test_draws_keep_the_size_of_each_stratum() -> None:
    (block,) = draws(["a", "b", "a", "b", "b"], 50, seed=1)
    assert (block[:, [0, 2]].sum(axis=1) == 2).all()
    assert (block[:, [1, 3, 4]].sum(axis=1) == 3).all()
    assert (next(draws([0, 1], 3, seed=1)) == 1).all()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_alpha_is_at_most_one_and_order_is_nothing(counts: list[tuple[int, int]]) -> None:
    table = np.array(counts).reshape(-1, 2)
    value = float(alpha(table))
    assert math.isnan(value) or value <= 1
    swapped = float(alpha(table[::-1, ::-1]))
    assert swapped == pytest.approx(value, nan_ok=True)
