"""Candidate spans, and which of them are kept."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.coref_model.documents.inputs import within_sentences, without_crossing

lengths = st.lists(st.integers(0, 6), max_size=5)


@settings(max_examples=40)
@given(lengths, st.integers(1, 8))
def test_every_span_of_a_sentence_up_to_the_width(sizes: list[int], most: int) -> None:
    starts, ends = within_sentences(sizes, most)
    expected, offset = [], 0
    for size in sizes:
        expected += [
            (offset + a, offset + b)
            for a in range(size)
            for b in range(a + 1, min(a + most, size) + 1)
        ]
        offset += size
    assert list(zip(starts, ends, strict=True)) == expected


def _cross(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


@settings(max_examples=40)
@given(lengths, st.integers(1, 5), st.integers(0, 12), st.randoms(use_true_random=False))
def test_the_best_that_do_not_cross(
    sizes: list[int], most: int, limit: int, random: Random
) -> None:
    starts, ends = within_sentences(sizes, most)
    scores = np.array([random.randint(0, 5) for _ in starts], dtype=float)
    spans = [(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
    expected: list[int] = []
    for index in sorted(range(len(spans)), key=lambda i: (-scores[i], i)):
        if len(expected) < limit and not any(_cross(spans[index], spans[k]) for k in expected):
            expected.append(index)
    assert without_crossing(starts, ends, scores, limit).tolist() == sorted(expected)
