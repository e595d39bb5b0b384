"""What an OntoCorefIT utterance records of the rules that made it (the paper's figure 10).

The figure shows the utterance before and after, the mentions before, a readability index, and
whether something was deleted, rewritten or moved; the published spelling of its keys is lost, so
these are ours:

- `original_text`, `modified_text`: as written before and after the rules
- `tokens_old`, `corefs_old`: before the rules, as `tokens` and `corefs` are after them
- `readability`: of the modified text, null where it has no words
- `deleted`, `rewritten`, `shifted`: whether a pronoun was deleted, another word rewritten, a
  mention moved
- `changes`: each with `rule`, `start`, `end` (half-open, in tokens that the rule was given),
  `before` and `after`

The reader of OntoCorefIT keeps them in `meta["ontocorefit"]["utterances"]` by the utterance's
number, whence its writer has them. All of them may be missing.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from corefmill.corpora.jsonl import first_fault
from corefmill.corpora.records import Document


class Coref(BaseModel):
    """A mention before the rules: tokens [start, end], both within it, and its cluster."""

    model_config = ConfigDict(strict=True, frozen=True)

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    label: int | str


class RecordedChange(BaseModel):
    """What one rule did, in tokens [start, end) of what it was given."""

    model_config = ConfigDict(strict=True, frozen=True)

    rule: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    before: str
    after: str


class UtteranceRecord(BaseModel):
    """The record of one utterance; keys that are not ours are passed over."""

    model_config = ConfigDict(strict=True, frozen=True)

    original_text: str | None = None
    modified_text: str | None = None
    tokens_old: list[str] = Field(default_factory=list)
    corefs_old: list[Coref] = Field(default_factory=list)
    readability: float | None = Field(default=None, allow_inf_nan=False)
    deleted: bool = False
    rewritten: bool = False
    shifted: bool = False
    changes: list[RecordedChange] = Field(default_factory=list)


def records(document: Document) -> tuple[UtteranceRecord | None, ...]:
    """The record of each utterance, None where it has none.

    Raises `ValueError` that names the utterance, for values of another type, an utterance that is
    not there, and an old mention outside the old tokens.
    """
    found: list[UtteranceRecord | None] = [None] * len(document.sentences)
    kept = document.meta.get("ontocorefit", {})
    utterances: Any = kept.get("utterances", {}) if isinstance(kept, dict) else None
    if not isinstance(utterances, dict):
        raise ValueError("meta.ontocorefit.utterances is not an object")
    for key, value in utterances.items():
        if not (key.isascii() and key.isdigit() and int(key[:9]) < len(found)):
            raise ValueError(f"a record of utterance {key[:20]!r}, which is not there")
        try:
            record = UtteranceRecord.model_validate(value)
        except ValidationError as error:
            raise ValueError(f"utterance {key}: {first_fault(error)}") from None
        for coref in record.corefs_old:
            if not coref.start <= coref.end < len(record.tokens_old):
                raise ValueError(
                    f"utterance {key}: corefs_old {coref.start} to {coref.end} "
                    f"of {len(record.tokens_old)} tokens"
                )
        found[int(key)] = record
    return tuple(found)
