"""How well the sizes of the drawn passages match those wanted, for the card and the manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from corefmill.builders.wikirand.quotas import Cell
from corefmill.corpora.card_parts import table
from corefmill.corpora.records import MaskedExample


class Fit:
    """Compares what was wanted by size with what was taken."""

    name = "fit"

    def __init__(
        self, wanted: Mapping[Cell, int], taken: Mapping[Cell, int], validation: int
    ) -> None:
        """`validation` of those wanted are for that split."""
        self.validation = validation
        self.wanted = sum(wanted.values())
        self.drawn = sum(taken.values())
        met = Counter(wanted) & Counter(taken)
        self.moved = self.drawn - met.total()
        self.divided = 0
        """Articles in both splits."""

    def watch(self, example: MaskedExample) -> None:
        """Nothing of the examples is counted: all was known when they were drawn."""

    def counts(self) -> dict[str, Any]:
        """The figures for the manifest."""
        return {
            "wanted": self.wanted,
            "same_size": self.drawn - self.moved,
            "nearest_size": self.moved,
            "missing": self.wanted - self.drawn,
            "articles_in_both_splits": self.divided,
        }

    def section(self) -> list[str]:
        """The card's lines."""
        rows = [(name.replace("_", " "), count) for name, count in self.counts().items()]
        return ["## Fit", "", *table(("passages, by sentences and tokens", ""), rows)]

    @property
    def warnings(self) -> list[str]:
        """What does not match."""
        said = []
        if self.moved:
            said.append(
                f"passages of the nearest length in place of the one wanted: {self.moved:,},"
                " since the text has too few of that"
            )
        if self.drawn < self.wanted:
            said.append(
                f"examples missing: {self.wanted - self.drawn:,} of {self.wanted:,},"
                " since the text has no passages of about their length left"
            )
        return said
