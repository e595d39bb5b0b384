from __future__ import annotations

from random import Random

import pytest

from corefmill.builders.translation.batches import batches, width_of


def test_a_shape_follows_from_a_length() -> None:
    assert [width_of(length) for length in (1, 7, 8, 15, 16, 511)] == [8, 8, 16, 16, 24, 512]
    found = list(batches([3, 20, 7, 9, 1], 32))
    # Of width 8 four texts fit, of width 16 two, of width 24 one.
    assert found == [(8, 4, [4, 0, 2]), (16, 2, [3]), (24, 1, [1])]


@pytest.mark.parametrize("budget", [1, 64, 4096])
def test_every_text_is_in_one_batch_of_its_shape(budget: int) -> None:
    lengths = [Random(place).randint(1, 90) for place in range(200)]
    seen = []
    for width, rows, places in batches(lengths, budget):
        assert rows == max(1, budget // width)
        assert 0 < len(places) <= rows
        assert all(width_of(lengths[place]) == width for place in places)
        seen += places
    assert sorted(seen) == list(range(200))
    assert list(batches([], budget)) == []
