"""The table of CoNLL-2012: its columns' names, its empty cells, and the line that opens it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # takes longer to import than a score of a small file takes
    from corefmill.corpora.records import Mention

BEGIN = re.compile(r"#\s*begin document\s*(.*)")
END = re.compile(r"#\s*end document")
EMPTY = frozenset(("-", "_", "*", ""))
"""What a cell without a value may hold."""
HIDDEN = "[WORD]"
"""The form of every word in OntoNotes as it is given to anyone."""
_NAME = re.compile(r"\((.*)\)\s*;?(?:\s*part\s+(-?\d{1,18}))?\s*;?\s*")
_SHORT = {2: ("form",), 3: ("number", "form"), 4: ("document", "number", "form")}
VALUES = ("xpos", "parse", "lemma", "frameset", "sense", "speaker")
"""The columns whose empty cell is a dash."""
COLUMNS = ("document", "part", "number", "form", *VALUES, "ner")
"""All columns but those of the predicates' arguments, `srl1`, `srl2` ..., and the last."""


def names(width: int) -> tuple[str, ...]:
    """The names of the columns of a table of that width, without the last."""
    if width in _SHORT:
        return _SHORT[width]
    return (COLUMNS + tuple(f"srl{n}" for n in range(1, width - len(COLUMNS))))[: width - 1]


def begin_line(document: str, part: int) -> str:
    """The line that opens a part of a document."""
    return f"#begin document ({document}); part {part:03d}"


def name_of(said: str) -> tuple[str, int]:
    """The document and its part of what stands behind `#begin document`."""
    found = _NAME.fullmatch(said)
    return (found[1], int(found[2] or 0)) if found else (said.strip(), 0)


def first_bracket(cluster: Iterable[Mention]) -> tuple[int, int, bool, int]:
    """Sorts clusters by their first bracket, in the order of rule 3 of brackets.py."""
    return min((m.sentence, m.start, m.end - m.start > 1, -m.end) for m in cluster)
