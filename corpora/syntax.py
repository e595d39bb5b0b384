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
    """A word on the way from a span's head word to the root: its number, relation and UPOS, and
    whether it has a subject."""

    word: int
    relation: str
    upos: str
    subject: bool = False


class SpanSyntax(NamedTuple):
    """What part a span plays (subject, object, possessor, reflexive, else the relation of its head
    word).

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

SUBJECT, REFLEXIVE = "subject", "reflexive"
OBJECTS = ("object", "obl")
_CLAUSES = ("advcl", "ccomp", "xcomp", "acl", "csubj", "parataxis", "conj", "root")

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
            remedy="`corefmill parse IN OUT` parses a corpus of masked examples",
        )
    try:
        found = _READ.validate_python(stated)
    except ValidationError as error:
        what = jsonl.first_fault(error)
        raise DataError(f"example {example.id}: {KEY} is malformed: {what}") from None
    if len(found) != 1 + len(example.mentions) or any(one and not one.path for one in found):
        raise DataError(f"example {example.id}: {KEY} is not of its target and mentions")
    return found


def clause(span: SpanSyntax) -> Step:
    """The word at the head of the clause that a span stands in."""
    return next((step for step in span.path if opens_clause(step)), span.path[-1])


def opens_clause(step: Step) -> bool:
    """Whether a word is at the head of a clause."""
    plain = step.relation.partition(":")[0]
    return plain == "root" or (plain in _CLAUSES and step.upos in ("VERB", "AUX", "ADJ", "NOUN"))


def with_its_subject(target: SpanSyntax, mentions: SpansSyntax) -> set[int]:
    """Head words of the clauses that have the subject of the target's own, this one among them.

    A coordinated verb without a subject has that of the verb before it ("Ann met Eve and told
    her"), and no object means the subject of its clause but a reflexive one (Chomsky 1981,
    principles A and B).
    """
    have = {clause(one).word for one in mentions if one is not None and one.role == SUBJECT}
    found: set[int] = set()
    for step in target.path[target.path.index(clause(target)) :]:
        if found and not opens_clause(step):
            break
        found.add(step.word)
        if step.subject or step.word in have or step.relation.partition(":")[0] != "conj":
            break
    return found
