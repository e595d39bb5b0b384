"""A document as lines of CoNLL-2012; the rules stand in conll2012.py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from corefmill.corpora.formats import brackets, stars
from corefmill.corpora.formats.brackets import Named
from corefmill.corpora.formats.conll_table import (
    BEGIN,
    COLUMNS,
    END,
    HIDDEN,
    begin_line,
    first_bracket,
    name_of,
)
from corefmill.corpora.records import Document, Sentence

_ID = re.compile(r"[^()| \t\n\0]+")


def lines(document: Document) -> Iterator[str]:
    """Raises `ValueError` for what a reader would not take for the same."""
    for line in _lines(document):
        if line.endswith("\r"):
            raise ValueError("a line would end in a carriage return, which is its end's")
        yield line


def _lines(document: Document) -> Iterator[str]:
    meta: dict[str, Any] = document.meta.get("conll", {})
    begin = begin_line(document.doc_id, document.part)
    said = BEGIN.fullmatch(begin)
    if "\0" in begin or not said or name_of(said[1]) != (document.doc_id, document.part):
        raise ValueError("its name cannot stand in a line")
    comments: dict[int, list[str]] = {}
    for place, comment in meta.get("comments", []):
        if (
            not comment.startswith("#")
            or "\n" in comment
            or BEGIN.match(comment)
            or END.match(comment)
        ):
            raise ValueError("meta.conll has a comment that does not begin with #")
        comments.setdefault(place, []).append(comment)
    mentions = _numbered(document, meta.get("ids", []))
    order = {str(name): index for index, name in enumerate(meta.get("ids", []))}
    yield from comments.get(-1, [])
    yield begin
    for number, sentence in enumerate(document.sentences):
        yield from comments.get(number, [])
        kept = meta.get("sentences", {}).get(str(number), {})
        try:
            columns = _columns(document, sentence, kept)
            cells = brackets.make(mentions.get(number, []), len(sentence.tokens))
            if meta.get("unsorted"):  # in whatever order, they are the same mentions
                cells = [_sorted(cell, order) for cell in cells]
            columns.append(cells)
            yield from _rows(columns)
        except ValueError as error:
            raise ValueError(f"sentence {number + 1}: {error}") from None
        yield ""
    yield from comments.get(len(document.sentences), [])
    yield "#end document"


def _sorted(cell: str, order: dict[str, int]) -> str:
    return "|".join(sorted(cell.split("|"), key=lambda piece: order.get(piece.strip("()"), -1)))


def _numbered(document: Document, ids: Sequence[Any]) -> dict[int, list[Named]]:
    """The mentions of each sentence with their clusters' names."""
    for cluster in document.clusters:
        if not cluster:
            raise ValueError("a cluster has no mention")
        if any(mention.zero or mention.parts for mention in cluster):
            raise ValueError("a mention is zero or discontinuous")
    clusters = document.clusters
    numbers = [str(name) for name in ids]
    if not len(numbers) == len(set(numbers)) == len(clusters) or not all(
        map(_ID.fullmatch, numbers)
    ):
        clusters = tuple(sorted(clusters, key=first_bracket))
        numbers = [str(number) for number in range(len(clusters))]
    found: dict[int, list[Named]] = {}
    for name, cluster in zip(numbers, clusters, strict=True):
        for mention in cluster:
            found.setdefault(mention.sentence, []).append((name, mention.start, mention.end))
    return found


def _columns(document: Document, sentence: Sentence, kept: dict[str, str]) -> list[list[str]]:
    """The columns of a sentence but the last; `kept` are those that were read and have no field."""
    tokens = sentence.tokens
    size = len(tokens)
    if not size:
        raise ValueError("it has no words")
    if all(token.form == HIDDEN for token in tokens):
        raise ValueError(f"its words are {HIDDEN}, as in a skeleton file")

    def valued(values: list[str | None]) -> list[str]:
        return ["-" if value is None else value for value in values]

    columns = {
        **{name: ["-"] * size for name in COLUMNS},
        "document": [document.doc_id] * size,
        "part": [str(document.part)] * size,
        "number": [str(number) for number in range(size)],
        "form": [token.form for token in tokens],
        "xpos": valued([token.xpos for token in tokens]),
        "lemma": valued([token.lemma for token in tokens]),
        "speaker": valued([sentence.speaker] * size),
        "ner": stars.column([token.ner for token in tokens]),
    }
    predicates = [int(name[3:]) for name in kept if name.startswith("srl")]
    for number in range(1, max(predicates, default=0) + 1):
        columns[f"srl{number}"] = ["*"] * size
    for name in columns.keys() & kept.keys() - {"form"}:  # order: each has its own place
        columns[name] = kept[name].split("\t")
    return list(columns.values())


def _rows(columns: list[list[str]]) -> list[str]:
    """The lines of a sentence's table."""
    rows = ["\t".join(cells) for cells in zip(*columns, strict=True)]
    text = "".join(rows)
    if any(row.count("\t") != len(columns) - 1 for row in rows) or "\n" in text or "\0" in text:
        raise ValueError("a value holds white space that would split it, or nothing")
    if any(not row.strip() or BEGIN.match(row) or END.match(row) for row in rows):
        raise ValueError("a line would not be taken for a word")
    return rows
