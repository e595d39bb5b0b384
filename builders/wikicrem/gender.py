"""The gender of the right candidates, as section 3 of the paper counts it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources

from gender_guesser.detector import Detector

from builders.wikicrem.names import bare
from builders.wikicrem.table import Table

FORMS = ("male", "mostly_male", "andy", "mostly_female", "female", "unknown")


class Genders:
    """The gender that gender-guesser gives the first word of a name."""

    def __init__(self, lang: str, table: Table) -> None:
        countries = tomllib.loads(
            resources.files("builders.wikicrem").joinpath("gender.toml").read_text("utf-8")
        )
        self._country: str | None = countries.get(lang)
        self._table = table
        self._detector = Detector(case_sensitive=False)
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """One of FORMS."""
        first = bare(name, self._table).split()[0]
        if first not in self._known:
            # The country decides where usage differs; where it does not know, the world does.
            own = self._detector.get_gender(first, self._country) if self._country else "unknown"
            self._known[first] = own if own != "unknown" else str(self._detector.get_gender(first))
        return self._known[first]


def male_and_female(counts: Mapping[str, int]) -> tuple[int, int]:
    """The paper's two figures, with the "mostly" forms counted in."""
    return counts["male"] + counts["mostly_male"], counts["female"] + counts["mostly_female"]
