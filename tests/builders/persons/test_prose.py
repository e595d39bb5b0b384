"""Running text in any script."""

from __future__ import annotations

import pytest

from corefmill.builders.persons.prose import is_debris


@pytest.mark.parametrize(
    "passage",
    [
        "She went home.",
        "ის მარტო წავიდა.",
        "הוא הלך הביתה.",
        "वह घर गया।",
        "他回家了。",
        "“Go!” she said.",
    ],
)
def test_a_sentence(passage: str) -> None:
    assert not is_debris(passage)


@pytest.mark.parametrize(
    "passage", ["she went home.", "3 of them.", "ის წავიდა", "वह घर", "A {{b}}."]
)
def test_debris(passage: str) -> None:
    assert is_debris(passage)
