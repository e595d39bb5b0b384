"""What a pipeline's tree says of a span, and how a masked example keeps it for its spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from corefmill.corpora import jsonl
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import MaskedExample

KEY = "syntax"
"""Of `MaskedExample.meta`: a list, of the target and of each of the mentions in their order."""


class Step(NamedTuple):
    """A word on the way from a span's head word to the root: its number, relation and UPOS."""

    word: int
    relation: str
    upos: str


class SpanSyntax(NamedTuple):
    """What part a span plays (subject, object, possessor, else the relation of its head word).

    `sentence` is the number of its sentence, from 1; `path` leads from its head word to the root,
    or stops where it is longer than a sentence ever asks for.
    """

    role: str
    sentence: int
    path: tuple[Step, ...]

    @property
    def word(self) -> int:
        """The number of the head word."""
        return self.path[0].word


SpansSyntax = Sequence[SpanSyntax | None]
"""Of several spans; None for one of which nothing is known."""

_READ = TypeAdapter(tuple[SpanSyntax | None, ...])


def kept(example: MaskedExample, syntax: SpansSyntax) -> MaskedExample:
    """The example with what is known of its target and of its mentions, in this order."""
    stated = _READ.dump_python(tuple(syntax), mode="json")
    return replace(example, meta={**example.meta, KEY: stated})


def of(example: MaskedExample) -> SpansSyntax:
    """What `kept` has kept; raises `DataError` where there is none, or none that fits."""
    stated = example.meta.get(KEY)
    if stated is None:
        raise DataError(
            f"example {example.id} says nothing of its trees",
            remedy="`corefmill heads IN OUT` parses a corpus of masked examples",
        )
    try:
        found = _READ.validate_python(stated)
    except ValidationError as error:
        what = jsonl.first_fault(error)
        raise DataError(f"example {example.id}: {KEY} is malformed: {what}") from None
    if len(found) != 1 + len(example.mentions) or any(one and not one.path for one in found):
        raise DataError(f"example {example.id}: {KEY} is not of its target and mentions")
    return found
