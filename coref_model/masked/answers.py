"""What a model says of a masked example, and which candidate that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """A score for each candidate, the higher the likelier; `cut` if the passage was too long.

    Of a passage that was cut the model has seen a part only, the mask in it.
    """

    values: tuple[float, ...]
    cut: bool = False

    @property
    def choice(self) -> int | None:
        """The candidate with the highest score; None where several have it, or none is a number."""
        best = max(self.values)
        holders = [place for place, value in enumerate(self.values) if value == best]
        return holders[0] if len(holders) == 1 else None


class Answerer(Protocol):
    """A model that scores candidates."""

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """An answer to each example, in their order; a value for each of its candidates."""
