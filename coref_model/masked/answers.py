"""A scorer's answers to masked examples: a score for every candidate, many passages at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from corefmill.coref_model.masked.items import CandidateInput, items
from corefmill.coref_model.masked.scorer import Scorer, collate
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
        holders = [index for index, value in enumerate(self.values) if value == best]
        return holders[0] if len(holders) == 1 else None


class Answerer(Protocol):
    """A model that scores candidates."""

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """An answer to each example, in their order; a value for each of its candidates."""


@dataclass(frozen=True, slots=True)
class Answering:
    """An `masked.answers.Answerer`: all candidates of a passage share a batch.

    A passage is given `window` pieces, specials included; a batch has `batch_pieces` at most, but
    for one passage that alone is larger.
    """

    model: Scorer
    window: int
    batch_pieces: int = 8192

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """An answer to each example, in their order; holds one batch of them at a time.

        Raises `DataError` for a candidate that the window cannot hold.
        """
        held: list[list[CandidateInput]] = []
        size = 0
        for example in examples:
            made = items(example, self.model.encoder.pieces, self.window)
            more = sum(map(len, {item.sequence for item in made}))
            if held and size + more > self.batch_pieces:
                yield from self._scored(held)
                held, size = [], 0
            held.append(made)
            size += more
        if held:
            yield from self._scored(held)

    def _scored(self, passages: Sequence[Sequence[CandidateInput]]) -> list[CandidateScores]:
        training = self.model.training
        self.model.eval()
        with torch.no_grad():
            scores = self.model(collate([item for made in passages for item in made])).tolist()
        self.model.train(training)
        found = []
        start = 0
        for made in passages:
            own = tuple(scores[start : start + len(made)])
            found.append(CandidateScores(own, any(item.cut for item in made)))
            start += len(made)
        return found
