"""Reads one document of CoNLL-2012; the rules stand in conll2012.py, which cuts the file."""

from __future__ import annotations

import re
from itertools import repeat
from pathlib import Path
from typing import Any

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import brackets, stars
from corefmill.corpora.formats.brackets import BracketError
from corefmill.corpora.formats.conll_table import EMPTY, HIDDEN, VALUES, first_bracket, names
from corefmill.corpora.records import Document, Mention, Sentence, Token

_INTEGER = re.compile(r"0|[1-9][0-9]{0,17}")
Cells = list[str]


class TokenPool(dict[tuple[str, str | None, str | None, str | None], Token]):
    """Tokens by form, part of speech, lemma and entity; equal ones are one object."""

    def __missing__(self, key: tuple[str, str | None, str | None, str | None]) -> Token:
        form, xpos, lemma, ner = key
        token = self[key] = Token(form, lemma=lemma, xpos=xpos, ner=ner)
        return token


class DocumentReader:
    """Takes the lines of one document in turn; `row` and `other_line` raise `DataError`."""

    def __init__(self, path: Path, line: int, name: tuple[str, int], tokens: TokenPool) -> None:
        self.path, self.line, self.tokens = path, line, tokens
        self.name, self.part = name
        self.comments: list[list[Any]] = []
        self._blank = "-"
        self._rows: list[str] = []
        self._lines: list[int] = []  # where in the file each row stands
        self._sentences: list[Sentence] = []
        self._columns_kept: dict[str, dict[str, str]] = {}
        self._clusters: dict[str, list[Mention]] = {}

    def row(self, line: str, number: int) -> None:
        """Takes a line of a sentence's table."""
        self._rows.append(line)
        self._lines.append(number)

    def other_line(self, line: str, number: int) -> None:
        """Takes a line that is empty, begins with a blank, or with # (see rule 2)."""
        if not line.strip(" \t"):
            self._end_sentence()
        elif line[0] == "#" and self._is_comment(line):
            self.comments.append([len(self._sentences), line])
        else:
            self.row(line, number)

    def document(self, lang: str) -> Document:
        """The document after its last line."""
        self._end_sentence()
        for mentions in self._clusters.values():
            mentions.sort(key=lambda m: (m.sentence, m.start, m.end))
        clusters = tuple(map(tuple, self._clusters.values()))
        ids = [int(name) if _INTEGER.fullmatch(name) else name for name in self._clusters]
        unsorted = list(clusters) != sorted(clusters, key=first_bracket)
        kept = {
            "ids": ids if unsorted or ids != list(range(len(ids))) else None,
            "unsorted": unsorted,
            "comments": self.comments,
            "sentences": self._columns_kept,
        }
        meta = {key: value for key, value in kept.items() if value}
        return Document(
            doc_id=self.name,
            part=self.part,
            lang=lang,
            sentences=tuple(self._sentences),
            clusters=clusters,
            meta={"conll": meta} if meta else {},
        )

    def _is_comment(self, line: str) -> bool:
        cells = line.split("\t" if "\t" in line else None)
        brackets_alone = len(cells) == 2 and (cells[1] in EMPTY or cells[1].strip("()") != cells[1])
        return cells[0] != self.name and not brackets_alone

    def _end_sentence(self) -> None:
        if not self._rows:
            return
        columns, last = self._columns()
        forms = columns["form"]
        if forms[0] == HIDDEN and forms.count(HIDDEN) == len(forms):
            raise DataError(
                "the words are hidden behind [WORD]: a skeleton file of OntoNotes",
                path=self.path,
                line=self._lines[0],
                remedy="make *_conll of *_skel by skeleton2conll, with the words of the OntoNotes "
                "release that the LDC licenses (LDC2013T19)",
            )
        if not self._sentences:
            first = {columns[name][0] for name in VALUES if name in columns}
            self._blank = "_" if "_" in first and "-" not in first else "-"
        # What a sentence and its tokens have a field for, and the columns that are left.
        speaker, tags = None, None
        kept: dict[str, str] = {}
        for name, cells in columns.items():
            if name in ("form", "xpos", "lemma") or self._says_nothing(name, cells):
                continue
            if name == "speaker" and cells.count(cells[0]) == len(cells):
                speaker = cells[0]
            elif name == "ner" and (tags := _tags(cells)):
                continue
            else:
                kept[name] = "\t".join(cells)
        values = (forms, self._values(columns, "xpos"), self._values(columns, "lemma"))
        tokens = map(self.tokens.__getitem__, zip(*values, tags or repeat(None), strict=False))
        self._mentions(last)
        if kept:
            self._columns_kept[str(len(self._sentences))] = kept
        self._sentences.append(Sentence(tuple(tokens), speaker))
        self._rows, self._lines = [], []

    def _columns(self) -> tuple[dict[str, Cells], Cells]:
        """The columns by name, and the last."""
        rows = self._rows
        # A table between tabs alone, as most are, is cut at once.
        if "\t" in rows[0]:
            width = rows[0].count("\t") + 1
            cells = "\t".join(rows).split("\t")
            last = cells[width - 1 :: width]
            if all(row.count("\t") == width - 1 for row in rows) and " " not in "".join(last):
                return {name: cells[j::width] for j, name in enumerate(names(width))}, last
        table = [list(filter(None, row.replace("\t", " ").split(" "))) for row in rows]
        width = len(table[0])
        if width < 2 or set(map(len, table)) != {width}:
            wrong = next((i for i, cells in enumerate(table) if len(cells) != width), 0)
            raise DataError(
                f"{len(table[wrong])} columns where the sentence begins with {width}"
                if wrong
                else "one column, where a form and brackets were expected",
                path=self.path,
                line=self._lines[wrong],
                remedy="columns are separated by tabs or by runs of blanks",
            )
        *columns, last = map(list, zip(*table, strict=True))
        return dict(zip(names(width), columns, strict=True)), last

    def _says_nothing(self, name: str, cells: Cells) -> bool:
        """Whether the column is what the writer makes where a document has none."""
        if name == "number":
            return cells == list(map(str, range(len(cells))))
        if name.startswith(("ner", "srl")):
            return EMPTY.issuperset(cells)
        usual = {"document": self.name, "part": str(self.part)}.get(name, self._blank)
        return cells.count(usual) == len(cells)

    def _values(self, columns: dict[str, Cells], name: str) -> Any:
        cells = columns.get(name)
        if cells is None:
            return repeat(None)
        blank = self._blank
        return [None if cell == blank else cell for cell in cells] if blank in cells else cells

    def _mentions(self, last: Cells) -> None:
        number = len(self._sentences)
        try:
            for name, start, end in brackets.parse(last):
                self._clusters.setdefault(name, []).append(Mention(number, start, end))
        except BracketError as error:
            raise DataError(
                f"document {self.name or 'without a name'}: {error.problem}",
                path=self.path,
                line=self._lines[error.start],
                remedy="corefmill check lists all brackets that do not match; mend or delete them",
            ) from None


def _tags(cells: Cells) -> list[str | None] | None:
    """The entities as tags, where tags say all that the column does."""
    tags = stars.tags(cells)
    return tags if tags is not None and stars.column(tags) == cells else None
