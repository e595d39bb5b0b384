"""Samples by lowest hashes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.run.sampling import Lowest
from corefmill.builders.run.stages import seeded


@given(st.lists(st.integers(0, 50)), st.integers(0, 9))
def test_the_lowest_are_those_that_sorting_gives(keys: list[int], size: int) -> None:
    def hashed(key: int) -> float:
        return seeded(1, key).random()

    drawn = Lowest[int, str](size)
    for key in keys:
        drawn.offer(hashed(key), key, str(key))
    assert list(drawn.values()) == [str(key) for key in sorted(set(keys), key=hashed)[:size]]


def test_what_is_held_can_be_added_to() -> None:
    drawn = Lowest[str, list[int]](2)
    for hashed, key, value in ((0.5, "b", 1), (0.1, "a", 2), (0.7, "c", 3), (0.5, "b", 4)):
        held = drawn.offer(hashed, key, [])
        if held is not None:
            held.append(value)
    assert list(drawn.values()) == [[2], [1, 4]]


def test_whole_numbers_of_any_size_are_hashes() -> None:
    drawn = Lowest[str, str](1)
    for hashed, key in ((2**130 + 1, "a"), (2**130, "b"), (2**130 + 2, "c")):
        drawn.offer(hashed, key, key)
    assert list(drawn.values()) == ["b"]
