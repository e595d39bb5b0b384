"""One document of CoNLL-2012 while it is read; the rules stand in conll2012.py."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import repeat
from pathlib import Path
from typing import Any

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import blanks, brackets, stars
from corefmill.corpora.formats.brackets import BracketError
from corefmill.corpora.formats.conll_table import (
    HIDDEN,
    MARKS,
    VALUES,
    WIDTH,
    Marks,
    begin_line,
    name_of,
    names,
)
from corefmill.corpora.records import Document, Mention, Sentence, Token

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


class Tokens(dict[tuple[str, str | None, str | None, str | None], Token]):
    """Tokens by form, part of speech, lemma and entity; equal ones are one object."""

    def __missing__(self, key: tuple[str, str | None, str | None, str | None]) -> Token:
        form, xpos, lemma, ner = key
        token = self[key] = Token(form, lemma=lemma, xpos=xpos, ner=ner)
        return token


class Reader:
    """One document while it is read; `meta` is that of rule 6."""

    def __init__(self, path: Path, line: int, begin: str, tokens: Tokens) -> None:
        self.path, self.line, self.tokens = path, line, tokens
        self.name, self.part = name_of(begin)
        self.meta: dict[str, Any] = {}
        if begin != begin_line(self.name, self.part):
            self.meta["begin"] = begin
        self.marks = Marks(self.name, self.part, {})
        self.sentences: list[Sentence] = []
        self.clusters: dict[str, list[Mention]] = {}
        self.none_known = False

    def is_comment(self, line: str) -> bool:
        """Of a line that begins with #; see rule 2."""
        cells = line.split("\t" if "\t" in line else None)
        second_of_two = len(cells) == 2 and (cells[1] in MARKS or cells[1].strip("()") != cells[1])
        return cells[0] != self.name and not second_of_two

    def comment(self, line: str) -> None:
        self.meta.setdefault("comments", []).append([len(self.sentences), line])

    def sentence(self, rows: list[str], numbers: list[int]) -> None:
        """Takes the lines of a sentence; `numbers` are theirs in the file."""
        extra: dict[str, Any] = {}
        columns, last = self._columns(rows, numbers, extra)
        size, width = len(rows), len(columns) + 1
        self._learn_marks(columns, last, width)
        if width != self.meta.get("width", WIDTH):
            extra["width"] = width
        speaker = None
        for name, cells in columns.items():
            if name in ("form", "xpos", "lemma"):
                continue
            if name == "speaker" and cells.count(cells[0]) == size:
                speaker = None if cells[0] == self.marks.blank else cells[0]
            elif cells != self.marks.usual(name, size):
                extra[name] = cells
        forms = columns["form"]
        if forms[0] == HIDDEN and forms.count(HIDDEN) == size:
            raise DataError(
                "the words are hidden behind [WORD]: a skeleton file of OntoNotes",
                path=self.path,
                line=numbers[0],
                remedy="make *_conll of *_skel by skeleton2conll, with the words of the OntoNotes "
                "release that the LDC licenses (LDC2013T19)",
            )
        values = (
            forms,
            self._values(columns.get("xpos")),
            self._values(columns.get("lemma")),
            self._entities(extra),
        )
        tokens = map(self.tokens.__getitem__, zip(*values, strict=False))
        number = len(self.sentences)
        self.sentences.append(Sentence(tuple(tokens), speaker))
        if last.count(self.marks.none) < size:
            self._mentions(last, number, numbers, extra)
        if extra:
            for name in columns.keys() & extra.keys():  # order: all stand in `extra` as it is
                extra[name] = "\t".join(extra[name])
            self.meta.setdefault("sentences", {})[str(number)] = extra

    def _columns(
        self, rows: list[str], numbers: list[int], extra: dict[str, Any]
    ) -> tuple[dict[str, list[str]], list[str]]:
        """The columns by name, and the last."""
        if "\t" in rows[0]:
            tabs = rows[0].count("\t")
            cells = "\t".join(rows).split("\t")
            last = cells[tabs :: tabs + 1]
            if all(row.count("\t") == tabs for row in rows) and not any(
                " " in cell for cell in last if cell != self.marks.none
            ):
                return {name: cells[j :: tabs + 1] for j, name in enumerate(names(tabs + 1))}, last
        mixed = "\t" in "".join(rows)
        table = [
            list(filter(None, (row.replace("\t", " ") if mixed else row).split(" ")))
            for row in rows
        ]
        width = len(table[0])
        if width < 2 or set(map(len, table)) != {width}:
            row = next((i for i, cells in enumerate(table) if len(cells) != width), 0)
            raise DataError(
                f"{len(table[row])} columns where the sentence begins with {width}"
                if row
                else "one column, where a form and brackets are due",
                path=self.path,
                line=numbers[row],
                remedy="columns are separated by tabs or by runs of blanks",
            )
        if not mixed:
            extra["layout"] = blanks.layout(rows, table)
        *columns, final = map(list, zip(*table, strict=True))
        return dict(zip(names(len(table[0])), columns, strict=True)), final

    def _learn_marks(self, columns: dict[str, list[str]], last: list[str], width: int) -> None:
        """Takes the marks of the first sentence for the document's; see rule 3."""
        marks, meta = self.marks, self.meta
        if not self.none_known:
            used = next((cell for cell in last if cell in MARKS), None)
            self.none_known = used is not None
            if used not in (None, "-"):
                marks.none = meta["none"] = used
        if self.sentences:
            return
        if width != WIDTH:
            meta["width"] = width
        first = {columns[name][0] for name in VALUES if name in columns}
        if "_" in first and "-" not in first:
            marks.blank = meta["blank"] = "_"
        if "ner" in columns and columns["ner"][0] in ("-", "_"):
            marks.star = meta["star"] = columns["ner"][0]

    def _values(self, cells: list[str] | None) -> Iterable[str | None]:
        blank = self.marks.blank
        if cells is None:
            return repeat(None)
        if blank in cells:
            return [None if cell == blank else cell for cell in cells]
        return cells

    def _entities(self, extra: dict[str, Any]) -> Iterable[str | None]:
        """The tags, where tags say all that the column does."""
        tags = stars.tags(extra["ner"]) if "ner" in extra else None
        if tags is None or stars.column(tags) != extra["ner"]:
            return repeat(None)
        del extra["ner"]
        return tags

    def _mentions(
        self, last: list[str], number: int, numbers: list[int], extra: dict[str, Any]
    ) -> None:
        none = self.marks.none
        try:
            mentions = brackets.parse(last, none)
        except BracketError as error:
            raise DataError(error.problem, path=self.path, line=numbers[error.start]) from None
        for name, start, end in mentions:
            self.clusters.setdefault(name, []).append(Mention(number, start, end))
        single = sum(start + 1 == end for _, start, end in mentions)
        if "|" not in "".join(last) and len(last) - last.count(none) == 2 * len(mentions) - single:
            return  # a bracket a cell can be written in one way only
        try:
            usual = brackets.make(mentions, len(last), none)
        except BracketError:
            return  # a span that is named twice; the writer refuses it
        if usual != last:
            extra["brackets"] = {
                str(index): cell
                for index, (cell, other) in enumerate(zip(last, usual, strict=True))
                if cell != other
            }

    def document(self, lang: str) -> Document:
        ids = [int(name) if _NUMBER.fullmatch(name) else name for name in self.clusters]
        if ids != list(range(len(ids))):
            self.meta["ids"] = ids
        return Document(
            doc_id=self.name,
            part=self.part,
            lang=lang,
            sentences=tuple(self.sentences),
            clusters=tuple(
                tuple(sorted(mentions, key=lambda m: (m.sentence, m.start, m.end)))
                for mentions in self.clusters.values()
            ),
            meta={"conll": self.meta} if self.meta else {},
        )
