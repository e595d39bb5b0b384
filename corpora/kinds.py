"""The kinds of record that a corpus may hold, by the names that commands and settings call them.

A new kind has its row here; tasks of coref_model say which kind they learn from.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record: the schema of its records, and what they are called in messages."""

    name: str
    schema: str
    plural: str


KINDS = {
    one.name: one
    for one in (
        RecordKind("masked", "masked-example/1", "masked examples"),
        RecordKind("events", "event-mention/1", "event mentions"),
        RecordKind("documents", "document/1", "documents"),
    )
}
BY_SCHEMA = {one.schema: one for one in KINDS.values()}
