"""How much the sentences of documents count in training: weights in [0, 1], where there are any.

`build translate --weigh` writes them. Every form keeps them in a place of its own: an utterance of
OntoCorefIT's JSON has `weight`, CoNLL-2012 and CoNLL-U have the comment `# weight = 0.5` before the
sentence, and our JSON Lines have what the record was made with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import fsum
from typing import Any, NamedTuple

from corefmill.corpora.errors import DataError
from corefmill.corpora.records import Document, Record

_COMMENT = re.compile(r"#[ \t]*weight[ \t]*=[ \t]*(\S+)[ \t]*")


def comment(weight: float) -> str:
    """The line of CoNLL that says a sentence's weight."""
    return f"# weight = {weight}"


def of(document: Document) -> tuple[float, ...] | None:
    """The weight of each sentence, 1 where it says none; None where none of them does.

    Raises `DataError` for what is no number from 0 to 1.
    """
    said = {at: value for at, value in _said(document) if 0 <= at < len(document.sentences)}
    if not said:
        return None
    return tuple(
        _checked(said[at], document, at) if at in said else 1.0
        for at in range(len(document.sentences))
    )


class WeightSummary(NamedTuple):
    """How many sentences are in documents with weights, and the weight of one on average."""

    sentences: int
    mean: float


def summary(records: Iterable[Record]) -> WeightSummary | None:
    """Of all documents that have weights; None where none has. Raises what `of` raises."""
    found = [
        weight for record in records if isinstance(record, Document) for weight in of(record) or ()
    ]
    return WeightSummary(len(found), fsum(found) / len(found)) if found else None


def _said(document: Document) -> Iterator[tuple[int, Any]]:
    """Sentences with what is said to be their weight; of several the last holds."""
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
            f"document {document.doc_id}: its meta is not what a reader of corefmill makes"
        ) from None


def _checked(value: Any, document: Document, at: int) -> float:
    try:
        weight = float(value)
    except (TypeError, ValueError):
        weight = -1.0
    if not 0 <= weight <= 1:
        raise DataError(
            f"document {document.doc_id}, sentence {at + 1}: the weight {str(value)[:20]!r} is no"
            " number from 0 to 1",
            remedy="mend it, or take it out",
        )
    return weight
