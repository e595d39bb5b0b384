"""The solver that is loaded alone takes what scipy.optimize's takes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from corefmill.corpora.scoring import assignment

LOADED = """
import sys
from corefmill.corpora.scoring import assignment, ceaf, matching
import numpy
assignment.solve(numpy.eye(3))
print("scipy" in sys.modules)
"""


def test_ties_fall_as_in_scipy() -> None:
    draw = np.random.default_rng(2)
    for _ in range(50):
        weights = draw.integers(0, 3, (6, 5)).astype(float)
        for own, theirs in zip(
            assignment.solve(weights), linear_sum_assignment(-weights), strict=True
        ):
            assert own.tolist() == theirs.tolist()


def test_scipy_is_not_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


def test_where_the_file_is_elsewhere_scipy_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "find_spec", lambda name: None)
    assert assignment._solver.__wrapped__() is linear_sum_assignment
