"""Finds the documents of an ECB+ folder, and reads which of their sentences were validated."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from corefmill.corpora import disk, lines
from corefmill.corpora.errors import DataError

NUMBER = re.compile(r"\d{1,18}")
"""Of a sentence."""
VALIDATED = "ECBplus_coreference_sentences.csv"
FILE = re.compile(r"(\d{1,6})_(\d{1,6})(ecb|ecbplus)\.xml")

_DEEPEST = 3
"""Names from the folder that is given to a document: ECB+/1/1_1ecb.xml."""
_HEADER = ["Topic", "File", "Sentence Number"]

Sentences = set[tuple[str, int]]
"""Validated sentences: the document's name without `.xml`, and the sentence's number."""


def files(path: Path) -> list[Path]:
    """The folder's documents in order (rule 1), or the one document."""
    if path.is_file():
        found = [path]
    else:
        found = [
            file
            for file in disk.below(path, (".xml",))
            if not file.name.startswith(".") and len(file.relative_to(path).parts) <= _DEEPEST
        ]
    order: dict[tuple[int, str, int], Path] = {}
    for file in found:
        match = FILE.fullmatch(file.name)
        if match is None:
            raise DataError("not named TOPIC_NUMBERecb.xml or TOPIC_NUMBERecbplus.xml", path=file)
        key = int(match[1]), match[3], int(match[2])
        if key in order:
            raise DataError(f"the same document as {order[key]}", path=file)
        order[key] = file
    if not order:
        raise DataError("no documents of ECB+ here", path=path)
    return [order[key] for key in sorted(order)]


def validated(path: Path) -> Sentences:
    """The table of rule 6."""
    for folder in (path, *path.absolute().parents[:3]):
        table = folder / VALIDATED
        if table.is_file():
            break
    else:
        raise DataError(
            f"no {VALIDATED} here",
            path=path,
            remedy="it comes with the corpus; --from ecbplus-all reads all sentences without it",
        )
    made: Sentences = set()
    for number, line in lines.read(table):
        try:
            row = [cell.strip() for cell in next(csv.reader([line]), [])]
        except csv.Error as error:  # a field of more than 128 KiB
            raise DataError(f"not CSV: {error}", path=table, line=number) from None
        if number == 1 and row == _HEADER:
            continue
        if number == 1 or len(row) != 3 or not NUMBER.fullmatch(row[2]):
            raise DataError(f"not {', '.join(_HEADER)}: {line[:60]!r}", path=table, line=number)
        made.add((f"{row[0]}_{row[1]}", int(row[2])))
    if not made:
        raise DataError("an empty table of sentences", path=table)
    return made
