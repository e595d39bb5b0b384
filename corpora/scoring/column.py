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
from collections.abc import Hashable, Iterator
from functools import lru_cache
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.brackets import BEGIN, EMPTY, END, name_of
from corefmill.corpora.scoring.units import ScoredDocument

_BRACKET = re.compile(r"\(([0-9]+)\)|\(([0-9]+)|([0-9]+)\)|\|")
_BARE = ("\t-", " -", "\t_", "\t*", "_\t")
"""How tokens without a bracket end, mostly; what does not end so is looked at."""

_BLOCK = 4 * 1024 * 1024
"""Bytes that are read at a time."""


def read(path: Path) -> Iterator[ScoredDocument]:
    """Streams the documents of a file; raises `DataError` naming the line that breaks a rule."""
    document: _Document | None = None
    for number, bare, line in _lines(path):
        if document is not None:
            document.tokens += bare
        elif bare:
            raise _outside(path, number - bare)
        if not line or line.isspace():
            continue
        if line[0] == "#" and (begin := BEGIN.match(line)):
            if document is not None:
                raise DataError(
                    f"a document opens within {document.name!r}",
                    path=path,
                    line=number,
                    remedy="an '#end document' is missing before it",
                )
            document = _Document(begin[1], path, number)
        elif line[0] == "#" and END.match(line):
            if document is None:
                raise DataError("an '#end document' without its begin", path=path, line=number)
            yield document.closed()
            document = None
        elif line[0] == "#" and "\t" not in line:
            continue
        elif document is None:
            raise _outside(path, number)
        else:
            document.token(line, number)
    if document is not None:
        raise DataError(
            f"document {document.name!r} does not end",
            path=path,
            line=document.line,
            remedy="the file may be cut off; documents close with '#end document'",
        )


def _outside(path: Path, number: int) -> DataError:
    return DataError(
        "a token outside of documents",
        path=path,
        line=number,
        remedy="documents open with '#begin document (NAME); part 000'",
    )


def _lines(path: Path) -> Iterator[tuple[int, int, str]]:
    """The lines that are not bare: (number from 1, bare lines just before, line), and an empty end.

    Nine lines of ten are bare tokens, which are counted without a look at each.
    """
    before = bare = 0
    for block in _blocks(path):
        last = -1
        for index in [
            index
            for index, line in enumerate(block)
            if not line.endswith(_BARE) or line.startswith("#")
        ]:
            yield before + index + 1, bare + index - last - 1, block[index]
            bare, last = 0, index
        bare += len(block) - last - 1
        before += len(block)
    yield before + 1, bare, ""


def _blocks(path: Path) -> Iterator[list[str]]:
    """The file's lines, many at a time. `corpora/lines.py` says what is wrong, if anything."""
    try:
        with path.open("rb") as file:
            rest, start = b"", True
            while chunk := file.read(_BLOCK):
                whole, end, rest = (rest + chunk).rpartition(b"\n")
                if len(rest) > lines.LONGEST:
                    break
                if end:
                    yield _split(whole, start)
                    start = False
            else:
                if rest:
                    yield _split(rest, start)
                return
    except (OSError, ValueError):
        pass
    for _ in lines.read(path, lines.LONGEST):
        pass
    raise DataError("changed while it was read", path=path)


def _split(block: bytes, start: bool) -> list[str]:
    """Raises `ValueError` for what is no text."""
    if b"\x00" in block:
        raise ValueError
    text = block.decode("utf-8-sig" if start else "utf-8")
    if "\r" in text:
        return [line.removesuffix("\r") for line in text.split("\n")]
    return text.split("\n")


@lru_cache(maxsize=1 << 16)
def _brackets(cell: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    """Entities of one token, that open, that close; None where there is something else in it."""
    found = _BRACKET.findall(cell)
    if _BRACKET.sub("", cell):
        return None
    alone, opening, closing = (tuple(filter(None, part)) for part in zip(*found, strict=True))
    return alone, opening, closing


class _Document:
    """A document that is being read."""

    def __init__(self, said: str, path: Path, line: int) -> None:
        self.name, self.part = name_of(said)
        self.path, self.line = path, line
        self.tokens = 0
        self._clusters: dict[str, list[Hashable]] = {}
        self._open: dict[str, list[tuple[int, int]]] = {}  # (token, line) of each, last opened last

    def token(self, line: str, number: int) -> None:
        """Counts a token, with the brackets that it may have."""
        here = self.tokens
        self.tokens += 1
        cell = line.rstrip().rpartition("\t")[2] if "\t" in line else line.rsplit(None, 1)[-1]
        if cell in EMPTY:
            return
        found = _brackets(cell)
        if found is None:
            if line.endswith("\t"):  # another column's, the last one being empty
                return
            raise DataError(
                f"the last column holds {cell[:40]!r}, which is not coreference",
                path=self.path,
                line=number,
                remedy="such as -, (3, 3) or (3)|(4",
            )
        alone, opening, closing = found
        for entity in alone:
            self._clusters.setdefault(entity, []).append((here, here + 1))
        for entity in opening:
            self._clusters.setdefault(entity, [])
            self._open.setdefault(entity, []).append((here, number))
        for entity in closing:
            if not self._open.get(entity):
                raise DataError(
                    f"{entity}) closes a mention that is not open", path=self.path, line=number
                )
            start, _ = self._open[entity].pop()
            self._clusters[entity].append((start, here + 1))

    def closed(self) -> ScoredDocument:
        """What was read; raises `DataError` where a mention is still open."""
        for entity, unclosed in self._open.items():
            if unclosed:
                raise DataError(
                    f"({entity} opens a mention that does not close before its document ends",
                    path=self.path,
                    line=unclosed[-1][1],
                )
        return ScoredDocument(self.name, self.part, self.tokens, list(self._clusters.values()))
