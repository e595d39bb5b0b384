"""Answers to masked examples, and rules without learning.

The rules are: nearest, first, shortest, same role. Each is an `Answerer`, so that the protocols of
models apply. The places of a candidate are its mentions or, in a corpus without mentions, its words
outside the target. A candidate that is not in the text is the last choice. As for any model, a tie
is not an answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from corefmill.corpora.record_meta import (
    OBJECTS,
    REFLEXIVE,
    SUBJECT,
    SpansSyntax,
    SpanSyntax,
    find_clause,
    find_clauses_of_subject,
)
from corefmill.corpora.records import MaskedExample, Span


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """A score for each candidate, the higher the likelier; `cut` if the passage was too long.

    The model has seen only a part of a cut passage, with the mask in it.
    """

    values: tuple[float, ...]
    cut: bool = False

    @property
    def choice(self) -> int | None:
        """The candidate with the highest score; None for a tie, or if no score is a number."""
        best = max(self.values)
        holders = [index for index, value in enumerate(self.values) if value == best]
        return holders[0] if len(holders) == 1 else None


class Answerer(Protocol):
    """A scorer of candidates."""

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """Score the candidates of each example, in the order of the examples."""


Roles = Callable[[Iterable[tuple[str, Sequence[Span]]]], Iterator[SpansSyntax]]
"""Parses texts, and gives the syntax of the given spans of each, in order."""

SAME, IS_SUBJECT, AFTER, SENTENCE, WORD = 1.0, 1.0, -1.0, -1.0, -0.01
ITS_SUBJECT = 2.0
"""Weights of a mention in `SameRole`: it has the target's role; is a subject; stands after the
target; for each sentence and each word between; it is the subject of the clause that has the target
as object, which only a reflexive target means. The last is grammar; the others are the best of 192
settings by F1 on GAP's development part."""
_BINDING = {REFLEXIVE: 1, **dict.fromkeys(OBJECTS, -1)}

_LETTER = re.compile(r"[^\W\d_]")
_BATCH = 256


@dataclass(frozen=True, slots=True)
class ByPlace:
    """Scores a candidate by the best of its places; `score` takes the target and a place."""

    score: Callable[[Span, Span], float]

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """Score the candidates of each example, in order."""
        for one in examples:
            yield CandidateScores(
                tuple(
                    max((self.score(one.target, span) for span in spans), default=-math.inf)
                    for spans in find_places(one)
                )
            )


@dataclass(frozen=True, slots=True)
class Shortest:
    """Takes the candidate of the fewest characters."""

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """Score the candidates of each example, in order."""
        for one in examples:
            yield CandidateScores(tuple(-float(len(name)) for name in one.candidates))


BY_TEXT: dict[str, Answerer] = {
    # Fewer characters between are better, on either side.
    "nearest candidate": ByPlace(lambda to, at: -float(max(at[0] - to[1], to[0] - at[1]))),
    "first candidate": ByPlace(lambda _, span: -float(span[0])),
    "shortest candidate": Shortest(),
}
"""The rules that look at the text alone."""


@dataclass(frozen=True, slots=True)
class SameRole:
    """Takes the candidate in the target's role, else the subject, before the target and near it.

    An object does not mean the subject of its clause, unless it is a reflexive."""

    roles: Roles

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """Score the candidates of each example, in order."""
        left = iter(examples)
        while batch := [(one, find_places(one)) for one in islice(left, _BATCH)]:
            asked = (
                fill_blank(one, [span for spans in found for span in spans]) for one, found in batch
            )
            for (_, found), (target, *others) in zip(batch, self.roles(asked), strict=True):
                clauses = set() if target is None else find_clauses_of_subject(target, others)
                left_over = iter(others)
                values = []
                for spans in found:  # `others` has the spans of each candidate in turn
                    worth = [
                        _weigh_mention(target, one, clauses)
                        for one in islice(left_over, len(spans))
                        if one is not None and target is not None
                    ]
                    values.append(max(worth, default=-math.inf))
                yield CandidateScores(tuple(values))


def _weigh_mention(target: SpanSyntax, mention: SpanSyntax, clauses: Container[int]) -> float:
    """Score a mention as the target's antecedent, by its syntax and the weights above."""
    its_subject = mention.role == SUBJECT and find_clause(mention).word in clauses
    return (
        SAME * (mention.role == target.role)
        + IS_SUBJECT * (mention.role == SUBJECT)
        + AFTER * (mention.word > target.word)
        + SENTENCE * abs(mention.sentence - target.sentence)
        + WORD * abs(mention.word - target.word)
        + ITS_SUBJECT * its_subject * _BINDING.get(target.role, 0)
    )


def fill_blank(example: MaskedExample, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """Make a text for the parser: a target without letters becomes the first candidate.

    Returns the text, and the target and the spans at their places in the text.
    """
    text, (start, end) = example.text, example.target
    if _LETTER.search(text[start:end]):
        return text, [example.target, *spans]
    name = example.candidates[0]
    shift = len(name) - (end - start)
    moved = [(a + shift, b + shift) if a >= end else (a, b) for a, b in spans]
    return text[:start] + name + text[end:], [(start, start + len(name)), *moved]


def find_places(example: MaskedExample) -> list[list[Span]]:
    """Find each candidate's spans in the text: its mentions, else its words or last word."""
    found: list[list[Span]] = [[] for _ in example.candidates]
    for number, start, end in example.mentions:
        found[number].append((start, end))
    start, end = example.target
    for number, name in enumerate(example.candidates):
        for wanted in (name, *name.split()[-1:]):
            if not found[number]:
                pattern = rf"(?<!\w){re.escape(wanted)}(?!\w)"
                spans = (one.span() for one in re.finditer(pattern, example.text, re.IGNORECASE))
                found[number] = [(a, b) for a, b in spans if a < b and (b <= start or end <= a)]
    return found
