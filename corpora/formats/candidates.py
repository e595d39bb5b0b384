"""Names of candidates: found in a text, and told apart where a file names two the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corefmill.corpora.records import Span


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
