"""Offsets in UTF-16 beside those in characters."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.annotate.exchange.code_units import CodeUnits


@settings(max_examples=10)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_they_are_those_of_the_encoding(text: str) -> None:
    offsets = CodeUnits(text)
    for place in range(len(text) + 1):
        units = len(text[:place].encode("utf-16-le")) // 2
        assert offsets.units(place) == units
        assert offsets.character(units) == place


@pytest.mark.parametrize("units", [-1, 2, 5])
def test_a_place_within_a_character_is_none(units: int) -> None:
    with pytest.raises(ValueError, match="within a character, or outside"):
        CodeUnits("a😊b").character(units)
