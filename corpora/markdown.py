"""The bits of Markdown that the data cards are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_MARKUP = re.compile(r"[\\`*_\[\]<>~]")
_BLANKS = re.compile(r"\s+")


def plain(text: str) -> str:
    """The text on one line, its signs no mark-up."""
    return _MARKUP.sub(r"\\\g<0>", _BLANKS.sub(" ", text))


def table(head: Sequence[str], rows: Iterable[Sequence[object]], numbers: int = 0) -> list[str]:
    """A table in Markdown, its last `numbers` columns set right; whole numbers get their commas."""

    def line(cells: Iterable[object]) -> str:
        return f"| {' | '.join(map(_cell, cells))} |"

    rule = "|" + "---|" * (len(head) - numbers) + "---:|" * numbers
    return [line(head), rule, *map(line, rows)]


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")
