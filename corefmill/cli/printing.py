"""What commands print: tables for a terminal or in Markdown, JSON for scripts, progress bars."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from corefmill.corpora import tables

T = TypeVar("T")


def print_json(value: Any) -> None:
    """One line of JSON, its letters as they are."""
    print(json.dumps(value, ensure_ascii=False))


def progress(items: Iterable[T], unit: str = "records", *, silent: bool = False) -> Iterable[T]:
    """The items, with a bar on a terminal if they take longer than two seconds."""
    from tqdm import tqdm

    bar = True if silent else None
    yield from tqdm(items, unit=f" {unit}", delay=2, disable=bar, leave=False)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """The rows below a head; the last `numbers` columns are set to the right."""
    return "\n".join(tables.columns(head, rows, numbers))


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """The same rows as a table of Markdown."""
    return "\n".join(tables.table(head, [[cell.strip() for cell in row] for row in rows], numbers))
