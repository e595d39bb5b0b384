"""A document as lines of CoNLL-2012; the rules stand in conll2012.py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from corefmill.corpora.formats import blanks, brackets, stars
from corefmill.corpora.formats.brackets import Named
from corefmill.corpora.formats.conll_table import (
    BEGIN,
    END,
    HIDDEN,
    WIDTH,
    Marks,
    begin_line,
    name_of,
    names,
)
from corefmill.corpora.records import Document, Mention, Sentence

_ID = re.compile(r"[^()| \t\n\0]+")


def lines(document: Document) -> Iterator[str]:
    """Raises `ValueError` for what a reader would not take for the same."""
    for line in _lines(document):
        if line.endswith("\r"):
            raise ValueError("a line would end in a carriage return, which is its end's")
        yield line


def _lines(document: Document) -> Iterator[str]:
    meta: dict[str, Any] = document.meta.get("conll", {})
    name = (document.doc_id, document.part)
    begin = meta.get("begin", "")
    if not BEGIN.fullmatch(begin) or name_of(begin) != name:
        begin = begin_line(*name)
    if "\n" in begin or "\0" in begin or name_of(begin) != name:
        raise ValueError("its name cannot stand in a line")
    comments: dict[int, list[str]] = {}
    for place, comment in meta.get("comments", []):
        comments.setdefault(place, []).append(_commented(comment))
    marks = Marks(document.doc_id, document.part, meta)
    mentions = _numbered(document, meta.get("ids", []))
    yield from map(_commented, meta.get("before", []))
    yield begin
    for number, sentence in enumerate(document.sentences):
        yield from comments.get(number, [])
        extra = meta.get("sentences", {}).get(str(number), {})
        try:
            yield from _rows(sentence, mentions.get(number, []), marks, extra, meta)
        except ValueError as error:
            raise ValueError(f"sentence {number + 1}: {error}") from None
        if number + 1 < len(document.sentences) or not meta.get("unclosed"):
            yield ""
    yield from comments.get(len(document.sentences), [])
    end = meta.get("end", "#end document")
    if not END.match(end) or "\n" in end:
        raise ValueError("meta.conll.end ends no document")
    yield end


def _commented(line: str) -> str:
    if line and (line[0] != "#" or "\n" in line or BEGIN.match(line) or END.match(line)):
        raise ValueError("meta.conll has a comment that is none")
    return line


def _numbered(document: Document, ids: Sequence[Any]) -> dict[int, list[Named]]:
    """The mentions of each sentence with their clusters' names."""
    keys: list[tuple[tuple[int, int, bool, int], tuple[Mention, ...]]] = []
    for cluster in document.clusters:
        if not cluster:
            raise ValueError("a cluster has no mention")
        if any(mention.zero or mention.parts for mention in cluster):
            raise ValueError("a mention is zero or discontinuous")
        # Where its first bracket stands: see rule 3 of brackets.py.
        first = min((m.sentence, m.start, m.end - m.start > 1, -m.end) for m in cluster)
        keys.append((first, cluster))
    numbers = [str(name) for name in ids]
    if not len(numbers) == len(set(numbers)) == len(keys) or not all(map(_ID.fullmatch, numbers)):
        keys.sort(key=lambda key: key[0])
        numbers = [str(number) for number in range(len(keys))]
    found: dict[int, list[Named]] = {}
    for name, (_, cluster) in zip(numbers, keys, strict=True):
        for mention in cluster:
            found.setdefault(mention.sentence, []).append((name, mention.start, mention.end))
    return found


def _rows(
    sentence: Sentence,
    mentions: Sequence[Named],
    marks: Marks,
    extra: dict[str, Any],
    meta: dict[str, Any],
) -> list[str]:
    """The lines of a sentence."""
    size = len(sentence.tokens)
    if not size:
        raise ValueError("it has no words")
    columns_due = names(extra.get("width", meta.get("width", WIDTH)))
    modelled: dict[str, list[str | None]] = {
        "xpos": [token.xpos for token in sentence.tokens],
        "lemma": [token.lemma for token in sentence.tokens],
        "speaker": [sentence.speaker] * size,
        "ner": [token.ner for token in sentence.tokens],
    }
    columns: list[list[str]] = []
    for name in columns_due:
        if name == "form":
            columns.append([token.form for token in sentence.tokens])
        elif name in extra:
            columns.append(extra[name].split("\t"))
        elif name not in modelled or _empty(modelled[name]):
            columns.append(marks.usual(name, size))
        elif name == "ner":
            columns.append(stars.column(modelled[name]))
        else:
            columns.append([marks.blank if cell is None else cell for cell in modelled[name]])
    for name, values in modelled.items():
        if name not in columns_due and not _empty(values):
            raise ValueError(f"there is no column for its {name}")
    final = brackets.make(mentions, size, marks.none)
    if "brackets" in extra:
        final = _as_they_were(final, extra["brackets"], mentions, marks.none)
    table = list(zip(*columns, final, strict=True))
    if "layout" in extra:
        rows = blanks.lines(table, extra["layout"])
        whole = all(
            [cell for cell in row.split(" ") if cell] == list(cells) and "\t" not in row
            for row, cells in zip(rows, table, strict=True)
        )
    else:
        rows = ["\t".join(cells) for cells in table]
        whole = all(row.count("\t") == len(columns_due) for row in rows)
    text = "".join(rows)
    if not whole or "\n" in text or "\0" in text:
        raise ValueError("a value holds white space that would part it, or nothing")
    if any(not row.strip() or BEGIN.match(row) or END.match(row) for row in rows):
        raise ValueError("a line would not be taken for a word")
    if all(token.form == HIDDEN for token in sentence.tokens):
        raise ValueError(f"its words are {HIDDEN}, as in a skeleton file")
    return rows


def _empty(values: Sequence[str | None]) -> bool:
    return all(value is None for value in values)


def _as_they_were(
    cells: list[str], others: dict[str, str], mentions: Sequence[Named], none: str
) -> list[str]:
    """The cells with those of `others` in their places, if they say the same."""
    changed = list(cells)
    try:
        for index, cell in others.items():
            changed[int(index)] = cell
        same = sorted(brackets.parse(changed, none)) == sorted(mentions)
    except (IndexError, ValueError):  # they are of a sentence that has been changed since
        return cells
    return changed if same else cells
