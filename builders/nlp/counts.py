"""Precision, recall and F1 as the counts that they are made of."""

from __future__ import annotations

from typing import Any, NamedTuple


class MatchCounts(NamedTuple):
    """How many are right, how many the system has, and how many the gold standard has."""

    right: int
    system: int
    gold: int

    def plus(self, other: MatchCounts) -> MatchCounts:
        """The counts of both together."""
        return MatchCounts(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        return self.right / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.system + self.gold) if self.right else 0.0

    def as_json(self) -> dict[str, Any]:
        """Fractions as [numerator, denominator]."""
        return {
            "precision": [self.right, self.system],
            "recall": [self.right, self.gold],
            "f1": self.f1,
        }


NONE = MatchCounts(0, 0, 0)
