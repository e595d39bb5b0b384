"""Read and write annotations in the `meta` of records: syntax of spans, weights of sentences.

A pipeline's tree describes the target and the mentions of a masked example, which keeps their
syntax under `syntax`.

Weights in [0, 1] give the share that the sentences of documents count in training. `build chains`
writes them. Every format has a place of its own for them: an utterance of OntoCorefIT's
JSON has `weight`, CoNLL-2012 and CoNLL-U have the comment `# weight = 0.5` before the sentence, and
our JSON Lines have the meta of the format that the record was read from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, MaskedExample, Record

SYNTAX_KEY = "syntax"
"""Key of `MaskedExample.meta`: a list, of the target and of each mention in their order."""


class Step(NamedTuple):
    """A word on the way from a span's head word to the root: its number, relation and UPOS, and
    whether it has a subject."""

    word: int
    relation: str
    upos: str
    subject: bool = False


class SpanSyntax(NamedTuple):
    """The role of a span: subject, object, possessor, reflexive, else its head word's relation.

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
"""The syntax of several spans; None for an unknown one."""

SUBJECT, REFLEXIVE = "subject", "reflexive"
OBJECTS = ("object", "obl")
_CLAUSES = ("advcl", "ccomp", "xcomp", "acl", "csubj", "parataxis", "conj", "root")

_SYNTAX = TypeAdapter(tuple[SpanSyntax | None, ...])


def add_syntax(example: MaskedExample, syntax: SpansSyntax) -> MaskedExample:
    """Add the syntax of the target and of the mentions to an example, in this order."""
    stated = _SYNTAX.dump_python(tuple(syntax), mode="json")
    return replace(example, meta={**example.meta, SYNTAX_KEY: stated})


def read_syntax(example: MaskedExample) -> SpansSyntax:
    """Read the syntax of `add_syntax`. Raises `DataError` where it is missing or malformed."""
    stated = example.meta.get(SYNTAX_KEY)
    if stated is None:
        raise DataError(
            f"example {example.id} has no syntax in its meta",
            remedy="add the syntax with `corefmill parse IN OUT`",
        )
    try:
        found = _SYNTAX.validate_python(stated)
    except ValidationError as error:
        what = jsonl.first_fault(error)
        raise DataError(f"example {example.id}: {SYNTAX_KEY} is malformed: {what}") from None
    if len(found) != 1 + len(example.mentions) or any(one and not one.path for one in found):
        what = "needs one entry for the target and each mention, none with an empty path"
        raise DataError(f"example {example.id}: {SYNTAX_KEY} {what}")
    return found


def find_clause(span: SpanSyntax) -> Step:
    """Find the head word of a span's clause."""
    return next((step for step in span.path if opens_clause(step)), span.path[-1])


def opens_clause(step: Step) -> bool:
    """Tell whether a word is at the head of a clause."""
    plain = step.relation.partition(":")[0]
    return plain == "root" or (plain in _CLAUSES and step.upos in ("VERB", "AUX", "ADJ", "NOUN"))


def find_clauses_of_subject(target: SpanSyntax, mentions: SpansSyntax) -> set[int]:
    """Find the head words of the clauses sharing the subject of the target's clause.

    A coordinated verb without a subject has that of the verb before it ("Ann met Eve and told
    her"), and no object means the subject of its clause but a reflexive one (Chomsky 1981,
    principles A and B).
    """
    have = {find_clause(one).word for one in mentions if one is not None and one.role == SUBJECT}
    found: set[int] = set()
    for step in target.path[target.path.index(find_clause(target)) :]:
        if found and not opens_clause(step):
            break
        found.add(step.word)
        if step.subject or step.word in have or step.relation.partition(":")[0] != "conj":
            break
    return found


_COMMENT = re.compile(r"#[ \t]*weight[ \t]*=[ \t]*(\S+)[ \t]*")


def weight_comment(weight: float) -> str:
    """Write a sentence's weight as a comment of CoNLL."""
    return f"# weight = {weight}"


def read_weights(document: Document) -> tuple[float, ...] | None:
    """Read the training weights of a document's sentences; None where no sentence has one.

    A sentence without a weight counts 1. Raises `DataError` for a weight outside [0, 1].
    """
    said = {at: value for at, value in _find_weights(document) if 0 <= at < len(document.sentences)}
    if not said:
        return None
    return tuple(
        _parse_weight(said[at], document, at) if at in said else 1.0
        for at in range(len(document.sentences))
    )


class WeightSummary(NamedTuple):
    """The number of sentences in documents with weights, and their mean weight."""

    sentences: int
    mean: float


def summarize_weights(records: Iterable[Record]) -> WeightSummary | None:
    """Summarize the weights of all documents; None where none has any."""
    found = [
        weight
        for record in records
        if isinstance(record, Document)
        for weight in read_weights(record) or ()
    ]
    return WeightSummary(len(found), fsum(found) / len(found)) if found else None


def _find_weights(document: Document) -> Iterator[tuple[int, Any]]:
    """Yield (sentence, weight) for the weights in a document's meta; a sentence's last counts."""
    meta: dict[str, Any] = document.meta
    try:
        for at, kept in meta.get("corefud", {}).get("sentences", {}).items():
            for line in kept.get("comments", ()):
                if match := _COMMENT.fullmatch(line):
                    yield int(at), match[1]
        for at, line in meta.get("conll", {}).get("comments", ()):
            if match := _COMMENT.fullmatch(line):
                yield at, match[1]
        for at, kept in meta.get("ontocorefit", {}).get("utterances", {}).items():
            if kept.get("weight") is not None:
                yield int(at), kept["weight"]
    except (AttributeError, TypeError, ValueError):
        raise DataError(
            f"document {document.doc_id}: its meta.corefud, conll or ontocorefit is malformed"
        ) from None


def _parse_weight(value: Any, document: Document, at: int) -> float:
    """Convert a sentence's weight to a number. Raises `DataError` unless it is in [0, 1]."""
    try:
        weight = float(value)
    except (TypeError, ValueError):
        weight = -1.0
    if not 0 <= weight <= 1:
        raise DataError(
            f"document {document.doc_id}, sentence {at + 1}: the weight {str(value)[:20]!r} is no"
            " number from 0 to 1",
            remedy="correct or remove the weight",
        )
    return weight
