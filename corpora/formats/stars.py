"""Spans as a column of stars, as CoNLL-2012 writes named entities: `(ORG*`, `*`, `*)`, `(GPE)`.

1. `(ORG*` is the first word of a span, `*)` its last, `(ORG)` is a span of one word and `*` is a
   word where nothing begins or ends, be it within a span or not.
2. As tags, `B-ORG` is a span's first word and `I-ORG` each further one; no tag is `None`.
   Nested spans have no tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_CELL = re.compile(r"(?:\(([^()*\s]+))?(\*?)(\)?)")
_TAG = re.compile(r"([BI])-([^()*\s]+)")


def tags(cells: Sequence[str]) -> list[str | None] | None:
    """A tag a word; None where the column is no such column, or has nested spans."""
    found: list[str | None] = []
    label: str | None = None
    for cell in cells:
        match = _CELL.fullmatch(cell)
        if match is None or not (match[2] or (match[1] and match[3])):
            return None
        if match[1]:
            if label is not None:
                return None
            label = match[1]
            found.append(f"B-{label}")
        else:
            found.append(label and f"I-{label}")
        if match[3]:
            if label is None:
                return None
            label = None
    return found if label is None else None


def column(words: Sequence[str | None]) -> list[str]:
    """The cells of the tags; `O` is no tag. Raises `ValueError` for tags of another kind."""
    cells: list[str] = []
    label: str | None = None
    for tag in words:
        match = _TAG.fullmatch(tag) if tag is not None and tag != "O" else None
        if match is None and tag is not None and tag != "O":
            raise ValueError(f"the named entity's tag {tag!r} is neither B-X nor I-X")
        if match is not None and match[1] == "I" and match[2] == label:
            cells.append("*")
            continue
        if label is not None:
            cells[-1] = _closed(cells[-1])
        label = match and match[2]
        cells.append("*" if label is None else f"({label}*")
    if label is not None:
        cells[-1] = _closed(cells[-1])
    return cells


def _closed(cell: str) -> str:
    return cell[:-1] + ")" if cell != "*" else "*)"
