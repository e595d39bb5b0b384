"""Agreement is that of the literature; intervals and tests are as worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import comb

import numpy as np
import pytest

from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.scoring import agreement
from corefmill.corpora.scoring.agreement import (
    Estimate,
    alpha,
    bootstrap_interval,
    cohen,
    fleiss,
    same,
)
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.metrics import Measure, ratios
from corefmill.corpora.scoring.resample import compare, intervals
from corefmill.corpora.scoring.table import ScoreTable

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

# Fleiss 1971, table 1: 30 patients, six psychiatrists each, five diagnoses; kappa .430.
PATIENTS = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050
02031 00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""
# Cohen 1960, table 1, of 200: two judges, three categories; kappa .492.
JUDGES = ((88, 14, 18), (10, 40, 10), (2, 6, 12))


def counted(raters: Sequence[str]) -> list[list[int]]:
    rows = [rater.split() for rater in raters]
    values = sorted({answer for row in rows for answer in row} - {"."})
    return [[column.count(value) for value in values] for column in zip(*rows, strict=True)]


@pytest.mark.parametrize(
    ("raters", "expected"), [(OBSERVERS, 0.743), (BINARY, 0.095), (NOMINAL, 0.692)]
)
def test_alpha_of_published_examples(raters: Sequence[str], expected: float) -> None:
    assert round(float(alpha(counted(raters))), 3) == expected


def test_fleiss_kappa_as_statsmodels_0_15_0_computes_it() -> None:
    patients = [[int(number) for number in row] for row in PATIENTS.split()]
    assert fleiss(patients) == pytest.approx(0.43024452006014074, abs=1e-12)


def test_cohens_kappa_as_statsmodels_0_15_0_computes_it() -> None:
    table = [(a, b) for a, row in enumerate(JUDGES) for b, many in enumerate(row)]
    pairs = np.repeat(table, [many for row in JUDGES for many in row], axis=0)
    assert cohen(pairs) == pytest.approx(0.49152542372881347, abs=1e-12)
    assert same(pairs) == pytest.approx(140 / 200)
    assert math.isnan(cohen([(1, 1), (1, 1)])) and same([(1, 1)]) == 1


def test_an_interval_is_that_of_items_drawn_anew() -> None:
    pairs = np.repeat([(0, 0), (0, 1), (1, 0), (1, 1)], (60, 10, 5, 25), axis=0)
    found = bootstrap_interval(same, pairs, 2000, seed=1)
    assert found.value == pytest.approx(0.85)
    # The binomial's standard deviation is 0.0357.
    assert (found.low, found.high) == pytest.approx((0.78, 0.92), abs=0.011)
    assert found == bootstrap_interval(same, pairs, 2000, seed=1)
    assert bootstrap_interval(cohen, [(1, 1)] * 4, 10, seed=1) == Estimate(None, None, None)
    assert bootstrap_interval(alpha, np.zeros((0, 2)), 10, seed=1) == Estimate(None, None, None)
    assert bootstrap_interval(same, [(1, 1)], 10, seed=1) == Estimate(1.0, None, None)


@pytest.mark.parametrize("counts", [[[3, 0], [2, 0]], [[1, 0], [0, 1]], np.zeros((0, 2))])
def test_alpha_needs_something_to_disagree_on(counts: list[list[int]]) -> None:
    assert math.isnan(float(alpha(counts)))


# Of two documents, a letter a mention: A, B and C differ on links, C marks no b and no e.
#   d   A {ab} {cde} {f}    B {abc} {de}    C {ab} {cd} {ef}
#   e   A {gh} {ij}         B {gh} {ijk}    C {g} {hij}
MARKED = {
    "A": {"d": "ab cde f", "e": "gh ij"},
    "B": {"d": "abc de", "e": "gh ijk"},
    "C": {"d": "ab cd ef", "e": "g hij"},
}


def raters(
    marked: dict[str, dict[str, str]], documents: str = "de"
) -> dict[str, list[ScoredDocument]]:
    return {
        rater: [
            ScoredDocument(name, 0, None, [list(one) for one in text.split()])
            for name, text in own.items()
            if name in documents
        ]
        for rater, own in marked.items()
    }


# nltk 3.10.4, AnnotationTask(...).alpha() with this distance, a mention of a document an item.
@pytest.mark.parametrize(
    ("documents", "expected"), [("de", 0.3009071517310894), ("d", 0.20217430207587694)]
)
def test_alpha_over_links_as_nltk_computes_it(documents: str, expected: float) -> None:
    found = agreement.link_alpha(raters(MARKED, documents), 100, seed=0)
    assert found.value == pytest.approx(expected, abs=1e-12)
    if documents == "d":
        assert found.low is found.high is None
    else:
        assert found.low is not None and found.high is not None
        assert found.low <= expected <= found.high


def test_a_document_twice_is_refused() -> None:
    twice = raters(MARKED)
    twice["B"] *= 2
    with pytest.raises(DataError, match="rater 'B' has document 'd' twice"):
        agreement.link_alpha(twice, 10, seed=0)


def test_conll_between_raters_is_of_the_documents_that_both_have() -> None:
    marked = raters({**MARKED, "D": {"f": "xy"}, "E": {"d": MARKED["A"]["d"]}})
    found = agreement.pairwise_conll(marked)
    assert list(found) == [("A", "B"), ("A", "C"), ("A", "E"), ("B", "C"), ("B", "E"), ("C", "E")]
    assert found["A", "E"] == 1
    turned = agreement.pairwise_conll(dict(reversed(marked.items())))
    assert turned["C", "A"] == pytest.approx(found["A", "C"])
    assert 0 < found["A", "B"] < 1


def accuracy(right: list[int]) -> ScoreTable:
    rows = np.array([(one, 1, one, 1) for one in right], dtype=float)
    names = [str(number) for number in range(len(right))]
    measure = Measure("accuracy", "accuracy", ratios)
    return ScoreTable("example", names, ["-"] * len(right), [measure], {"accuracy": rows})


@pytest.mark.parametrize(
    ("block", "rounds", "near"), [(4_000_000, 20_000, 1e-9), (10, 5_000, 0.011)]
)
def test_an_interval_is_that_of_the_binomial_distribution(
    monkeypatch: pytest.MonkeyPatch, block: int, rounds: int, near: float
) -> None:
    # 30 of 100 right: 2.5 % and 97.5 % of Binomial(100, 0.3) are 21 and 39.
    monkeypatch.setattr("corefmill.corpora.scoring.resample.BLOCK", block)
    (*_, found) = intervals(accuracy([1] * 30 + [0] * 70), rounds, 1)["accuracy"]
    assert (found.low, found.high) == pytest.approx((0.21, 0.39), abs=near)


def test_p_is_that_of_the_sign_test() -> None:
    # The second is right on 8 that the first has wrong, wrong on 2; 90 are the same.
    first, second = [0] * 8 + [1] * 2 + [1] * 90, [1] * 8 + [0] * 2 + [1] * 90
    found, other = (
        compare(accuracy(first), accuracy(second), 20_000, seed)["accuracy"] for seed in (1, 2)
    )
    assert found.p != other.p
    exact = 2 * sum(comb(10, n) for n in range(3)) / 2**10
    assert found.value == pytest.approx(0.06)
    assert found.p == pytest.approx(exact, abs=0.01)
    assert found.interval.low < 0.06 < found.interval.high


def test_counts_are_summed_and_not_scores_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    # A document of 1 link, right, and one of 99 links, all wrong. Half of all draws have one of
    # each, which is 1/100; the mean of their scores would be 1/2.
    rows = np.array([(1, 1, 1, 1), (0, 99, 0, 99)], dtype=float)
    muc = Measure("muc", "MUC", ratios)
    table = ScoreTable("document", ["a", "b"], ["-", "-"], [muc], {"muc": rows})
    monkeypatch.setattr("corefmill.corpora.scoring.resample.LEVEL", 0.2)
    (*_, found) = intervals(table, 1000, 1)["muc"]
    assert (found.low, found.high) == pytest.approx((0.01, 0.01))


@pytest.mark.parametrize(("right", "rounds"), [([1], 10), ([1, 0], 0), ([1, 0], -3)])
def test_what_cannot_be_drawn(right: list[int], rounds: int) -> None:
    with pytest.raises(UsageError):
        intervals(accuracy(right), rounds, 1)
    with pytest.raises(UsageError):
        compare(accuracy(right), accuracy(right), rounds, 1)
