"""What a line of CorefUD's CoNLL-U is: a comment that says something, a row, or a wrong row."""

from __future__ import annotations

import re

NEWDOC = re.compile(r"#\s*newdoc(?:\s+id)?\s*(?:=\s*(.*?)\s*)?")
EXACT = re.compile(r"# (newdoc id|part|global\.Entity|speaker) = (.*)", re.DOTALL)
LOOSE = re.compile(r"#\s*(global\.Entity|speaker)\s*=\s*(.*?)\s*")

_FIRST = re.compile(r"(?m)^1(-\d+)?\t[^\t\n]*\t[^\t\n]*(\t[^\t\n]*){7}$")


class RowError(ValueError):
    """What is wrong with a row, and which of the rows it is (from 0)."""

    def __init__(self, problem: str, row: int) -> None:
        self.row = row
        super().__init__(problem)


def suits(name: str, head: str) -> bool:
    """Whether a file that begins so is CoNLL-U: a sentence's first row stands in it."""
    return _FIRST.search(head) is not None
