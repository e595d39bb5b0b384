"""Trees of a CoNLL-U file as the text that they annotate and the words on it, for evaluation.

Read as Universal Dependencies define the format (https://universaldependencies.org/format.html):
1. A line of ten columns is a word; an ID "3-4" is a multiword token, which holds the words 3 and 4
   and whose FORM is what is written; an ID "3.1" is an empty node, which is left out.
2. `SpaceAfter=No` in MISC of what is written (the token, not the words within it): no space.
3. `# newpar` and `# newdoc` open a paragraph; a text never goes across one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.builders.nlp.backend import SentenceWords
from corefmill.builders.nlp.ud_words import Side, Word, squeezed
from corefmill.corpora import lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import Span

_MOST = 50_000
"""Characters of a text, where a file marks no paragraphs; it is cut between two sentences."""
_RANGE = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})")
_EMPTY = re.compile(r"\d+\.[1-9]\d*")


@dataclass(frozen=True, slots=True)
class Gold:
    """A text with what is known of its words; `sentences` are half-open ranges of words."""

    text: str
    side: Side
    sentences: tuple[Span, ...]
    spaces: tuple[bool, ...]

    def words(self) -> Iterator[SentenceWords]:
        """Each sentence's words, for a backend that takes words."""
        forms = [word.form for word in self.side.words]
        for first, last in self.sentences:
            yield SentenceWords(forms[first:last], self.spaces[first:last])


@dataclass(slots=True)
class _Sentence:
    """Columns of the words, and the written tokens as (form, space after, count of words)."""

    words: list[list[str]] = field(default_factory=list)
    tokens: list[tuple[str, bool, int]] = field(default_factory=list)
    new_paragraph: bool = False

    @property
    def text(self) -> str:
        return "".join(form + " " * space for form, space, _ in self.tokens)


def read(path: Path, most: int = _MOST) -> Iterator[Gold]:
    """The texts of a file: its paragraphs, or pieces of at most `most` characters of them."""
    together: list[_Sentence] = []
    length = 0
    for sentence in _sentences(path):
        size = len(sentence.text)
        if together and (sentence.new_paragraph or length + size > most):
            yield _gold(together)
            together, length = [], 0
        together.append(sentence)
        length += size
    if together:
        yield _gold(together)


def _sentences(path: Path) -> Iterator[_Sentence]:
    sentence = _Sentence()
    inside = 0  # the last word of the multiword token that is open
    for number, row in lines.read(path, sentences=True):
        if not row.strip():
            if sentence.words:
                _check(sentence, path, number)
                yield sentence
            sentence, inside = _Sentence(), 0
        elif row.startswith("#"):
            if re.match(r"#\s*(newpar|newdoc)\b", row):
                sentence.new_paragraph = True
        else:
            inside = _take(sentence, row.split("\t"), inside, path, number)
    if sentence.words:
        _check(sentence, path, None)
        yield sentence


def _take(sentence: _Sentence, row: list[str], inside: int, path: Path, number: int) -> int:
    """Adds a line; returns the number of the last word of the multiword token that is open."""
    if len(row) != 10:
        raise DataError(f"{len(row)} columns, CoNLL-U has 10", path=path, line=number)
    space = "SpaceAfter=No" not in row[9].split("|")
    if _EMPTY.fullmatch(row[0]):
        return inside
    if found := _RANGE.fullmatch(row[0]):
        first, last = int(found[1]), int(found[2])
        if first != len(sentence.words) + 1 or last < first or first <= inside:
            raise DataError(f"multiword token {row[0]} is out of place", path=path, line=number)
        sentence.tokens.append((row[1], space, last - first + 1))
        return last
    if row[0] != str(len(sentence.words) + 1):
        raise DataError(
            f"ID {row[0]!r} where {len(sentence.words) + 1} is due", path=path, line=number
        )
    if not re.fullmatch(r"\d{1,9}", row[6]):
        raise DataError(f"HEAD {row[6][:20]!r} is no number", path=path, line=number)
    sentence.words.append(row)
    if len(sentence.words) > inside:
        sentence.tokens.append((row[1], space, 1))
    return inside


def _check(sentence: _Sentence, path: Path, line: int | None) -> None:
    if sum(count for *_, count in sentence.tokens) != len(sentence.words):
        raise DataError("a multiword token lacks words", path=path, line=line)
    for row in sentence.words:
        if int(row[6]) > len(sentence.words):
            raise DataError(f"HEAD {row[6]} of {row[1]!r} is no word", path=path, line=line)


def _gold(sentences: list[_Sentence]) -> Gold:
    words: list[Word] = []
    tokens: list[Span] = []
    bounds: list[Span] = []
    ranges: list[Span] = []
    spaces: list[bool] = []
    text, at = "", 0
    for sentence in sentences:
        first, begin = len(words), at
        text += sentence.text
        rows = iter(sentence.words)
        for form, space, count in sentence.tokens:
            end = at + len(squeezed(form))
            tokens.append((at, end))
            spaces += [False] * (count - 1) + [space]
            for row in (next(rows) for _ in range(count)):
                head = int(row[6])
                _, _, lemma, upos, xpos, feats = (
                    "" if value == "_" and row[1] != "_" else value for value in row[:6]
                )
                words.append(
                    Word(
                        start=at,
                        end=end,
                        multiword=count > 1,
                        form=row[1],
                        lemma=lemma,
                        upos=upos,
                        xpos=xpos,
                        feats=feats,
                        head=first + head - 1 if head else None,
                        deprel=row[7],
                    )
                )
            at = end
        bounds.append((begin, at))
        ranges.append((first, len(words)))
    side = Side(tuple(words), tuple(tokens), tuple(bounds))
    return Gold(text.rstrip(), side, tuple(ranges), tuple(spaces))
