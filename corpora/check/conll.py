"""Checks CoNLL files line by line: columns, documents and brackets, going on after each fault.

It is not the format's reader, which stops at the first fault: it takes any number of columns, the
last of which holds the brackets, and yields whatever mentions the brackets make.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.check.finding import Checked, Finding, shown
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import brackets
from corefmill.corpora.formats.conll_table import BEGIN, EMPTY, END, name_of
from corefmill.corpora.records import Document, Mention, Sentence, Token

_BETWEEN = re.compile(r"(?<=[^|(])(?=\()|(?<=\))(?=[^|)])")
"""Where brackets meet without the bar that may be missing: rule 1 of brackets.py."""


@dataclass
class _OpenDocument:
    """A document that is being read."""

    first: int
    name: str
    part: int
    sentences: list[Sentence] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    clusters: dict[str, list[Mention]] = field(default_factory=lambda: defaultdict(list))
    # Where each cluster's open brackets began: (sentence, token, line).
    opened: dict[str, list[tuple[int, int, int]]] = field(default_factory=lambda: defaultdict(list))
    # The line of every token, by sentence.
    rows: list[list[int]] = field(default_factory=lambda: [[]])
    columns: int | None = None

    def end_sentence(self) -> None:
        if self.tokens:
            self.sentences.append(Sentence(tuple(self.tokens)))
            self.rows.append([])
            self.tokens = []
        # OntoNotes has a column for each predicate of the sentence.
        self.columns = None


def conll(path: Path, lang: str) -> Checked:
    """Findings of the form, and each document with the mentions that its brackets make."""
    document: _OpenDocument | None = None
    number = 0
    for number, raw in lines.raw(path):
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace")
        line = line.rstrip("\r\n")
        if begin := BEGIN.fullmatch(line):
            if document:
                yield Finding("E208", path, number, f"{shown(document.name)} is not closed")
                yield from _closed(document, path, lang)
            document = _OpenDocument(number, *name_of(begin[1]))
        elif END.match(line):
            if document is None:
                yield Finding("E208", path, number, "a document ends that never began")
                continue
            yield from _closed(document, path, lang)
            document = None
        elif not line.strip():
            if document:
                document.end_sentence()
        elif line.startswith("#") and not _is_row(line, document):
            continue
        elif document is None:
            yield Finding("E208", path, number, "a row outside any document")
            document = _OpenDocument(number, "", 0)
            yield from _row(document, line, path, number)
        else:
            yield from _row(document, line, path, number)
    if document:
        yield Finding("E208", path, number, "the file ends within a document")
        yield from _closed(document, path, lang)


def _is_row(line: str, document: _OpenDocument | None) -> bool:
    """Whether a line that begins with # is a row all the same: its document's name does too."""
    return document is not None and document.name != "" and line.startswith(document.name)


def _row(document: _OpenDocument, line: str, path: Path, number: int) -> Checked:
    try:
        lines.check_row(line, path, number)
    except DataError as error:
        yield Finding("E207", path, number, error.message)
        return
    # LitBank's empty brackets column leaves a tab at the end, which split() alone would lose.
    cells = line.split("\t") if "\t" in line else line.split()
    if document.columns is None:
        document.columns = len(cells)
    elif len(cells) != document.columns:
        yield Finding(
            "E207", path, number, f"{len(cells)} columns, where its sentence has {document.columns}"
        )
    form = cells[3] if len(cells) > 4 else cells[0]
    tag = cells[4] if len(cells) > 5 and cells[4] not in EMPTY else None
    place = (len(document.sentences), len(document.tokens))
    document.tokens.append(Token(form, xpos=tag))
    document.rows[-1].append(number)
    last = cells[-1].strip()
    if last in EMPTY:
        return
    for piece in _BETWEEN.sub("|", last).split("|"):
        try:
            whole, opens, closes = brackets.pieces(piece)
            (cluster,) = whole + opens + closes
        except ValueError:
            yield Finding("E209", path, number, f"{shown(piece)} in the coreference column")
            continue
        if opens:
            document.opened[cluster].append((*place, number))
            continue
        sentence, start = place
        if closes:
            if not document.opened[cluster]:
                yield Finding("E205", path, number, f"{shown(piece)} closes nothing")
                continue
            sentence, start, _ = document.opened[cluster].pop()
        if sentence != place[0]:
            yield Finding("E206", path, number, f"{shown(piece)} closes over the end of a sentence")
            continue
        document.clusters[cluster].append(Mention(sentence, start, place[1] + 1))


def _closed(document: _OpenDocument, path: Path, lang: str) -> Checked:
    document.end_sentence()
    for cluster, places in document.opened.items():
        for _, _, number in places:
            yield Finding("E206", path, number, f"{shown(f'({cluster}')} is never closed")
    yield (
        document.first,
        Document(
            doc_id=document.name,
            part=document.part,
            lang=lang,
            sentences=tuple(document.sentences),
            clusters=tuple(map(tuple, document.clusters.values())),
            meta={"clusters": list(document.clusters), "rows": document.rows},
        ),
    )
