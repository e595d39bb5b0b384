"""Offsets in UTF-16, which tools of Java count in, from and to characters."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate


class CodeUnits:
    """The offsets of one text: characters (code points) beside UTF-16 code units."""

    def __init__(self, text: str) -> None:
        self._units = [0, *accumulate(2 if char > "\uffff" else 1 for char in text)]

    def units(self, character: int) -> int:
        """How many code units stand before the character at this place, or the text's end."""
        return self._units[character]

    def character(self, units: int) -> int:
        """The place of the character before which so many stand.

        Raises `ValueError` for a place within a character or outside of the text.
        """
        found = bisect_left(self._units, units)
        if units < 0 or found == len(self._units) or self._units[found] != units:
            raise ValueError(f"{units} is within a character, or outside of the text, in UTF-16")
        return found
