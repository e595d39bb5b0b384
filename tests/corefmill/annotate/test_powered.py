"""PPI++ for a share, as ppi-python has it, and Wilson's interval around it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from corefmill.annotate import powered


def bits(text: str) -> list[int]:
    return [int(bit) for bit in text]


# People's answers, a model's votes on the same items, its votes on others; then what ppi-python
# 0.2.3 gives by ppi_mean_pointestimate, ppi_mean_ci(alpha=0.05), and the latter with lam=1.
CASES = [
    (
        "1111111101011011010111100101111110101100",
        "1110111101011111010111100101011110101100",
        "0111010011011101001111100111101100011011110111111100100110101011111101011111111100111011"
        "111111110111111111101101010011110001101110111011011111100111111100010111",
        0.7210252976190475,
        (0.6260450424356804, 0.8160055528024147),
        (0.621142477338474, 0.8413575226615259),
    ),
    (
        "011111111000100101010010011011",
        "001101101001010010101010100100",
        "111100100100001100111001110000100110010100100111000111011100000110001000101000001101010011",
        0.5666666666666667,
        (0.3893447790480072, 0.7439885542853262),
        (0.2860728960095437, 0.8694826595460117),
    ),
    (
        "0110011001000101111001101",
        "0110011001000101111001101",
        "01010110111111000011011110111000010001101100100100",
        0.52,
        (0.4069118904976757, 0.6330881095023244),
        (0.3815205342554172, 0.6584794657445828),
    ),
]


@pytest.mark.parametrize(("said", "votes", "more", "value", "tuned", "whole"), CASES)
def test_as_ppi_python_computes_it(
    said: str,
    votes: str,
    more: str,
    value: float,
    tuned: tuple[float, float],
    whole: tuple[float, float],
) -> None:
    arrays = (bits(said), bits(votes), bits(more))
    found = powered.mean(*arrays)
    assert float(found.value) == pytest.approx(value, abs=1e-9)
    assert found.normal() == pytest.approx(tuned, abs=1e-9)
    assert powered.mean(*arrays, power=1).normal() == pytest.approx(whole, abs=1e-9)
    assert 0 <= float(found.power) <= 1


def test_without_a_model_it_is_wilsons_interval() -> None:
    for right in (0, 1, 17, 30):
        said = [1] * right + [0] * (30 - right)
        found = powered.mean(said, said, [], power=0)
        wilson = binomtest(right, 30).proportion_ci(0.95, method="wilson")
        assert found.score() == pytest.approx((wilson.low, wilson.high), abs=1e-12)


@pytest.mark.parametrize("votes", ["1" * 60, "0" * 60, "10" * 30])
def test_a_model_that_is_no_use_takes_nothing_away(votes: str) -> None:
    said = bits("11010" * 4)
    found = powered.mean(said, bits(votes[:20]), bits(votes[20:]))
    alone = powered.mean(said, said, [], power=0)
    if votes[:2] != "10":
        assert float(found.power) == 0 and found.score() == pytest.approx(alone.score())
    # One that says the contrary of everything is not used either.
    contrary = [1 - one for one in said]
    assert float(powered.mean(said, contrary, bits(votes)).power) == 0


def test_answers_between_yes_and_no_count_as_they_are() -> None:
    said = np.array([1, 0.5, 1, 0, 1, 2 / 3])
    found = powered.mean(said, said > 0.5, [1, 0, 1, 1])
    low, high = found.score()
    assert 0 <= low < float(found.value) < high <= 1


def test_simulations_keep_their_dimension_and_bad_shapes_are_refused() -> None:
    draw = np.random.default_rng(0)
    said, more = draw.random((7, 20)) < 0.5, draw.random((7, 50)) < 0.5
    many = powered.mean(said, said, more)
    assert many.value.shape == many.score()[0].shape == (7,)
    one = powered.mean(said[3], said[3], more[3])
    assert many.score()[1][3] == pytest.approx(float(one.score()[1]))
    for first, second in (([1], [1]), ([1, 0], [1, 0, 1])):
        with pytest.raises(ValueError, match="answers of people"):
            powered.mean(first, second, [1, 0])
