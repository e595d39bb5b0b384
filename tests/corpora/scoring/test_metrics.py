"""Every metric against the reference scorer's own cases, hand counts and slow definitions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.scoring.alignment import align
from corefmill.corpora.scoring.matching import best_map, best_pairs
from corefmill.corpora.scoring.metrics import METRICS, NODE_METRICS, parse_metrics
from tests.corpora.scoring import reference_cases


def entities(drawn: str) -> list[list[str]]:
    """`a bc` is {a} {b c}."""
    return [list(word) for word in drawn.split()]


def counts(metric: str, key: str, response: str) -> list[float]:
    return list(METRICS[metric].count(align(entities(key), entities(response))))


@pytest.mark.parametrize("name", reference_cases.CASES)
def test_the_reference_scorers_own_cases(name: str) -> None:
    key, response, expected = reference_cases.CASES[name]
    for metric, row in zip(reference_cases.METRICS, expected, strict=True):
        right = [float(Fraction(number)) for number in row.split()]
        assert counts(metric, key, response) == pytest.approx(right, abs=1e-12), metric


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # The paper's figure: {abc} 1 link of 3, {defg} 1 of 6; {ab} 1 of 1, {cd} 0, {fghi} 1 of 6.
        ("abc defg", "ab cd fghi", "5/3 7 8/3 8"),
        # A singleton is a link to itself, right where the other side has it as a singleton,
        ("a bc", "a bc", "3 3 3 3"),
        # not where the other side has it in a larger entity.
        ("a bc", "abc", "2 3 1 3"),
        ("a b", "c", "0 2 0 1"),
        ("", "ab", "0 0 0 2"),
        # {ab} {bc} is {ab} {c} to LEA, on either side: links 1 of 3, and 1 of 1.
        ("abc", "ab bc", "1 3 2 3"),
        ("ab bc", "abc", "2 3 1 3"),
        # x, which only the response has, counts where it stands first as well: {xab} {c}.
        ("ab c", "xab xc", "3 3 2 4"),
    ],
)
def test_lea_by_hand(key: str, response: str, expected: str) -> None:
    assert counts("lea", key, response) == pytest.approx(
        [float(Fraction(number)) for number in expected.split()]
    )


@pytest.mark.parametrize(
    ("response", "as_if"),
    [
        ("abca", "abc"),  # twice in one entity
        ("ab bc", "ab c"),  # in two: the first entity keeps it
        ("bc ab", "bc a"),
        ("ab b b", "ab"),  # an entity that is left empty vanishes
        ("abc cba", "abc"),
    ],
)
@pytest.mark.parametrize("metric", METRICS)
def test_mentions_of_the_key_that_the_response_repeats(
    metric: str, response: str, as_if: str
) -> None:
    assert counts(metric, "abc d", response) == counts(metric, "abc d", as_if)


def test_mentions_that_only_the_response_has_may_repeat() -> None:
    # Whatever the field says of duplicates, the reference scorer keeps both x.
    assert counts("muc", "ab", "xa xb") == [0, 1, 0, 2]
    assert counts("bcub", "ab", "xa xb")[3] == 4
    # Links of the response: xa, xb within; ab, ax, bx across, and x with itself.
    assert counts("blanc", "ab", "xa xb") == [0, 1, 0, 2, 0, 0, 0, 4]


def test_mentions_that_the_key_repeats_stay() -> None:
    # b is in both entities of the key and belongs to the last.
    assert counts("muc", "ab bc", "abc") == [1, 2, 1, 2]
    # a finds a and b of {ab}; b and c find both of {bc}.
    assert counts("bcub", "ab bc", "abc") == pytest.approx([3, 4, 3 * 2 / 3, 3])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=1))
def test_arrays_are_scored_as_numbers_are(rows: list[list[int]]) -> None:
    for metric in NODE_METRICS.values():
        arrays = np.array(metric.score(np.array(rows, dtype=float).T))
        assert arrays.T.tolist() == [list(metric.score(row)) for row in rows]


def test_large_documents_are_mapped_by_another_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(3)
    for _ in range(30):
        weights = {
            (draw.randrange(12), draw.randrange(12)): draw.choice((0.25, 0.5, 1.0, 3.0))
            for _ in range(30)
        }
        with monkeypatch.context() as patched:
            patched.setattr("corefmill.corpora.scoring.matching._SMALL", 0)
            dense = sum(best_map(weights))
            patched.setattr("corefmill.corpora.scoring.matching._DENSE", 0)
            assert sum(best_map(weights)) == pytest.approx(dense)


def test_small_parts_of_documents_are_mapped_without_a_solver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = random.Random(3)
    for _ in range(100):
        rows, columns = draw.choice(((3, 9), (9, 4), (4, 4)))
        weights = {
            (draw.randrange(rows), draw.randrange(columns)): draw.choice((0.25, 0.5, 1.0, 3.0))
            for _ in range(12)
        }
        with monkeypatch.context() as patched:
            patched.setattr("corefmill.corpora.scoring.matching.solve", None)
            tried = best_pairs(weights)
        assert len({row for row, _ in tried}) == len({column for _, column in tried}) == len(tried)
        with monkeypatch.context() as patched:
            patched.setattr("corefmill.corpora.scoring.matching._SMALL", 0)
            assert sum(map(weights.get, tried)) == sum(best_map(weights))


@pytest.mark.parametrize("names", ["bleu", "muc,,rouge", "", ","])
def test_no_such_metric(names: str) -> None:
    with pytest.raises(UsageError, match="there are muc, bcub"):
        parse_metrics(names)
