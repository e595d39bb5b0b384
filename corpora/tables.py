"""Tables and other text of data cards and of the commands' output: Markdown, and plain columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from corefmill.corpora.printable import one_line

_MARKUP = re.compile(r"[\\`*_\[\]<>~]")
_BLANKS = re.compile(r"\s+")


def plain(text: str) -> str:
    """The text on one line of Markdown, none of its characters taken for mark-up."""
    return _MARKUP.sub(r"\\\g<0>", _BLANKS.sub(" ", text))


def yaml(said: Mapping[str, object]) -> list[str]:
    """A line of YAML for each key, its value in JSON, which YAML is too: no bare `no` is false."""
    return [
        one_line(f"{key}: {json.dumps(value, ensure_ascii=False)}") for key, value in said.items()
    ]


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], numbers: int | None = None
) -> list[str]:
    """The lines of a table in Markdown; whole numbers get their commas.

    The last `numbers` columns are set to the right; None leaves all to the reader's program.
    """

    def line(cells: Iterable[object]) -> str:
        return f"| {' | '.join(map(_cell, cells))} |"

    rule = "|" + "---|" * len(head)
    if numbers is not None:
        rule = line(["---"] * (len(head) - numbers) + ["---:"] * numbers)
    return [line(head), rule, *map(line, rows)]


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> list[str]:
    """The lines of a table for a terminal; the last `numbers` columns are set to the right."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    left = len(head) - numbers
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")
