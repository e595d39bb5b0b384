"""Words of a text that comes without tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from corpora.records import Span

_WORD = re.compile(r"\w+|[^\w\s]")


def cut(text: str, borders: Iterable[int]) -> list[Span]:
    """Words and signs, cut at each of the `borders`, so that no mention splits one."""
    cuts = sorted({0, len(text), *borders})
    return [
        (match.start() + left, match.end() + left)
        for left, right in pairwise(cuts)
        for match in _WORD.finditer(text[left:right])
    ]
