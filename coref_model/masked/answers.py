"""Answers to masked examples, and rules without learning.

The rules are: nearest, first, shortest, same role. Each is an `Answerer`, so that the protocols of
models apply. The places of a candidate are its mentions, as for the pointer (`find_mentions`). A
candidate that is not in the text is the last choice. As for any model, a tie is not an answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from corefmill.coref_model.masked.passages import find_mentions
from corefmill.corpora import record_meta
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


Answerer = Callable[[Iterable[MaskedExample]], Iterator[CandidateScores]]
"""Scores the candidates of each example, in the order of the examples."""

Roles = Callable[[Iterable[tuple[str, Sequence[Span]]]], Iterator[SpansSyntax]]
"""Parses texts, and gives the syntax of the given spans of each, in order."""

SAME, IS_SUBJECT, AFTER, SENTENCE, WORD = 1.0, 1.0, -1.0, -1.0, -0.01
ITS_SUBJECT = 2.0
"""Weights of a mention in `score_by_role`: it has the target's role; is a subject; stands after the
target; for each sentence and each word between; it is the subject of the clause that has the target
as object, which only a reflexive target means. The last is grammar; the others are the best of 192
settings by F1 on GAP's development part."""
_BINDING = {REFLEXIVE: 1, **dict.fromkeys(OBJECTS, -1)}

_LETTER = re.compile(r"[^\W\d_]")
_BATCH = 256


def _score_by_text(
    score: Callable[[Span, str, Sequence[Span]], float], examples: Iterable[MaskedExample]
) -> Iterator[CandidateScores]:
    """Score a candidate by a function of the target, its name and its places."""
    for one in examples:
        places: list[list[Span]] = [[] for _ in one.candidates]
        for owner, *span in find_mentions(one):
            places[owner].append((span[0], span[1]))
        named = zip(one.candidates, places, strict=True)
        yield CandidateScores(tuple(float(score(one.target, *pair)) for pair in named))


BY_TEXT: dict[str, Answerer] = {
    # Fewer characters between are better, on either side.
    "nearest candidate": partial(
        _score_by_text,
        lambda to, _, spans: -min((max(a - to[1], to[0] - b) for a, b in spans), default=math.inf),
    ),
    "first candidate": partial(
        _score_by_text, lambda _, __, spans: -min((a for a, _ in spans), default=math.inf)
    ),
    "shortest candidate": partial(_score_by_text, lambda _, name, __: -len(name)),
}
"""The rules that look at the text alone."""


def score_by_role(roles: Roles, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
    """Prefer the candidate in the target's role, else the subject, before the target and near it.

    An object does not mean the subject of its clause, unless it is a reflexive."""
    for one in mark_roles(examples, roles):
        target, *others = record_meta.read_syntax(one)
        values = [-math.inf] * len(one.candidates)
        clauses = set() if target is None else find_clauses_of_subject(target, others)
        for (owner, *_), mention in zip(one.mentions, others, strict=True):
            if mention is not None and target is not None:
                worth = _weigh_mention(target, mention, clauses)
                values[owner] = max(values[owner], worth)
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


def mark_roles(examples: Iterable[MaskedExample], roles: Roles) -> Iterator[MaskedExample]:
    """Add to examples the mentions of their candidates, and the syntax of mentions and target."""
    left = iter(examples)
    while batch := list(islice(left, _BATCH)):
        stated = [replace(one, mentions=tuple(find_mentions(one))) for one in batch]
        found = roles(fill_blank(one, [mention[1:] for mention in one.mentions]) for one in stated)
        yield from map(record_meta.add_syntax, stated, found)
