"""A scorer's answers to masked examples: a score for every candidate, many passages at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import torch

from corefmill.coref_model.masked.items import CandidateInput, items
from corefmill.coref_model.masked.scorer import Scorer, collate
from corefmill.corpora.records import MaskedExample

T = TypeVar("T")


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
        made = (items(example, self.model.encoder.pieces, self.window) for example in examples)
        for batch in in_batches(made, _pieces, self.batch_pieces):
            yield from self._scored(batch)

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


def _pieces(made: Sequence[CandidateInput]) -> int:
    return sum(map(len, {item.sequence for item in made}))


def in_batches(made: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """What is made, in order, in lists of `most` pieces at most by `size`; one that is larger
    alone."""
    held: list[T] = []
    total = 0
    for one in made:
        more = size(one)
        if held and total + more > most:
            yield held
            held, total = [], 0
        held.append(one)
        total += more
    if held:
        yield held


def figures(asked: Sequence[MaskedExample], answers: Iterable[CandidateScores]) -> dict[str, float]:
    """The share of the examples whose right candidate scores highest; a tie is no right answer.

    `ties` and `cut` count examples; `cut` is those of which the window left out a part.
    """
    counts: Counter[str] = Counter()
    for example, answer in zip(asked, answers, strict=True):
        counts["right"] += answer.choice == example.label
        counts["ties"] += answer.choice is None
        counts["cut"] += answer.cut
    return {
        "accuracy": counts["right"] / len(asked) if asked else 0.0,
        "ties": float(counts["ties"]),
        "cut": float(counts["cut"]),
        "examples": float(len(asked)),
    }
