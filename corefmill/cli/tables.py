"""Tables as the commands print them: in columns of plain text, and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from corefmill.corpora import tables


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """The rows below a head; the last `numbers` columns are set to the right."""
    return "\n".join(tables.columns(head, rows, numbers))


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """The same rows as a table of Markdown."""
    return "\n".join(tables.table(head, [[cell.strip() for cell in row] for row in rows], numbers))
