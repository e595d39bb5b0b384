"""Names of a file with one token and its tag a line, as the text and the spans on it.

Read are, with tabs or else blanks between columns and an empty line between sentences:
1. TOKEN TAG, and any columns between them (KIND, CoNLL-2003);
2. NUMBER TOKEN TAG, and any columns behind them (WikiNEuRal, Universal NER's .iob2).
Tags are IOB2, IOB, BIOES, BILOU, or bare labels, of which a run is one name. A comment `# text = `
gives the text; without one, or where the tokens are not in it, they are joined as print does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.builders.nlp.analysis import Entity
from corefmill.builders.nlp.backend import SentenceWords
from corefmill.corpora import lines
from corefmill.corpora.errors import DataError

_TAG = re.compile(r"([BIESLU])-(.+)")
_OPENS, _GOES_ON, _CLOSES = "BSU", "IEL", "ESLU"
_LIKE_A_TAG = re.compile(r"[\w&+/:-]+")
_NO_TAG = ("O", "_", "-")
_CLOSING = re.compile(r"[,.;:!?)\]}%»”…]+|['’]\w{0,2}|n['’]t")
_OPENING = re.compile(r"[(\[{«“‘¿¡$£€#]|\w+['’]")


@dataclass(frozen=True, slots=True)
class NamedSentence:
    """Words, their text, and the names in it, with the file's own labels."""

    words: SentenceWords
    text: str
    names: tuple[Entity, ...]


def read(path: Path) -> Iterator[NamedSentence]:
    """The sentences of a file. Raises `DataError`, with the line, for what is none."""
    rows: list[list[str]] = []
    at: list[int] = []
    text = ""
    for number, row in lines.read(path, sentences=True):
        if not row.strip():
            if rows:
                yield _sentence(rows, text, path, at)
            rows, text, at = [], "", []
        elif not rows and row.startswith("# "):
            text = row.removeprefix("# text = ").strip() if "text = " in row[:9] else text
        elif not row.startswith("-DOCSTART-"):
            columns = row.split("\t") if "\t" in row else row.split()
            if len(columns) < 2 or (rows and len(columns) != len(rows[0])):
                raise DataError(
                    f"{len(columns)} columns, {len(rows[0]) if rows else 'two or more'} are due",
                    path=path,
                    line=number,
                )
            rows.append(columns)
            at.append(number)
    if rows:
        yield _sentence(rows, text, path, at)


def _sentence(
    rows: Sequence[Sequence[str]], text: str, path: Path, at: Sequence[int]
) -> NamedSentence:
    """The rows' sentence; `at` are their lines in the file."""
    numbered = len(rows[0]) > 2 and [row[0] for row in rows] == [
        str(number) for number, _ in enumerate(rows, int(rows[0][0] == "1"))
    ]
    forms = [row[1 if numbered else 0] for row in rows]
    tags = [row[2 if numbered else -1] for row in rows]
    for line, tag in zip(at, tags, strict=True):
        if not _LIKE_A_TAG.fullmatch(tag):
            raise DataError(
                f"{tag[:40]!r} is no tag of a name",
                path=path,
                line=line,
                remedy="a line has a word and its tag, such as B-PER or O; text has none",
            )
    words = SentenceWords(forms, _spaces(forms, text))
    offsets, start = [], 0
    for form, space in zip(*words, strict=True):
        offsets.append((start, start + len(form)))
        start += len(form) + space
    names = tuple(
        Entity(offsets[first][0], offsets[last - 1][1], label)
        for first, last, label in decoded(tags)
    )
    return NamedSentence(words, words.text, names)


def decoded(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """The names that tags say, as half-open ranges of tokens with their labels."""
    names: list[tuple[int, int, str]] = []
    open_label = ""  # of the name that the next token may carry on
    for index, tag in enumerate(tags):
        found = _TAG.fullmatch(tag)
        mark, label = found.groups() if found else ("", "" if tag in _NO_TAG else tag)
        if label and label == open_label and mark not in tuple(_OPENS):
            names[-1] = (names[-1][0], index + 1, label)
        elif label:
            names.append((index, index + 1, label))
        open_label = "" if mark and mark in _CLOSES else label
    return names


def _spaces(forms: Sequence[str], text: str) -> list[bool]:
    """Whether a space follows each token; by the text, if the tokens are in it one by one."""
    spaces: list[bool] = []
    at = 0
    for form in forms:
        found = text.find(form, at)
        if found < 0 or text[at:found].strip():
            return _printed(forms)
        if spaces:
            spaces[-1] = found > at
        spaces.append(False)
        at = found + len(form)
    return spaces


def _printed(forms: Sequence[str]) -> list[bool]:
    spaces = []
    quoted = False
    for form, after in zip(forms, [*forms[1:], ""], strict=True):
        if form == '"':
            quoted = not quoted
        glued = (
            not after
            or _CLOSING.fullmatch(after)
            or _OPENING.fullmatch(form)
            or (quoted and '"' in (form, after))
        )
        spaces.append(not glued)
    return spaces
