"""Tables for a terminal, in columns of plain text, and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """The rows below a head; the last `numbers` columns are set to the right."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    left = len(head) - numbers
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """The same rows as a table of Markdown."""
    left = len(head) - numbers
    rule = ["---" if column < left else "---:" for column in range(len(head))]
    return "\n".join(
        f"| {' | '.join(cell.strip().replace('|', '&#124;') for cell in line)} |"
        for line in (head, rule, *rows)
    )
