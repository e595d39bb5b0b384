"""JSON Lines of words by sentence, as s2e-coref, e2e-coref, Maverick and fastcoref read them.

1. `doc_key` is the document's name, `_` and its part, `nw/mill_0` say; a key without a part is the
   name of a part 0. `sentences` are lists of words, `speakers` one for each word in the same shape.
2. `clusters` are lists of [first word, last word], both within, counted over the whole document.
3. s2e-coref has `speakers` always; for Maverick they may be missing, and are written if there are
   any. What else stands in a line (`constituents`, `ner`) is kept and written before `clusters`.
4. Files of SpanBERT's and fast-coref's preparation hold word pieces and are refused.
5. fastcoref (its training files) has `tokens`, words without sentences; the writer adds
   `sentence_ends`, which fastcoref passes over, and without it all is one sentence.
   `speakers` are lists of lists that it makes flat; they are written if there are any.
6. BookCoref has `doc_id`, a name whose end is no part, beside `sentences` and `clusters`; its
   `gutenberg_key` and `characters` are kept and written before the clusters.
7. Not written are tokens' values but their forms, `lang`, and other `meta`.

See word_spans.py for what these have in common with other forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import Field

from corefmill.corpora.formats import word_spans
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.word_spans import L, Line
from corefmill.corpora.records import Document, Token

_PART = re.compile(r"(.*)_(0|[1-9]\d{0,8})", re.DOTALL)
_PIECES = ("subtoken_map", "sentence_map")


class _Sentences(Line):
    doc_key: str
    sentences: list[list[str]]
    speakers: list[list[str]] | None = None
    clusters: list[list[tuple[int, int]]] = Field(default_factory=list)


class _Spoken(_Sentences):
    speakers: list[list[str]]


class _Book(Line):
    doc_id: str
    gutenberg_key: str
    sentences: list[list[str]]
    clusters: list[list[tuple[int, int]]] = Field(default_factory=list)


class _Tokens(Line):
    doc_key: str
    tokens: list[str]
    sentence_ends: list[int] | None = None
    speakers: list[list[str]] | None = None
    clusters: list[list[tuple[int, int]]] = Field(default_factory=list)


def _name(key: str, meta: dict[str, Any]) -> tuple[str, int]:
    match = _PART.fullmatch(key)
    if match is None:
        meta["key"] = key
        return key, 0
    return match[1], int(match[2])


def _key(document: Document, meta: dict[str, Any]) -> str:
    key = f"{document.doc_id}_{document.part}"
    if document.part < 0 or _name(key, {}) != (document.doc_id, document.part):
        raise ValueError(f"part {document.part} cannot stand in its key")
    kept = meta.get("key")
    return kept if kept == document.doc_id and not document.part else key


def _document(
    key: str,
    words: list[list[str]],
    speakers: list[list[str]] | None,
    clusters: list[list[tuple[int, int]]],
    other: dict[str, Any],
    lang: str,
    form: str,
) -> Document:
    meta: dict[str, Any] = {}
    doc_id, part = _name(key, meta)
    tokens = [[Token(form) for form in sentence] for sentence in words]
    found = word_spans.sentences(tokens, speakers, meta)
    if other:
        meta["other"] = other
    return Document(
        doc_id,
        part,
        lang,
        found,
        word_spans.clusters(
            [[(first, last + 1) for first, last in cluster] for cluster in clusters],
            [len(sentence) for sentence in words],
        ),
        {form: meta} if meta else {},
    )


def _of_sentences(line: _Sentences, lang: str, form: str) -> Document:
    for name in _PIECES:
        if name in line.other:
            raise ValueError(f"it has {name}: these are pieces of words, no words")
    return _document(
        line.doc_key, line.sentences, line.speakers, line.clusters, line.other, lang, form
    )


def _of_book(line: _Book, lang: str) -> Document:
    other = {"gutenberg_key": line.gutenberg_key, **line.other}
    made = _document("", line.sentences, None, line.clusters, other, lang, "bookcoref")
    return replace(made, doc_id=line.doc_id, part=0, meta={"bookcoref": {"other": other}})


def _of_tokens(line: _Tokens, lang: str) -> Document:
    ends = line.sentence_ends
    if ends is None:
        ends = [len(line.tokens)] if line.tokens else []
    if sorted({0, *ends}) != [0, *ends] or [0, *ends][-1] != len(line.tokens):
        raise ValueError("sentence_ends do not cut the tokens into sentences")
    words = [line.tokens[start:end] for start, end in pairwise([0, *ends])]
    speakers = line.speakers
    if speakers is not None:
        flat = [speaker for row in speakers for speaker in row]
        if len(flat) != len(line.tokens):
            raise ValueError(f"{len(flat)} speakers of {len(line.tokens)} tokens")
        speakers = [flat[start:end] for start, end in pairwise([0, *ends])]
    return _document(line.doc_key, words, speakers, line.clusters, line.other, lang, "fastcoref")


def _common(document: Document, form: str, spoken: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """What stands in a line before and after the words."""
    meta: dict[str, Any] = document.meta.get(form, {})
    speakers = word_spans.speakers(document, meta)
    after: dict[str, Any] = {}
    if spoken or any(said != word_spans.NOBODY for row in speakers for said in row):
        after["speakers"] = speakers
    after |= meta.get("other", {})
    clusters = word_spans.spans(document)
    after["clusters"] = [[[start, end - 1] for start, end in cluster] for cluster in clusters]
    return {"doc_key": _key(document, meta)}, after


def _as_sentences(document: Document, form: str, spoken: bool) -> dict[str, Any]:
    before, after = _common(document, form, spoken)
    words = [[token.form for token in sentence.tokens] for sentence in document.sentences]
    return before | {"sentences": words} | after


def _as_book(document: Document) -> dict[str, Any]:
    made = _as_sentences(document, "bookcoref", False)
    if document.part or "speakers" in made:
        raise ValueError("there is no place for parts and speakers")
    del made["doc_key"]
    return {"doc_id": document.doc_id, "gutenberg_key": "", **made}


def _as_tokens(document: Document) -> dict[str, Any]:
    before, after = _common(document, "fastcoref", False)
    words = [token.form for sentence in document.sentences for token in sentence.tokens]
    ends: list[int] = []
    for sentence in document.sentences:
        if not sentence.tokens:
            raise ValueError("a sentence has no words")
        ends.append((ends[-1] if ends else 0) + len(sentence.tokens))
    return before | {"tokens": words, "sentence_ends": ends} | after


def _has(head: str, *names: str) -> bool:
    line = head.lstrip("\ufeff").partition("\n")[0]
    return line.startswith("{") and all(re.search(rf'"{name}"\s*:', line) for name in names)


def _format(
    name: str,
    summary: str,
    kind: type[L],
    document: Callable[[L, str], Document],
    line: Callable[[Document], dict[str, Any]],
    suits: Callable[[str, str], bool],
) -> Format:
    def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
        return word_spans.read(path, kind, lambda line: document(line, lang))

    def write(path: Path, documents: Iterable[Document]) -> int:
        return word_spans.write(path, documents, line, f"the form {name}")

    return Format(name, "document/1", f"JSON Lines {summary}", ".jsonlines", read, write, suits)


S2E = _format(
    "s2e",
    "of s2e-coref and e2e-coref: sentences, speakers, clusters",
    _Spoken,
    lambda line, lang: _of_sentences(line, lang, "s2e"),
    lambda document: _as_sentences(document, "s2e", True),
    lambda name, head: _has(head, "doc_key", "sentences") and _has(head, "speakers"),
)
MAVERICK = _format(
    "maverick",
    "of Maverick: sentences, clusters, speakers if there are any",
    _Sentences,
    lambda line, lang: _of_sentences(line, lang, "maverick"),
    lambda document: _as_sentences(document, "maverick", False),
    lambda name, head: _has(head, "doc_key", "sentences") and not _has(head, "speakers"),
)
FASTCOREF = _format(
    "fastcoref",
    "that fastcoref trains on: tokens and clusters",
    _Tokens,
    _of_tokens,
    _as_tokens,
    lambda name, head: _has(head, "doc_key", "tokens") and not _has(head, "sentences"),
)
BOOKCOREF = _format(
    "bookcoref",
    "of BookCoref: whole books, with the clusters of their characters",
    _Book,
    _of_book,
    _as_book,
    # A native line of a book has the key in its meta, and a part as every native line has.
    lambda name, head: _has(head, "doc_id", "gutenberg_key") and not _has(head, "part"),
)
