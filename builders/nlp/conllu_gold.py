"""Trees of a CoNLL-U file as the text that they annotate and the words on it, for evaluation.

Rows are read as in `corpora/formats/corefud_sentence.py`; empty nodes are left out. `# newpar` and
`# newdoc` open a paragraph; a text never goes across one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from corefmill.builders.nlp.backend import SentenceWords
from corefmill.builders.nlp.ud_words import Side, Word, squeezed
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import corefud
from corefmill.corpora.formats.corefud_entity import RowError
from corefmill.corpora.formats.corefud_sentence import ParsedSentence, parse
from corefmill.corpora.records import Span, Token
from corefmill.rules import documents

_MOST = 50_000
"""Characters of a text, where a file marks no paragraphs; it is cut between two sentences."""
_PARAGRAPH = re.compile(r"#\s*(newpar|newdoc)\b")


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


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The words, and the written tokens as (form, space after, count of words)."""

    words: tuple[Token, ...]
    tokens: tuple[tuple[str, bool, int], ...]
    new_paragraph: bool

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
    for number, comments, rows in corefud.sentences(path):
        first = number + len(comments)
        try:
            parsed = parse(rows)
        except RowError as error:
            raise DataError(str(error), path=path, line=first + error.row) from None
        for word, line in zip(parsed.nodes.words, parsed.rows, strict=True):
            if word is not None and parsed.tokens[word].head is None:
                raise DataError("HEAD '_' is no number", path=path, line=first + line)
        opens = any(map(_PARAGRAPH.match, comments))
        yield _Sentence(parsed.tokens, tuple(_written(parsed)), opens)


def _written(parsed: ParsedSentence) -> Iterator[tuple[str, bool, int]]:
    """What is written of a sentence: its multiword tokens, and the words outside of them."""
    multiword = {token.start: token for token in documents.written(parsed.extra)}
    at = 0
    while at < len(parsed.tokens):
        token = multiword.get(at)
        end = token.end if token else at + 1
        form = token.form if token else parsed.tokens[at].form
        yield form, parsed.tokens[end - 1].space_after, end - at
        at = end


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
        rest = iter(sentence.words)
        for form, space, count in sentence.tokens:
            end = at + len(squeezed(form))
            tokens.append((at, end))
            spaces += [False] * (count - 1) + [space]
            words += (
                Word(
                    start=at,
                    end=end,
                    multiword=count > 1,
                    form=word.form,
                    lemma=word.lemma or "",
                    upos=word.upos or "",
                    xpos=word.xpos or "",
                    feats=word.feats or "",
                    head=first + word.head - 1 if word.head else None,
                    deprel=word.deprel or "_",
                )
                for word in islice(rest, count)
            )
            at = end
        bounds.append((begin, at))
        ranges.append((first, len(words)))
    side = Side(tuple(words), tuple(tokens), tuple(bounds))
    return Gold(text.rstrip(), side, tuple(ranges), tuple(spaces))
