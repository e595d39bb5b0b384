from __future__ import annotations

from math import exp
from pathlib import Path

import numpy as np
import pytest

from corefmill.builders.translate.weights import calibration
from corefmill.builders.translate.weights.calibration import SHIPPED, Calibration, read
from corefmill.builders.translate.weights.evidence import Evidence
from corefmill.builders.translate.weights.fitting import Readings, area, fit
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
    assert "back" in found[0].coefficients
    assert "back" not in found[-1].coefficients


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


def test_a_fit_finds_what_tells_right_from_wrong() -> None:
    draw = np.random.default_rng(1)
    right = draw.random(60) < 0.4
    values = np.column_stack([right + draw.normal(0, 0.3, 60), draw.normal(0, 1, 60), np.ones(60)])
    found = fit(Readings(("copied", "length", "redrawn"), values, right), OF)
    assert found.coefficients["copied"] > 2 > abs(found.coefficients["length"])
    assert found.coefficients["redrawn"] == 0  # which is always the same
    assert found.auc > 0.95
    assert found.low <= found.auc <= found.high
    # What is fitted with an intercept gives as many right ones as there are.
    rows = [Evidence(length, copied, 0.0, one) for copied, length, one in values]
    assert sum(found.weight(row) or 0 for row in rows) == pytest.approx(right.sum(), abs=0.1)


def test_readings_that_say_the_same() -> None:
    with pytest.raises(ValueError, match="the same"):
        fit(Readings(("copied",), np.ones((2, 1)), np.array([True, True])), OF)


def test_area() -> None:
    # Of 2 * 2 pairs, two are in order, one is not, one is even.
    assert area(np.array([3.0, 1.0, 2.0, 1.0]), np.array([True, True, False, False])) == 2.5 / 4
