"""Spans that cross."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora.check.records import EntitySpan, find_crossing

SPANS = st.builds(
    lambda start, size, owner: EntitySpan(start, start + size, owner),
    st.integers(0, 8),
    st.integers(1, 6),
    st.integers(0, 2),
)


@given(st.lists(SPANS, max_size=12))
def test_each_two_that_cross(spans: list[EntitySpan]) -> None:
    order = sorted(set(spans), key=lambda s: (s.start, -s.end, s.owner))
    expected = [
        (one, other)
        for number, other in enumerate(order)
        for one in order[:number]
        if one.start < other.start < one.end < other.end
    ]
    assert list(find_crossing(spans)) == expected


def test_spans_in_one_another_are_not_gone_through_each_time() -> None:
    """30,000: all pairs of them would take minutes."""
    size = 60_000
    assert list(find_crossing(EntitySpan(n, size - n, 0) for n in range(size // 2))) == []
