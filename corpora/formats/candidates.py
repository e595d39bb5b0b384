"""Masked examples as the field's files hold them: one passage, two candidates, no source."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corefmill.corpora.records import MaskedExample, Meta, Source, Span


def masked_example(
    name: str,
    lang: str,
    text: str,
    target: Span,
    candidates: Sequence[str],
    label: int | None,
    *,
    mentions: Sequence[tuple[int, int, int]] = (),
    source: str = "",
    meta: Meta | None = None,
) -> MaskedExample:
    """An example whose text is one passage and whose `source` is known by title at most."""
    return MaskedExample(
        id=name,
        lang=lang,
        text=text,
        sentences=((0, len(text)),),
        target=target,
        candidates=tuple(candidates),
        mentions=tuple(mentions),
        label=label,
        source=Source(title=source, page_id=0),
        meta=meta or {},
    )


def two_names(example: MaskedExample) -> tuple[str, str]:
    """The two candidates as they were before `distinct`; `ValueError` where there are not two."""
    if len(example.candidates) != 2:
        raise ValueError(f"it has {len(example.candidates)} candidates, not two")
    first, second = example.candidates
    return first, first if second == f"{first} (2)" else second


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with ` (2)`, ` (3)` ... after one that has stood before.

    A `MaskedExample` needs candidates that differ, and released files hold a few items where they
    do not (both candidates are Christina, one line of KnowRef's test set). Such an item is kept.
    """
    made: list[str] = []
    for name in names:
        number, own = 1, name
        while own in made:
            number += 1
            own = f"{name} ({number})"
        made.append(own)
    return tuple(made)


def as_words(text: str, name: str, apart_from: Sequence[Span] = ()) -> Span | None:
    """Where `name` first stands in the text as whole words and touches none of the spans."""
    if not name:
        return None
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
        if all(match.end() <= start or end <= match.start() for start, end in apart_from):
            return match.span()
    return None
