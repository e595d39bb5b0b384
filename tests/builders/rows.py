"""Tables of cases as text."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

_VALUES = {"yes": True, "no": False, "-": None, "''": ""}


def rows(table: str) -> list[list[Any]]:
    """The rows of a table, without its comments (#).

    Two blanks part the cells of a row. A row goes on in lines that stand further in, and a cell
    behind the semicolon that ends its line.
    """
    whole = re.sub(r"\n\s+", "  ", re.sub(r";\n\s+", "; ", dedent(table).strip()))
    lines = (line for line in whole.splitlines() if not line.startswith("#"))
    return [[_VALUES.get(cell, cell) for cell in re.split(r"\s{2,}", line)] for line in lines]
