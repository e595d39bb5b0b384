"""The table that a sentence of CoNLL-2012 is: its columns' names, its marks, the line above it."""

from __future__ import annotations

import re
from typing import Any

BEGIN = re.compile(r"#\s*begin document\s*(.*)")
END = re.compile(r"#\s*end document")
MARKS = ("-", "_", "*", "")
"""What a cell without a value may hold."""
WIDTH = 12
HIDDEN = "[WORD]"
"""The form of every word in OntoNotes as it is given to anyone."""
_NAME = re.compile(r"\((.*)\);?(?:\s*part\s+(-?\d{1,18}))?;?\s*")
_SHORT = {2: ("form",), 3: ("number", "form"), 4: ("document", "number", "form")}
VALUES = ("xpos", "parse", "lemma", "frameset", "sense", "speaker")
"""The columns whose empty mark is a dash."""
_COLUMNS = ("document", "part", "number", "form", *VALUES, "ner")


def names(width: int) -> tuple[str, ...]:
    """What the columns of a table of that width are called, but for the last."""
    if width in _SHORT:
        return _SHORT[width]
    return (_COLUMNS + tuple(f"srl{n}" for n in range(1, width - len(_COLUMNS))))[: width - 1]


def begin_line(document: str, part: int) -> str:
    """The line that opens a part of a document."""
    return f"#begin document ({document}); part {part:03d}"


def name_of(begin: str) -> tuple[str, int]:
    """The document and its part that a line opens."""
    rest = BEGIN.fullmatch(begin)
    found = _NAME.fullmatch(rest[1]) if rest else None
    if found is None:
        return rest[1].strip() if rest else "", 0
    return found[1], int(found[2] or 0)


class Marks:
    """What stands in empty cells, and so what the other cells of a column usually are."""

    def __init__(self, document: str, part: int, meta: dict[str, Any]) -> None:
        self.document, self.part = document, str(part)
        self.blank: str = meta.get("blank", "-")
        self.star: str = meta.get("star", "*")
        self.none: str = meta.get("none", "-")
        if not {self.blank, self.star, self.none} <= set(MARKS):
            raise ValueError(f"the marks of meta.conll are none of {MARKS}")

    def usual(self, name: str, size: int) -> list[str]:
        """The cells of a column that a `Document` does not model, as they mostly are."""
        if name == "document":
            return [self.document] * size
        if name == "part":
            return [self.part] * size
        if name == "number":
            return [str(number) for number in range(size)]
        return [self.star if name.startswith(("ner", "srl")) else self.blank] * size
