"""The coreference column of CoNLL files, read as the reference scorer reads it, duplicates and all.

1. `#begin document (NAME); part 000` opens a document, `#end document` closes it. The part may be
   written `0`, or be missing. A name that opens twice is an error: the reference scorer takes the
   last in silence.
2. Other lines are tokens: all columns of CoNLL-2012, or two (`NAME<TAB>(12)`). Empty lines do not
   count, nor do comments: lines that begin with `#` and hold no tab.
3. The column is the last one. Columns are separated by tabs where the line has one, else by
   blanks. `-`, `_`, `*` and nothing at all are tokens without a bracket. Where nothing stands after
   the last tab, brackets before it are read: `word<TAB>(3)<TAB>`.
4. `(3`, `3)` and `(3)` open, close, and do both; `|` may stand between them. `3)` closes the last
   `(3` that is open, so that two mentions of one entity that cross are read as nested.
5. Entities are in the order in which they open, and mentions in the order in which they close;
   within a cell, mentions of one token come first, then what opens, then what closes. The order
   decides which of two equal mentions is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from corpora import lines
from corpora.errors import DataError
from corpora.scoring.units import Text

BEGIN = re.compile(r"#\s*begin document (.*)")
_END = re.compile(r"#\s*end document")
_NAME = re.compile(r"\((.*)\)\s*;?(?:\s*part\s+(\d+))?\s*")
_BRACKETS = re.compile(r"\((\d+)\)|\((\d+)|(\d+)\)|\|")
_NONE = frozenset(("", "-", "_", "*"))
_BARE = ("\t-", " -", "\t_", "\t*", "_\t")
"""How most tokens without a bracket end; the others are looked at."""


def read(path: Path) -> Iterator[Text]:
    """Streams the documents of a file; raises `DataError` naming the line that breaks a rule."""
    document: _Document | None = None
    for number, line in lines.read(path):
        if document is not None and line.endswith(_BARE) and line[0] != "#":
            document.tokens += 1  # nine lines of ten
        elif not line or line.isspace():
            continue
        elif line[0] == "#" and (begin := BEGIN.match(line)):
            if document is not None:
                raise DataError(
                    f"a document opens within {document.name!r}",
                    path=path,
                    line=number,
                    remedy="an '#end document' is missing before it",
                )
            document = _Document(begin[1].strip(), path, number)
        elif line[0] == "#" and _END.match(line):
            if document is None:
                raise DataError("an '#end document' without its begin", path=path, line=number)
            yield document.closed()
            document = None
        elif line[0] == "#" and "\t" not in line:
            continue
        elif document is None:
            raise DataError(
                "a token outside of documents",
                path=path,
                line=number,
                remedy="documents open with '#begin document (NAME); part 000'",
            )
        else:
            document.token(line, number)
    if document is not None:
        raise DataError(
            f"document {document.name!r} does not end",
            path=path,
            line=document.line,
            remedy="the file may be cut off; documents close with '#end document'",
        )


class _Document:
    """A document that is being read."""

    def __init__(self, said: str, path: Path, line: int) -> None:
        match = _NAME.fullmatch(said)
        self.name = match[1] if match else said
        self.part = int(match[2] or 0) if match else 0
        self.path, self.line = path, line
        self.tokens = 0
        self._clusters: dict[str, list[tuple[int, int]]] = {}
        self._open: dict[str, list[tuple[int, int]]] = {}  # (token, line) of each, last opened last

    def token(self, line: str, number: int) -> None:
        here = self.tokens
        self.tokens += 1
        cell = line.rstrip().rpartition("\t")[2] if "\t" in line else line.rsplit(None, 1)[-1]
        if cell in _NONE:
            return
        found = list(_BRACKETS.finditer(cell))
        if sum(len(match[0]) for match in found) != len(cell):
            if line.endswith("\t"):  # another column's, the last one being empty
                return
            raise DataError(
                f"the last column holds {cell[:40]!r}, which is no coreference",
                path=self.path,
                line=number,
                remedy="such as -, (3, 3) or (3)|(4",
            )
        for match in found:
            if entity := match[1]:
                self._clusters.setdefault(entity, []).append((here, here + 1))
        for match in found:
            if entity := match[2]:
                self._clusters.setdefault(entity, [])
                self._open.setdefault(entity, []).append((here, number))
        for match in found:
            if entity := match[3]:
                if not self._open.get(entity):
                    raise DataError(
                        f"{entity}) closes a mention that is not open",
                        path=self.path,
                        line=number,
                    )
                start, _ = self._open[entity].pop()
                self._clusters[entity].append((start, here + 1))

    def closed(self) -> Text:
        for entity, unclosed in self._open.items():
            if unclosed:
                raise DataError(
                    f"({entity} opens a mention that does not close before its document ends",
                    path=self.path,
                    line=unclosed[-1][1],
                )
        return Text(self.name, self.part, self.tokens, [list(c) for c in self._clusters.values()])
