"""Whole words are hidden, as many as asked for, and told as they were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.coref_model.mlm.masking import Hidden, Masking, hide

MASK = 4
PLAIN = Masking(0.15, 0.0, 0.0)


def hidden(begins: list[bool], masking: Masking = PLAIN, seed: int = 0) -> Hidden:
    pieces = np.arange(100, 100 + len(begins), dtype=np.int32)
    flags = np.array([True, *begins[1:]])
    return hide(pieces, flags, masking, MASK, [7, 8, 9], np.random.default_rng(seed))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, 99))
def test_a_word_is_hidden_whole_or_not_at_all(begins: list[bool], seed: int) -> None:
    found = hidden(begins, seed=seed)
    words = np.cumsum(np.array([True, *begins[1:]]))
    asked = np.isin(np.arange(len(begins)), found.positions)
    for word in set(words):
        assert len(set(asked[words == word])) == 1
    assert len(found.positions) > 0
    assert found.answers.tolist() == (100 + found.positions).tolist()
    assert (found.pieces[asked] == MASK).all()
    assert (found.pieces[~asked] == np.arange(100, 100 + len(begins))[~asked]).all()


@pytest.mark.parametrize("share", [0.15, 0.4])
def test_the_share_is_right_on_average(share: float) -> None:
    begins = [at % 3 != 1 for at in range(90)]
    counts = [len(hidden(begins, Masking(share, 0, 0), seed).positions) for seed in range(300)]
    assert np.mean(counts) == pytest.approx(share * 90, rel=0.03)


def test_one_fate_for_a_whole_word() -> None:
    begins = [at % 2 == 0 for at in range(4000)]
    found = hidden(begins, Masking(0.5, 0.1, 0.2))
    there = found.pieces[found.positions].reshape(-1, 2)
    was = found.answers.reshape(-1, 2)
    masks, kept = (there == MASK).all(1), (there == was).all(1)
    swapped = np.isin(there, [7, 8, 9]).all(1)
    assert (masks | kept | swapped).all()
    assert kept.mean() == pytest.approx(0.2, abs=0.04)
    assert swapped.mean() == pytest.approx(0.1, abs=0.03)
