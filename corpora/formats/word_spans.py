"""What the JSON forms of documents share: lines as checked objects, and spans that count words.

1. A line is one JSON object, UTF-8; empty lines at the end of the file are left out. A key that
   the form does not know is kept under `other` in the format's part of `meta`.
2. Spans count the words of the whole document from 0. A mention lies within one sentence.
3. A sentence's speaker is that of all its words; `-` is no speaker. Where words of one sentence
   have several, `meta` keeps them under `speakers`, by the sentence's number.
4. Writers refuse zero and discontinuous mentions, clusters without a mention, and a span that is
   named twice.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from corefmill.corpora import lines
from corefmill.corpora.errors import DataError, naming
from corefmill.corpora.formats.form import write_documents
from corefmill.corpora.jsonl import first_fault
from corefmill.corpora.records import Document, Mention, Sentence, Token

NOBODY = "-"


class Line(BaseModel):
    """A line's object; each form adds its keys."""

    model_config = ConfigDict(extra="allow", strict=True)

    @property
    def other(self) -> dict[str, Any]:
        """The keys that the form does not know."""
        return dict(self.model_extra or {})


L = TypeVar("L", bound=Line)


def read(
    path: Path, kind: type[L], document: Callable[[L], Document]
) -> Iterator[tuple[int, Document]]:
    """Streams the documents; a `ValueError` of `document` becomes a `DataError` with the line."""
    empty = 0
    for number, line in lines.read(path):
        if not line.strip():
            empty = empty or number
            continue
        if empty:
            raise DataError("an empty line between documents", path=path, line=empty)
        with naming(path, number):
            found = document(checked(line, kind))
        yield number, found


def checked(text: str | bytes, kind: type[L]) -> L:
    """The object of a line; raises `ValueError` that says what is wrong where."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None


def write(
    path: Path, documents: Iterable[Document], line: Callable[[Document], dict[str, Any]], form: str
) -> int:
    """Writes the documents, a line each, whole or not at all, and returns how many there were."""
    return write_documents(path, documents, lambda document: _dumped(line(document)), form)


def _dumped(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def clusters(
    spans: Iterable[Iterable[tuple[int, int]]], lengths: Sequence[int]
) -> tuple[tuple[Mention, ...], ...]:
    """The clusters of half-open spans, where the sentences have so many words."""
    starts = [0, *accumulate(lengths)]
    total = starts[-1]

    def mention(start: int, end: int) -> Mention:
        if not 0 <= start < end <= total:
            raise ValueError(f"mention [{start}, {end}) is empty or outside the {total} words")
        number = bisect_right(starts, start) - 1
        if end > starts[number + 1]:
            raise ValueError(f"mention [{start}, {end}) reaches over the end of a sentence")
        return Mention(number, start - starts[number], end - starts[number])

    return tuple(tuple(mention(start, end) for start, end in cluster) for cluster in spans)


def spans(document: Document) -> list[list[tuple[int, int]]]:
    """The clusters as half-open spans. Raises `ValueError` for what rule 4 refuses."""
    starts = [0, *accumulate(len(sentence.tokens) for sentence in document.sentences)]
    found = []
    named: set[tuple[int, int]] = set()
    for cluster in document.clusters:
        if not cluster:
            raise ValueError("a cluster has no mention")
        row = []
        for mention in cluster:
            if mention.zero or mention.parts:
                raise ValueError("a mention is zero or discontinuous")
            first = starts[mention.sentence]
            span = (first + mention.start, first + mention.end)
            if span in named:
                raise ValueError(f"mention [{span[0]}, {span[1]}) is named twice")
            named.add(span)
            row.append(span)
        found.append(row)
    return found


def sentences(
    words: Sequence[Sequence[Token]], speakers: Sequence[Sequence[str]] | None, meta: dict[str, Any]
) -> tuple[Sentence, ...]:
    """The sentences; speakers who change within one go to `meta` (rule 3)."""
    if speakers is None:
        return tuple(Sentence(tuple(tokens)) for tokens in words)
    if list(map(len, speakers)) != list(map(len, words)):
        raise ValueError("there are not as many speakers as words in each sentence")
    found = []
    for number, (tokens, said) in enumerate(zip(words, speakers, strict=True)):
        same = set(said) <= {said[0]} if said else True
        if not same:
            meta.setdefault("speakers", {})[str(number)] = list(said)
        speaker = said[0] if said and same and said[0] != NOBODY else None
        found.append(Sentence(tuple(tokens), speaker))
    return tuple(found)


def speakers(document: Document, meta: dict[str, Any]) -> list[list[str]]:
    """The speaker of each word of each sentence. Raises `ValueError` for one called `-`."""
    found = []
    for number, sentence in enumerate(document.sentences):
        kept = meta.get("speakers", {}).get(str(number))
        if sentence.speaker == NOBODY or (sentence.speaker is not None and not sentence.tokens):
            raise ValueError(f"speaker {sentence.speaker!r} would be read as none")
        if kept is None or sentence.speaker is not None or len(kept) != len(sentence.tokens):
            kept = [NOBODY if sentence.speaker is None else sentence.speaker] * len(sentence.tokens)
        found.append(list(kept))
    return found
