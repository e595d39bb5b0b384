from __future__ import annotations

from math import exp, isnan, log
from pathlib import Path

import numpy as np
import pytest

from corefmill.builders.translate.weights import calibration
from corefmill.builders.translate.weights.calibration import SHIPPED, Calibration, read
from corefmill.builders.translate.weights.evidence import Evidence
from corefmill.builders.translate.weights.fitting import (
    Readings,
    area,
    fit,
    fitted,
    interval,
    left_out,
)
from corefmill.corpora.errors import DataError

OF = {"source": "en", "target": "it", "method": "placeholders", "translator": "apertium"}
BACK = Calibration(
    **OF, readings=10, right=5, auc=0.8, low=0.6, high=0.9, intercept=-1.0,
    coefficients={"length": 0.5, "back": 2.0},
)  # fmt: skip
ALONE = BACK.model_copy(update={"coefficients": {"copied": -1.0}})


def test_a_weight_is_the_logistic_function() -> None:
    found = BACK.weight(Evidence(2.0, 0.0, 0.0, 0.0, back=0.5))
    assert found == round(1 / (1 + exp(-1.0)), 4)  # -1 + 0.5 * 2 + 2 * 0.5


def test_the_first_calibration_whose_evidence_is_there() -> None:
    evidence = Evidence(2.0, 1.0, 0.0, 0.0)
    assert calibration.weight(evidence, [BACK, ALONE]) == ALONE.weight(evidence)
    assert calibration.weight(evidence, [BACK]) is None


def test_for_whom_it_holds() -> None:
    assert BACK.holds("en", "it", "placeholders", "apertium eng-cat cat-ita")
    assert not BACK.holds("en", "it", "marks", "apertium eng-cat cat-ita")
    assert not BACK.holds("en", "es", "placeholders", "apertium eng-spa")
    assert not BACK.holds("en", "it", "placeholders", "argos 1.9")


def test_a_table_reads_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f"# ours\n{BACK.lines()}\n{ALONE.lines()}", encoding="utf-8")
    assert read(path) == (BACK, ALONE)


def test_what_ships_says_what_it_was_fitted_on() -> None:
    found = read(SHIPPED)
    assert all(one.low < one.auc < one.high and one.right < one.readings for one in found)
    assert {(one.target, one.method) for one in found} == {
        ("es", "marks"), ("it", "marks"), ("it", "placeholders"),
    }  # fmt: skip
    assert all("back" not in one.coefficients for one in found)  # which made them no better


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [", "no table of calibrations"),
        ("x = 1", "no table of calibrations: 'calibration'"),
        ("[[calibration]]\nsource = 1", "no calibration: source"),
        (BACK.lines().replace("length", "lenght"), "asks for 'lenght'"),
        (BACK.lines().replace("-1.0", "nan"), "no calibration: intercept"),
    ],
)
def test_what_is_no_table(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read(path)


def readings_of(values: list[list[float]], right: list[bool], documents: str) -> Readings:
    """Of one cell, each for one utterance of the text; a letter for the name of each document."""
    many = len(right)
    return Readings(
        ("copied", "length", "redrawn")[: len(values[0])],
        np.array(values), np.array(right), np.ones(many), np.array(list(documents)),
        np.zeros(many, int),
    )  # fmt: skip


def test_a_fit_finds_what_tells_right_from_wrong() -> None:
    draw = np.random.default_rng(1)
    right = draw.random(60) < 0.4
    values = np.column_stack([right + draw.normal(0, 0.3, 60), draw.normal(0, 1, 60), np.ones(60)])
    found = fit(readings_of(values.tolist(), right.tolist(), "abcdef" * 10), [OF])[0]
    assert found.coefficients["copied"] > 2 > abs(found.coefficients["length"])
    assert found.coefficients["redrawn"] == 0  # which is always the same
    assert found.auc > 0.95
    assert found.low <= found.auc <= found.high
    # What is fitted with an intercept gives as many right ones as there are.
    rows = [Evidence(length, copied, 0.0, one) for copied, length, one in values]
    assert sum(found.weight(row) or 0 for row in rows) == pytest.approx(right.sum(), abs=0.1)


def test_cells_share_coefficients_and_have_intercepts_of_their_own() -> None:
    # The first three of four are right in one cell, the first of four in the other.
    right = [True, True, True, False] * 5 + [True, False, False, False] * 5
    values = [[float(4 - n % 4)] for n in range(40)]
    readings = readings_of(values, right, "abcde" * 8)
    cells = np.repeat([0, 1], 20)
    one, other = fit(readings._replace(cells=cells), [OF, OF | {"method": "marks"}])
    assert (one.method, one.readings, one.right) == ("placeholders", 20, 15)
    assert (other.method, other.readings, other.right) == ("marks", 20, 5)
    assert one.coefficients == other.coefficients
    assert one.intercept > other.intercept + 1


def test_what_stands_for_more_counts_for_more() -> None:
    # Without evidence a weight is the share of right ones: 2 of 4, or 6 of 8.
    readings = readings_of([[0.0]] * 4, [True, False, True, False], "aabb")
    more = readings._replace(stands=np.array([3.0, 1.0, 3.0, 1.0]))
    for given, share in ((readings, 2 / 4), (more, 6 / 8)):
        assert fit(given, [OF])[0].weight(Evidence(0.0, 0.0, 0.0, 0.0)) == pytest.approx(share)


def test_a_penalty_draws_to_given_coefficients() -> None:
    given = readings_of([[0.0], [1.0]] * 4, [True, True, False, True] * 2, "aabbccdd")
    free, free_slope = fitted(given.values, given.right, given.stands, 0.01)
    _, slope = fitted(given.values, given.right, given.stands, 1e6, np.array([3.0]))
    assert slope == pytest.approx([3], abs=0.01)
    assert fitted(given.values, given.right, given.stands, 1e6)[1] == pytest.approx([0], abs=0.01)
    assert free_slope[0] != pytest.approx(3, abs=0.1)
    # Half of those without the evidence are right, and all of those with it.
    assert free == pytest.approx(0, abs=0.05)
    scores = left_out(given, 1e6, np.array([3.0]))
    assert scores[1] - scores[0] == pytest.approx(3, abs=0.01)


def test_whole_documents_are_left_out() -> None:
    # The evidence tells document a alone, of which a fit without it knows nothing.
    right = [True, True, True, False, False, True, False, False]
    found = left_out(readings_of([[float(n < 2)] for n in range(8)], right, "aabbbccc"))
    assert found[:2] == pytest.approx([log(2 / 4)] * 2)


@pytest.mark.parametrize(
    ("right", "documents", "said"),
    [
        ([True, True, True], "abc", "without a all"),
        ([True, False, False], "abc", "without a all"),
        ([True, False, True, True, True, False], "aabbcc", "of en it placeholders apertium say"),
    ],
)
def test_readings_that_say_the_same(right: list[bool], documents: str, said: str) -> None:
    readings = readings_of([[1.0]] * len(right), right, documents)
    cells = np.arange(len(right)) % (len(right) // 3)
    with pytest.raises(ValueError, match=f"{said}.* the same"):
        fit(readings._replace(cells=cells), [OF, OF])


def test_area() -> None:
    right = np.array([True, True, False, False])
    scores, ones = np.array([3.0, 1.0, 2.0, 1.0]), np.ones(4)
    # Of 2 * 2 pairs, two are in order, one is not, one is even.
    assert area(scores, right, ones) == 2.5 / 4
    # The first stands for three: of 4 * 2 pairs six are in order.
    assert area(scores, right, np.array([3.0, 1.0, 1.0, 1.0])) == 6.5 / 8
    # The first with the third, in order, and the second with the last, even.
    assert area(scores, right, ones, np.array([0, 1, 0, 1])) == 1.5 / 2
    assert isnan(area(scores, right, ones, np.arange(4)))


def test_an_interval_is_of_documents() -> None:
    scores, right = np.array([2.0, 1.0, 1.0, 2.0]), np.array([True, False, True, False])
    # One document is all in order and the other contrary; one alone has many utterances of each.
    assert interval(scores, right, np.ones(4), np.array(["a", "a", "b", "b"])) == (0.0, 1.0)
    assert interval(scores, right, np.ones(4), np.array(["a"] * 4)) == (1 / 2, 1 / 2)
