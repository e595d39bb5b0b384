"""JSON Lines of wl-coref: the words of a document in one list, and lists of what each word has.

1. `document_id`, `cased_words`, `sent_id` (of each word, from 0), `part_id` (one number; a list in
   files that are not yet cut into parts, where all must be the same), `speaker`, `pos`, `deprel`,
   `head` (of each word) and `clusters` as [start, end) of words.
2. `head` counts the document's words, null is a root. `deprel` null is a word without a parse
   (which wl-coref does not write), an empty one a word without a label.
3. Files that wl-coref has prepared further have `span_clusters` for `clusters`, besides
   `word_clusters` and `head2span`; these are read, and what depends on the words is not kept.
4. `pos` is `xpos`, null where there is none. Not written are the tokens' other values, `lang` and
   other `meta`. wl-coref takes the first two letters of `document_id` for the genre.

See word_spans.py for what this has in common with other forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from corefmill.corpora.formats import word_spans
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.word_spans import Line
from corefmill.corpora.records import Document, Token

_PREPARED = ("word_clusters", "head2span")


class _Line(Line):
    document_id: str
    cased_words: list[str]
    sent_id: list[int]
    part_id: int | list[int]
    speaker: list[str]
    pos: list[str | None]
    deprel: list[str | None]
    head: list[int | None]
    clusters: list[list[tuple[int, int]]] | None = None
    span_clusters: list[list[tuple[int, int]]] | None = None


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Streams the documents; raises `DataError` with the line."""
    return word_spans.read(path, _Line, lambda line: _document(line, lang))


def _document(line: _Line, lang: str) -> Document:
    size = len(line.cased_words)
    for name in ("sent_id", "speaker", "pos", "deprel", "head"):
        if len(getattr(line, name)) != size:
            raise ValueError(f"{len(getattr(line, name))} of {name} for {size} words")
    spans = line.clusters if line.clusters is not None else line.span_clusters
    if spans is None:
        raise ValueError("clusters: Field required")
    starts = _starts(line.sent_id)
    lengths = [end - start for start, end in pairwise([*starts, size])]
    tokens = [
        [_token(line, place, start, length) for place in range(start, start + length)]
        for start, length in zip(starts, lengths, strict=True)
    ]
    meta: dict[str, Any] = {}
    speakers = [
        line.speaker[start : start + length] for start, length in zip(starts, lengths, strict=True)
    ]
    sentences = word_spans.sentences(tokens, speakers, meta)
    if other := {name: value for name, value in line.other.items() if name not in _PREPARED}:
        meta["other"] = other
    return Document(
        line.document_id,
        _part(line.part_id),
        lang,
        sentences,
        word_spans.clusters(spans, lengths),
        {"wl-coref": meta} if meta else {},
    )


def _starts(sent_id: list[int]) -> list[int]:
    """Where the sentences begin; their numbers must be in order, from 0, none left out."""
    starts = [
        place for place, number in enumerate(sent_id) if not place or number != sent_id[place - 1]
    ]
    if [sent_id[start] for start in starts] != list(range(len(starts))):
        raise ValueError("sent_id does not count the sentences from 0")
    return starts


def _part(part: int | list[int]) -> int:
    if isinstance(part, int):
        return part
    if len(set(part)) > 1:
        raise ValueError("part_id: several parts in one line; wl-coref's own files have one")
    return part[0] if part else 0


def _token(line: _Line, place: int, start: int, length: int) -> Token:
    head, deprel = line.head[place], line.deprel[place]
    if head is not None and not start <= head < start + length:
        raise ValueError(f"head {head} of word {place} is outside its sentence")
    if head is None and deprel is not None:
        head = start - 1  # the root
    return Token(
        line.cased_words[place],
        xpos=line.pos[place],
        head=None if head is None else head - start + 1,
        deprel=deprel or None,
    )


def write(path: Path, documents: Iterable[Document]) -> int:
    """Writes a line a document, whole or not at all."""
    return word_spans.write(path, documents, _line, "wl-coref's form")


def _line(document: Document) -> dict[str, Any]:
    meta: dict[str, Any] = document.meta.get("wl-coref", {})
    lengths = [len(sentence.tokens) for sentence in document.sentences]
    if not all(lengths):
        raise ValueError("a sentence has no words")
    starts = [0, *accumulate(lengths)]
    # Each word with its sentence, and with the sentence's first word, from which heads count.
    words = [
        (token, number, start)
        for number, (sentence, start) in enumerate(zip(document.sentences, starts, strict=False))
        for token in sentence.tokens
    ]
    return {
        "document_id": document.doc_id,
        "cased_words": [token.form for token, _, _ in words],
        "sent_id": [number for _, number, _ in words],
        "part_id": document.part,
        "speaker": [said for row in word_spans.speakers(document, meta) for said in row],
        "pos": [token.xpos for token, _, _ in words],
        "deprel": [_relation(token) for token, _, _ in words],
        "head": [start + t.head - 1 if t.head else None for t, _, start in words],
        **meta.get("other", {}),
        "clusters": [[list(span) for span in cluster] for cluster in word_spans.spans(document)],
    }


def _relation(token: Token) -> str | None:
    """Null says that there is no parse, so that a relation needs a head."""
    if token.deprel == "" or (token.head is None and token.deprel is not None):
        raise ValueError(f"{token.form!r} has a relation {token.deprel!r} but no head")
    return None if token.head is None else token.deprel or ""


def _suits(name: str, head: str) -> bool:
    line = head.lstrip("\ufeff").partition("\n")[0]
    return line.startswith("{") and re.search(r'"cased_words"\s*:', line) is not None


FORMAT = Format(
    name="wl-coref",
    schema="document/1",
    summary="JSON Lines of wl-coref: words with sentence, speaker, head, clusters",
    suffix=".jsonlines",
    read=read,
    write=write,
    suits=_suits,
)
